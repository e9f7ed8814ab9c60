/**
 * Large bodies: few are in memory at a time, and few are worked on. A body counts as large by the
 * bytes that have come, or that were announced. Before more of it is received it waits for room,
 * which it keeps until its request has been handled. Checking and storing it takes a turn as well,
 * which it does not keep while the service waits for a registry or a document.
 */
import { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { FairTurns } from '../../platform/kit/fair-turns.ts'
import { type ProblemError, problem } from '../../platform/kit/problem.ts'
import { BodyInMemory } from './body-in-memory.ts'
import { ownerOf } from './owner.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The room of a large body; null while it waits for one, and for small bodies. */
    large_body: BodyInMemory | null
  }
}

/** More than this is not received without room for it. */
export const LARGE_BYTES = 256 * 1024
const ROOM_PATIENCE_MS = 20_000

/** A waiting request holds what was received before: about LARGE_BYTES. */
const room = new FairTurns({
  at_once: 8,
  each_at_once: 2,
  each_waiting: 100,
  all_size: 512 * LARGE_BYTES,
  patience_ms: ROOM_PATIENCE_MS,
})

/** Checking and storing keeps the one thread busy. Only bodies that have room wait here. */
const work = new FairTurns({ at_once: 2, each_at_once: 1 })

/** A smaller body takes no turn to be read: that is about one piece of work (`pause`). */
const QUICK_BYTES = 8 * 1024

/**
 * Small bodies are read and checked a few at a time for each owner, however many other owners there
 * are: hundreds from one partner would otherwise stand before everyone else at each pause.
 */
const reading = new FairTurns({ at_once: Infinity, each_at_once: 4 })

/**
 * Waits for room. Throws `not_ready` when too much waits already, or for too long, and
 * `header_invalid` when the sender has left.
 */
export async function enterRoom(request: FastifyRequest): Promise<BodyInMemory> {
  const owner = ownerOf(request)
  // What the service sends to itself is part of a body that has its room.
  if (!(request.raw instanceof IncomingMessage)) return new BodyInMemory(owner, null, () => {})
  const { socket } = request.raw
  if (socket.destroyed) throw closed()
  const left = new AbortController()
  const leave = () => left.abort()
  socket.once('close', leave)
  try {
    return new BodyInMemory(owner, socket, await room.take(owner, LARGE_BYTES, left.signal))
  } finally {
    socket.off('close', leave)
  }
}

/** Ends the room of a request that was answered on a connection that goes on. */
export function leaveRooms(app: FastifyInstance): void {
  app.decorateRequest('large_body', null)
  app.addHook('onResponse', async request => request.large_body?.leave())
}

/**
 * Reads what has come of a body. Throws `header_invalid` when its sender has left meanwhile: its
 * memory counts no longer, so nothing more is done with it.
 */
export async function readInRoom<T>(request: FastifyRequest, read: () => Promise<T>): Promise<T> {
  const body = bodyOf(request)
  if (!body) return read()
  const content = await body.during(read)
  if (body.is_over) throw closed()
  return content
}

/** Does the work of a request, after which its body is no longer needed, answered or not. */
export async function withRoom<T>(request: FastifyRequest, work: () => Promise<T>): Promise<T> {
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

function closed(): ProblemError {
  return problem('header_invalid', 'The connection was closed.')
}

/** Does what keeps the thread busy when the body's turn has come; a small one waits for none. */
export function inTurn<T>(
  { large_body }: Pick<FastifyRequest, 'large_body'>,
  busy: () => Promise<T>,
): Promise<T> {
  return large_body ? work.run(large_body.owner, busy) : busy()
}

/** Parses or checks a body in the turn of its owner; only very small ones wait for none. */
export function inReadingTurn<T>(request: FastifyRequest, busy: () => Promise<T>): Promise<T> {
  const { large_body, held_body } = request
  if (large_body || !held_body || held_body.bytes <= QUICK_BYTES) return inTurn(request, busy)
  return reading.run(held_body.owner, busy)
}
