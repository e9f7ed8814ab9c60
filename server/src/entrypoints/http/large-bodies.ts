/**
 * Limits how many large bodies are in memory and being processed. A body counts as large by the
 * bytes received or announced. Before more of it is received, it waits for room, which it holds
 * until its request is handled. Checking and storing it also takes a turn, which is released while
 * the service waits for a registry or a document.
 */
import { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { FairTurns } from '../../platform/kit/fair-turns.ts'
import { requester } from '../../platform/kit/requester.ts'
import { disconnected, whileConnected } from './abandon-reads.ts'
import { BodyInMemory } from './body-in-memory.ts'
import { ownerOf } from './owner.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The room of a large body; null while it waits for room, and for small bodies. */
    large_body: BodyInMemory | null
  }
}

/** A body above this size waits for room before the rest of it is received. */
export const LARGE_BYTES = 256 * 1024
const ROOM_PATIENCE_MS = 20_000

/** A waiting request already holds up to LARGE_BYTES in memory, so its size counts. */
const room = new FairTurns({
  at_once: 8,
  each_at_once: 2,
  each_waiting: 100,
  all_size: 512 * LARGE_BYTES,
  patience_ms: ROOM_PATIENCE_MS,
})

/** Checking and storing occupies the single thread. Bodies wait here only once they have `room`. */
const work = new FairTurns({ at_once: 2, each_at_once: 1 })

/** Smaller bodies wait for no turn, because each is read without yielding (`kit/pauses.ts`). */
const QUICK_BYTES = 8 * 1024

/**
 * Each owner's small bodies are read and checked a few at a time, regardless of other owners.
 * Otherwise hundreds from one partner would come before everyone else's at each pause.
 */
const reading = new FairTurns({ at_once: Infinity, each_at_once: 4 })

/**
 * Waits for room. Throws `not_ready` when too many are waiting or the wait is too long, and
 * `body_malformed` when the client has disconnected.
 */
export async function admitBody(request: FastifyRequest): Promise<BodyInMemory> {
  const owner = ownerOf(request)
  // A request the service sends to itself is part of a body that already has room.
  if (!(request.raw instanceof IncomingMessage)) return new BodyInMemory(owner, null, () => {})
  const { socket } = request.raw
  return whileConnected(request, async ({ signal }) => {
    const leave = await room.take(owner, { size: LARGE_BYTES, signal })
    return new BodyInMemory(owner, socket, leave)
  })
}

/** Releases a body's room once its request is answered, since the connection may stay open. */
export function releaseBodies(app: FastifyInstance): void {
  app.decorateRequest('large_body', null)
  app.addHook('onResponse', async request => request.large_body?.leave())
}

/**
 * Reads a received body. Throws `body_malformed` if the client disconnected meanwhile: the body's
 * memory is no longer counted, so processing must stop.
 */
export async function readAdmittedBody<T>(
  request: FastifyRequest,
  read: () => Promise<T>,
): Promise<T> {
  const body = bodyOf(request)
  if (!body) return read()
  const content = await body.during(read)
  if (body.is_over) throw disconnected()
  return content
}

/** Runs the work of a request and then releases its body, whether or not it was answered. */
export async function withAdmittedBody<T>(
  request: FastifyRequest,
  work: () => Promise<T>,
): Promise<T> {
  const body = bodyOf(request)
  if (!body) return work()
  try {
    return await body.during(work)
  } finally {
    body.leave()
  }
}

function bodyOf({ large_body, held_body }: FastifyRequest): BodyInMemory | null {
  return large_body ?? held_body
}

/** Runs CPU-bound work in the body's turn; small bodies do not wait. */
export function inTurn<T>(
  { large_body }: Pick<FastifyRequest, 'large_body'>,
  busy: () => Promise<T>,
): Promise<T> {
  return large_body ? work.run(large_body.owner, busy) : busy()
}

/**
 * Parses or checks a body in its owner's turn; very small bodies do not wait. Throws `timed_out` if
 * the request was answered with 504 before its turn, so that no work begins.
 */
export function inReadingTurn<T>(
  { large_body, held_body }: Pick<FastifyRequest, 'large_body' | 'held_body'>,
  busy: () => Promise<T>,
): Promise<T> {
  const signal = requester()?.late
  if (large_body) return work.run(large_body.owner, busy, { signal })
  if (!held_body || held_body.bytes <= QUICK_BYTES) return busy()
  return reading.run(held_body.owner, busy, { signal })
}
