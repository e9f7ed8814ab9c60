/**
 * Large bodies: few are in memory at a time, and few are worked on. A body counts as large by the
 * bytes that have come, or that were announced. Before more of it is received it waits for room,
 * which it keeps until its request is done with. Checking and storing it takes a turn besides,
 * which it does not keep while anybody outside is asked.
 */
import { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { networkOf } from '../access/index.ts'
import { FairTurns } from '../kit/fair-turns.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Set once more than a little of a body was received. */
    large_body: LargeBody | null
  }
}

export interface LargeBody {
  readonly owner: string
  /** Gives its room to the next one; more than once does no harm. */
  leave(): void
}

/** More than this is not received without room for it. */
export const LARGE_BYTES = 256 * 1024
const ROOM_PATIENCE_MS = 20_000

/** Who waits holds what was received before: about LARGE_BYTES each. */
const room = new FairTurns({
  ...{ at_once: 8, each_at_once: 2 },
  ...{ each_waiting: 100, all_size: 512 * LARGE_BYTES },
  patience_ms: ROOM_PATIENCE_MS,
})

/** Checking and storing keeps the one thread busy. Nobody waits here who has no room. */
const work = new FairTurns({ at_once: 2, each_at_once: 1 })

/** Waits for room. Throws `not_ready` when too much waits already, or for too long. */
export async function enterRoom(request: FastifyRequest): Promise<LargeBody> {
  const owner = request.caller?.partner_id ?? request.person?.operator_id ?? networkOf(request.ip)
  // What we ask ourselves is a part of a body that has its room.
  const isOwn = !(request.raw instanceof IncomingMessage)
  return { owner, leave: isOwn ? () => {} : await room.take(owner, LARGE_BYTES) }
}

/** Whatever becomes of a request, its room is not kept for longer. */
export function leaveRooms(app: FastifyInstance): void {
  app.decorateRequest('large_body', null)
  app.addHook('onResponse', async request => request.large_body?.leave())
}

/** Does the work of a request, after which its body is needed no more, answered or not. */
export async function withRoom<T>(request: FastifyRequest, work: () => Promise<T>): Promise<T> {
  const { large_body } = request
  // The answer may come first: then the work is what still holds the body.
  request.large_body = large_body && { ...large_body, leave: () => {} }
  try {
    return await work()
  } finally {
    large_body?.leave()
  }
}

/** Does what keeps the thread busy when the body's turn has come; a small one waits for none. */
export function inTurn<T>(
  { large_body }: Pick<FastifyRequest, 'large_body'>,
  busy: () => Promise<T>,
): Promise<T> {
  return large_body ? work.run(large_body.owner, busy) : busy()
}
