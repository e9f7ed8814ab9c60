/** Bounds the memory that large unsent answers take per owner, however slowly they are read. */
import { IncomingMessage, type ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Tally } from '../../platform/kit/tally.ts'
import { ownerOf } from './owner.ts'
import { isPublished } from './page.ts'

const MB = 1024 * 1024
/** Smaller answers are sent in one piece and not counted. */
const SLICE_BYTES = 64 * 1024
/** Roughly how much of its file a download holds in memory at a time. */
const STREAM_BYTES = 512 * 1024

const unsent = new Tally({ own: 4 * MB, each: 64 * MB, all: 256 * MB })
const TOO_MUCH = 'Earlier answers have not been read yet. Read them, then send the request again.'

/**
 * Refuses requests of owners with too many unread answers: before execution, and for a GET also
 * when its answer is ready. Requests without a key or session have large answers only for pages and
 * files, so a sign-in is never refused because of others on the same network.
 */
export function limitUnsentAnswers(app: FastifyInstance): void {
  app.addHook('preParsing', (request, _reply, _payload, done) => {
    if (request.caller || request.person) unsent.refuseIfFull(ownerOf(request), TOO_MUCH)
    done()
  })
  app.addHook('onSend', (request, reply, payload, done) => {
    const { raw } = reply
    const bytes = sizeOf(payload)
    // Requests that the service sends to itself have no connection.
    if (bytes <= SLICE_BYTES || !(request.raw instanceof IncomingMessage) || raw.destroyed) {
      done(null, payload)
      return
    }
    // A published text is in memory only once, however many clients are reading it.
    if (!isPublished(payload)) count(request, raw, bytes, payload)
    if (payload instanceof Readable || request.method === 'HEAD') {
      done(null, payload)
      return
    }
    reply.header('content-length', bytes)
    const content = Buffer.isBuffer(payload) ? payload : Buffer.from(String(payload))
    done(null, inSlices(content))
  })
}

/** Throws `not_ready` when the owner of a GET has too many unread answers. */
function count(request: FastifyRequest, raw: ServerResponse, bytes: number, payload: unknown) {
  const owner = ownerOf(request)
  try {
    if (request.method === 'GET') unsent.refuseIfFull(owner, TOO_MUCH)
  } catch (error) {
    if (payload instanceof Readable) payload.destroy()
    throw error
  }
  unsent.add(owner, bytes)
  raw.once('close', () => unsent.remove(owner, bytes))
}

function sizeOf(payload: unknown): number {
  if (typeof payload === 'string') return Buffer.byteLength(payload)
  if (Buffer.isBuffer(payload)) return payload.length
  return payload instanceof Readable ? STREAM_BYTES : 0
}

/** Splits an answer into slices, so that its sending speed can be measured. */
export function inSlices(content: Buffer): Readable {
  return Readable.from(slices(content), { objectMode: false })
}

function* slices(content: Buffer): Generator<Buffer> {
  for (let at = 0; at < content.length; at += SLICE_BYTES) {
    yield content.subarray(at, at + SLICE_BYTES)
  }
}
