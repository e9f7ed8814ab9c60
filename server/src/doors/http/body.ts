/**
 * Reads what a request sends, once it was admitted, and no more of it than its operation takes. A
 * request whose body turns out empty has none, whatever its Content-Type says.
 */
import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { type BodyLimits, describeLimits, type Operation } from '@headroom/contract'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { assert } from '../../platform/kit/assert.ts'
import { Bytes } from '../../platform/kit/bytes.ts'
import { type ProblemError, problem } from '../../platform/kit/problem.ts'
import { endHeldBodies, holdBody } from './held-bodies.ts'
import { Incoming } from './incoming.ts'
import { readJson } from './json.ts'
import { enterRoom, inReadingTurn, LARGE_BYTES, leaveRooms, readInRoom } from './large-bodies.ts'
import { FormReader, readFields } from './multipart.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The most that is read of a body. A route that takes bodies states it. */
    body_limits?: BodyLimits
    /** Set where the body is a form. */
    form?: Operation['body_media_type']
    /** Set where the handler gets the bytes as they came, to check a signature over them. */
    raw_body?: true
  }
}

const JSON_TYPE = 'application/json'
const MULTIPART = 'multipart/form-data'
const FIELDS = 'application/x-www-form-urlencoded'
const TOO_SMALL = 'The body comes in too many small chunks. Send chunks of 256 bytes or more.'

/** What Fastify takes for a media type; it refuses other texts before we see any content. */
const MEDIA_TYPE = /^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+\s*(;.*)?$/

/** Adds the one reader of bodies, for every media type. */
export function acceptBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addHook('preParsing', async (request, reply) => {
    const { headers } = request
    const type = headers['content-type']
    // Without a type an empty body passes, and ours decides about every other one.
    if (type !== undefined && (!sendsBody(request) || !MEDIA_TYPE.test(type))) {
      headers['content-type'] = undefined
    }
    if (!isWaiting(request)) return
    checkAnnounced(request)
    toldToSend.add(request.raw)
    reply.raw.writeContinue()
  })
  leaveRooms(app)
  endHeldBodies(app)
  app.addContentTypeParser('*', (request: FastifyRequest, stream: Readable) =>
    readBody(request, stream),
  )
  // A client that waits for a 100 gets it only once its body is about to be read.
  app.server.on('checkContinue', (request, response) => {
    app.server.emit('request', request, response)
  })
}

/** Whether a request announces content: an empty body may still come in pieces. */
export function sendsBody({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
  const length = headers['content-length']
  return headers['transfer-encoding'] !== undefined || (length !== undefined && Number(length) > 0)
}

/** Requests whose senders waited for a 100 and got it. */
const toldToSend = new WeakSet<IncomingMessage>()

/** Whether its sender waits for a 100 before it sends the body. */
export function isWaiting({ headers, raw }: Pick<FastifyRequest, 'headers' | 'raw'>): boolean {
  const waits = headers.expect?.toLowerCase() === '100-continue' && sendsBody({ headers })
  return waits && !toldToSend.has(raw)
}

/** Throws what a body is refused for that was announced and not sent yet. */
function checkAnnounced(request: FastifyRequest): void {
  const { body_limits: limits } = request.routeOptions.config
  const bytes = announced(request)
  if (!limits || bytes === 0) return
  if (bytes > limits.bytes) throw tooLarge(limits)
  checkKind(request)
}

/** Bytes of a body as its sender says; 0 where it does not. */
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
      : await readInRoom(request, () => inReadingTurn(request, () => readJson(bytes, limits)))
  } catch (error) {
    request.large_body?.leave()
    throw error
  }
}

/** Throws `media_type_unsupported` for content of another kind than the operation takes. */
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
  const bytes = new Bytes()
  await take(request, stream, limits, piece => {
    if (bytes.length === 0) checkKind(request)
    bytes.push(piece)
  })
  return bytes.all()
}

/**
 * Hands on the pieces of a body as they arrive; of a large one the rest once there is room. Throws
 * `body_too_large` before more than the limit was read, `body_malformed` for pieces too small,
 * `not_ready` when too much is held already, and what `onPiece` throws; the rest stays unread then.
 */
function take(
  request: FastifyRequest,
  stream: Readable,
  limits: BodyLimits,
  onPiece: (piece: Buffer) => void,
): Promise<void> {
  if (announced(request) > limits.bytes) throw tooLarge(limits)
  refuseCrumbled(stream)
  // The sender may have left while its key was looked up: nothing more happens on the stream then.
  if (stream.destroyed) throw cut()
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const held = holdBody(request, Math.min(announced(request) || LARGE_BYTES, LARGE_BYTES))
  let bytes = 0
  let state: 'small' | 'large' | 'over' = 'small'
  const fail = (error: unknown) => {
    stream.pause()
    reject(error)
  }
  const waitForRoom = async () => {
    stream.pause()
    const entered = await enterRoom(request)
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
      refuseCrumbled(stream)
      if (piece.length > 0) onPiece(piece)
    } catch (error) {
      fail(error)
      return
    }
    if (state !== 'small' || Math.max(bytes, announced(request)) <= LARGE_BYTES) return
    state = 'large'
    waitForRoom().catch(fail)
  }
  const onCut = () => reject(cut())
  const onEnd = () => {
    if (request.held_body) held.settle(bytes)
    resolve()
  }
  stream.on('data', onData).on('end', onEnd).on('error', onCut).on('close', onCut)
  return promise.finally(() => {
    state = 'over'
    stream.off('data', onData).off('end', onEnd).off('error', onCut).off('close', onCut)
    // A later error changes nothing, but would end the process without a listener.
    stream.on('error', () => {})
  })
}

function cut(): ProblemError {
  return problem('header_invalid', 'The body ended before it was complete.')
}

/** Throws for a body of which no more is received: its pieces are too small. */
function refuseCrumbled(stream: Readable): void {
  if (stream instanceof Incoming && stream.is_crumbled) throw problem('body_malformed', TOO_SMALL)
}

function tooLarge(limits: BodyLimits): ProblemError {
  return problem('body_too_large', `Here a body has at most ${describeLimits(limits)}.`)
}
