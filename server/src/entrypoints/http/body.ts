/**
 * Reads request bodies after the request is admitted, up to the operation's limit. An empty body
 * counts as no body, whatever its Content-Type.
 */
import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { type BodyLimits, describeLimits, type Operation } from '@headroom/contract'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { assert } from '../../platform/kit/assert.ts'
import { Bytes } from '../../platform/kit/bytes.ts'
import { type ProblemError, problem } from '../../platform/kit/problem.ts'
import { endHeldBodies, holdBody } from './held-bodies.ts'
import { readJson } from './json.ts'
import {
  admitBody,
  inReadingTurn,
  LARGE_BYTES,
  readAdmittedBody,
  releaseBodies,
} from './large-bodies.ts'
import { FormReader, readFields } from './multipart.ts'
import { Incoming } from './request-parsing.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** How much of a body is read. Every route that accepts bodies must set this. */
    body_limits?: BodyLimits
    form?: Operation['body_media_type']
    /** Set if the handler needs the raw bytes, to verify a signature over them. */
    raw_body?: true
  }
}

const JSON_TYPE = 'application/json'
const MULTIPART = 'multipart/form-data'
const FIELDS = 'application/x-www-form-urlencoded'
const TOO_SMALL = 'The body comes in too many small chunks. Send chunks of 256 bytes or more.'

/** Media types that Fastify accepts; it refuses any other before our code sees the content. */
const MEDIA_TYPE = /^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+\s*(;.*)?$/

export function acceptBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addHook('preParsing', async (request, reply) => {
    const { headers } = request
    const type = headers['content-type']
    // Fastify accepts an empty body without a type; any other body is left to our reader.
    if (type !== undefined && (!sendsBody(request) || !MEDIA_TYPE.test(type))) {
      headers['content-type'] = undefined
    }
    if (!isWaiting(request)) return
    checkAnnounced(request)
    continued.add(request.raw)
    reply.raw.writeContinue()
  })
  releaseBodies(app)
  endHeldBodies(app)
  app.addContentTypeParser('*', (request: FastifyRequest, stream: Readable) =>
    readBody(request, stream),
  )
  // A client waiting for 100 Continue gets it only when its body is about to be read.
  app.server.on('checkContinue', (request, response) => {
    app.server.emit('request', request, response)
  })
}

/** Whether a request announces a body. A chunked body may still turn out empty. */
export function sendsBody({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
  const length = headers['content-length']
  return headers['transfer-encoding'] !== undefined || (length !== undefined && Number(length) > 0)
}

/** Requests whose senders waited for 100 Continue and got it. */
const continued = new WeakSet<IncomingMessage>()

/** Whether the sender waits for 100 Continue before it sends the body. */
export function isWaiting({ headers, raw }: Pick<FastifyRequest, 'headers' | 'raw'>): boolean {
  // An HTTP/1.0 client would mistake a 100 for the answer.
  const can = raw.httpVersion !== '1.0' && headers.expect?.toLowerCase() === '100-continue'
  const waits = can && sendsBody({ headers })
  return waits && !continued.has(raw)
}

/** Refuses a body by its announced size and type, before the client sends it. */
function checkAnnounced(request: FastifyRequest): void {
  const { body_limits: limits } = request.routeOptions.config
  const bytes = announced(request)
  if (!limits || bytes === 0) return
  if (bytes > limits.bytes) throw tooLarge(limits)
  checkKind(request)
}

function announced({ headers }: Pick<FastifyRequest, 'headers'>): number {
  return Number(headers['content-length'] ?? 0)
}

function mediaTypeOf({ headers }: Pick<FastifyRequest, 'headers'>): string {
  return (headers['content-type'] ?? '').split(';', 1)[0]!.trim().toLowerCase()
}

async function readBody(request: FastifyRequest, stream: Readable): Promise<unknown> {
  const { body_limits: limits, form, raw_body } = request.routeOptions.config
  assert(limits, 'a route that takes a body states how much of it')
  const type = mediaTypeOf(request)
  if (announced(request) > 0) checkKind(request)
  try {
    if (type === MULTIPART && form === MULTIPART) return await readForm(request, stream, limits)
    const bytes = await receive(request, stream, limits)
    if (raw_body) return bytes
    if (bytes.length === 0) return undefined
    return type === FIELDS
      ? readFields(bytes)
      : await readAdmittedBody(request, () => inReadingTurn(request, () => readJson(bytes, limits)))
  } catch (error) {
    request.large_body?.leave()
    throw error
  }
}

/** Throws `media_type_unsupported` for content the operation does not accept. */
function checkKind(request: FastifyRequest): void {
  const type = mediaTypeOf(request)
  const { form } = request.routeOptions.config
  const encoding = request.headers['content-encoding'] ?? 'identity'
  if (encoding !== 'identity') {
    throw problem('media_type_unsupported', 'Send the body without Content-Encoding.')
  }
  if (form === MULTIPART && type === JSON_TYPE) {
    throw problem('media_type_unsupported', 'Send multipart/form-data.')
  }
  if (type !== JSON_TYPE && (form === undefined || type !== form)) {
    throw problem('media_type_unsupported')
  }
}

async function readForm(
  request: FastifyRequest,
  stream: Readable,
  limits: BodyLimits,
): Promise<unknown> {
  let reader: FormReader | null = null
  await take(request, stream, limits, piece => {
    reader ??= new FormReader(request.headers['content-type'] ?? '')
    reader.push(piece)
  })
  return (reader as FormReader | null)?.end()
}

async function receive(
  request: FastifyRequest,
  stream: Readable,
  limits: BodyLimits,
): Promise<Buffer> {
  const bytes = new Bytes(announced(request))
  await take(request, stream, limits, piece => {
    if (bytes.length === 0) checkKind(request)
    bytes.push(piece)
  })
  return bytes.all()
}

/**
 * Passes on the chunks of a body as they arrive; a large body waits for room. Throws
 * `body_too_large` before reading beyond the limit, `body_malformed` for chunks that are too small,
 * `not_ready` when too many bodies are in memory, and errors of `onPiece`. The rest then stays
 * unread.
 */
function take(
  request: FastifyRequest,
  stream: Readable,
  limits: BodyLimits,
  onPiece: (piece: Buffer) => void,
): Promise<void> {
  if (announced(request) > limits.bytes) throw tooLarge(limits)
  refuseTinyChunks(stream)
  // The client may have disconnected during authentication; the stream then emits no more events.
  if (stream.destroyed) throw incompleteBody()
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const most = Math.min(announced(request) || limits.bytes, limits.bytes, LARGE_BYTES)
  const held = holdBody(request, most)
  let bytes = 0
  let state: 'small' | 'large' | 'over' = 'small'
  const fail = (error: unknown) => {
    stream.pause()
    reject(error)
  }
  const waitForRoom = async () => {
    stream.pause()
    const entered = await admitBody(request)
    if (state === 'over') return entered.leave()
    request.large_body = entered
    request.held_body = null
    held.leave()
    stream.resume()
  }
  const onData = (piece: Buffer) => {
    bytes += piece.length
    try {
      if (bytes > limits.bytes) throw tooLarge(limits)
      refuseTinyChunks(stream)
      if (piece.length > 0) onPiece(piece)
    } catch (error) {
      fail(error)
      return
    }
    if (state !== 'small' || Math.max(bytes, announced(request)) <= LARGE_BYTES) return
    state = 'large'
    waitForRoom().catch(fail)
  }
  const onAborted = () => reject(incompleteBody())
  const onEnd = () => {
    if (request.held_body) held.settle(bytes)
    resolve()
  }
  stream.on('data', onData).on('end', onEnd).on('error', onAborted).on('close', onAborted)
  return promise.finally(() => {
    state = 'over'
    stream.off('data', onData).off('end', onEnd).off('error', onAborted).off('close', onAborted)
    // Later errors no longer matter, but without a listener they would end the process.
    stream.on('error', () => {})
  })
}

function incompleteBody(): ProblemError {
  return problem('body_malformed', 'The body ended before it was complete.')
}

/** Throws `body_malformed` if the body's chunks are too small, so that the rest stays unread. */
function refuseTinyChunks(stream: Readable): void {
  if (stream instanceof Incoming && stream.has_tiny_chunks)
    throw problem('body_malformed', TOO_SMALL)
}

function tooLarge(limits: BodyLimits): ProblemError {
  return problem('body_too_large', `Here a body has at most ${describeLimits(limits)}.`)
}
