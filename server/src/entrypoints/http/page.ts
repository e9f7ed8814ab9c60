/**
 * Our own plain pages: one style, no scripts, no external resources. Pages that are the same for
 * every reader are rendered once and cached by clients until they change.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { sha256 } from '../../platform/kit/crypto.ts'
import { pagePolicy } from './headers.ts'

const STYLE = `
body { font: 16px/1.5 system-ui, sans-serif; color: #1c2430; background: #fff;
  max-width: 56rem; margin: 0 auto; padding: 1.5rem }
h1 { font-size: 1.75rem } h2 { margin-top: 3rem; border-bottom: 1px solid #d5dae1 }
h3 { margin-top: 2rem } a { color: #1450a3 }
code, pre { font: 0.875rem/1.5 ui-monospace, monospace; background: #f2f4f7; border-radius: 3px }
code { padding: 0.1rem 0.3rem } pre { padding: 0.75rem; overflow-x: auto }
table { border-collapse: collapse; width: 100% }
th, td { text-align: left; vertical-align: top; padding: 0.3rem 0.6rem 0.3rem 0;
  border-bottom: 1px solid #e6e9ee }
nav { columns: 16rem } nav a { display: block; text-decoration: none }
.quiet { color: #5a6573 }
@media (prefers-color-scheme: dark) {
  body { color: #e4e8ee; background: #14181f } a { color: #8ab4f8 }
  code, pre { background: #222833 } h2, th, td { border-color: #323a47 }
  .quiet { color: #9aa5b5 }
}`

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** Escapes text for HTML, including quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, character => ESCAPES[character]!)
}

/** A complete page; `title` is text, `body` is HTML. */
export function htmlPage(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escapeHtml(title)}</title><style>${STYLE}</style></head>
<body><main>${body}</main></body>
</html>
`
}

export function sendPage(reply: FastifyReply, html: string): FastifyReply {
  return reply.headers(PAGE_HEADERS).send(html)
}

const NOT_MODIFIED = 304
const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': pagePolicy(STYLE),
  'cache-control': 'no-cache',
}

/** A text that does not change while the server runs. */
export interface Published {
  readonly bytes: Buffer
  readonly headers: Readonly<Record<string, string>>
}

const published = new WeakSet<Buffer>()

export function isPublished(payload: unknown): boolean {
  return Buffer.isBuffer(payload) && published.has(payload)
}

export function publishPage(html: string): Published {
  return publish(html, PAGE_HEADERS)
}

export function publish(text: string, headers: Record<string, string>): Published {
  const bytes = Buffer.from(text)
  published.add(bytes)
  return { bytes, headers: { ...headers, etag: `"${sha256(text)}"` } }
}

/** Sends the text, or 304 if the client already has it (RFC 9110, If-None-Match). */
export function sendPublished(
  request: FastifyRequest,
  reply: FastifyReply,
  { bytes, headers }: Published,
): FastifyReply {
  const known = request.headers['if-none-match']?.split(',').map(tag => tag.trim()) ?? []
  const is_known = known.some(tag => tag === '*' || tag.replace(/^W\//, '') === headers.etag)
  reply.headers(headers)
  return is_known ? reply.code(NOT_MODIFIED).send() : reply.send(bytes)
}
