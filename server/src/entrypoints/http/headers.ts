/** Request ids, and the default headers of answers. */
import { createHash, randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Config } from '../../config.ts'

const REQUEST_ID = /^[A-Za-z0-9._:-]{1,128}$/

/** The caller's X-Request-Id if it is safe to log and echo, otherwise a new id. */
export function requestId(request: IncomingMessage): string {
  const given = request.headers['x-request-id']
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID()
}

/** For JSON and files: a browser that opens one runs and embeds nothing. */
const STRICT_POLICY = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'"

/** For our own pages: only the given style; no scripts and no external resources. */
export function pagePolicy(style: string): string {
  const hash = createHash('sha256').update(style).digest('base64')
  return `${STRICT_POLICY}; form-action 'none'; style-src 'sha256-${hash}'`
}

/**
 * For the console: only scripts and styles served by us, plus inline styles with this answer's
 * nonce.
 */
export function consolePolicy(nonce: string): string {
  return [
    STRICT_POLICY,
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "connect-src 'self'",
    "img-src 'self' data: blob:",
    "font-src 'self'",
    "form-action 'self'",
  ].join('; ')
}

/** The default headers of answers, besides the request id. */
export function securityHeaders(config: Config): Record<string, string> {
  const https = config.base_url.startsWith('https:')
  return {
    'content-security-policy': STRICT_POLICY,
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    'cross-origin-resource-policy': 'same-origin',
    'cache-control': 'no-store',
    ...(https && { 'strict-transport-security': 'max-age=31536000; includeSubDomains' }),
  }
}

/** A header's values, one per line received: once joined, two values look like one. */
export function headerLines({ rawHeaders }: { rawHeaders: readonly string[] }, name: string) {
  return rawHeaders.filter((_, i) => i % 2 === 1 && rawHeaders[i - 1]!.toLowerCase() === name)
}
