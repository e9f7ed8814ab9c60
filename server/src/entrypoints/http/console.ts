/** Serves the web pages: the console under all its paths, and the onboarding page. */
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { IncomingHttpHeaders } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply } from 'fastify'
import Negotiator from 'negotiator'
import { problem } from '../../platform/kit/problem.ts'
import { consolePolicy } from './headers.ts'
import { htmlPage, sendPage } from './page.ts'

const BUILT = fileURLToPath(new URL('../../../../console/dist/', import.meta.url))
const NONCE = '%NONCE%'

/**
 * Adds `/console` and the page of `/onboarding/{id}`. Asset names contain a hash of their content,
 * so assets never change; the pages that reference them are never cached. Until the pages are
 * built, a placeholder is served.
 */
export async function addConsole(app: FastifyInstance): Promise<void> {
  await app.register(fastifyStatic, {
    root: join(BUILT, 'assets'),
    prefix: '/console/assets/',
    decorateReply: false,
    // The build may still be running when the server starts.
    wildcard: true,
    index: false,
    immutable: true,
    maxAge: '365d',
    preCompressed: true,
    logLevel: 'silent',
  })
  const console = async (_request: unknown, reply: FastifyReply) => sendBuilt(reply, 'index.html')
  app.get('/console', console)
  app.get('/console/*', console)
  // The API serves the onboarding session at the same path.
  app.addConstraintStrategy(READER)
  app.get('/onboarding/:id', { constraints: { reader: 'browser' } }, async (_request, reply) =>
    sendBuilt(reply, 'onboarding.html'),
  )
}

type Strategy = Parameters<FastifyInstance['addConstraintStrategy']>[0]

/** Routes requests by reader: a browser opening a page, or a program calling the API. */
const READER: Strategy = {
  name: 'reader',
  storage: () => {
    const routes = new Map()
    return { get: reader => routes.get(reader) ?? null, set: (...route) => routes.set(...route) }
  },
  validate: () => {},
  deriveConstraint: ({ headers }) => (isBrowser(headers) ? 'browser' : 'program'),
}

const PROGRAMS_FIRST = ['application/json', 'text/html']
/** Browsers send about a hundred characters. Weighing thousands of types takes a millisecond. */
const ACCEPT_MAX = 1_000

/** Whether the Accept header prefers HTML to JSON, by its weights (RFC 9110, 12.5.1). */
export function isBrowser(headers: IncomingHttpHeaders): boolean {
  if ((headers.accept ?? '').length > ACCEPT_MAX) return false
  return new Negotiator({ headers }).mediaType(PROGRAMS_FIRST) === 'text/html'
}

async function sendBuilt(reply: FastifyReply, name: string): Promise<FastifyReply> {
  const file = join(BUILT, name)
  if (!existsSync(file)) return sendPage(reply.header('refresh', '2'), WAIT)
  const nonce = randomBytes(16).toString('base64')
  const html = await readFile(file, 'utf8').catch(() => {
    throw problem('not_ready', 'The console is being built.', { retry_after_seconds: 2 })
  })
  return reply
    .type('text/html; charset=utf-8')
    .header('content-security-policy', consolePolicy(nonce))
    .header('cache-control', 'no-store')
    .send(html.replace(NONCE, nonce))
}

const WAIT = htmlPage(
  'The console is being built',
  '<h1>The console is being built</h1><p>This takes a few seconds, once.</p>',
)
