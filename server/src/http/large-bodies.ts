/**
 * Large bodies: few are in memory at a time, and few are worked on. A body counts as large by the
 * bytes that have come, or that were announced. Before more of it is received it waits for room,
 * which it keeps until its request is done with. Checking and storing it takes a turn besides,
 * which it does not keep while anybody outside is asked.
 */
import { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { FairTurns } from '../kit/fair-turns.ts'
import { problem } from '../kit/problem.ts'
import { ownerOf } from './owner.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Set once more than a little of a body was received. */
    large_body: LargeBody | null
  }
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

/**
 * A body in its room. The room ends with the connection, whatever the route does, or earlier with
 * the answer or the work. Fastify alone would not tell: an answer to a closed connection neither
 * finishes nor fails. Only work that is under way keeps the room longer, because the body is still
 * in memory.
 */
class LargeBody {
  readonly owner: string
  readonly #socket: Socket | null
  readonly #giveBack: () => void
  #works = 0
  #is_over = false

  /** `socket` is null for a request that we ask ourselves. */
  constructor(owner: string, socket: Socket | null, giveBack: () => void) {
    this.owner = owner
    this.#socket = socket
    this.#giveBack = giveBack
    socket?.once('close', this.leave)
    if (socket?.destroyed) this.leave()
  }

  /** Whether its sender has left, or was answered. */
  get is_over(): boolean {
    return this.#is_over
  }

  /** Gives the room to the next one, at once or after the work; more than once does no harm. */
  readonly leave = (): void => {
    this.#is_over = true
    this.#socket?.off('close', this.leave)
    if (this.#works === 0) this.#giveBack()
  }

  async during<T>(work: () => Promise<T>): Promise<T> {
    this.#works++
    try {
      return await work()
    } finally {
      this.#works--
      if (this.#is_over) this.leave()
    }
  }
}

/** Waits for room. Throws `not_ready` when too much waits already, or for too long. */
export async function enterRoom(request: FastifyRequest): Promise<LargeBody> {
  const owner = ownerOf(request)
  // What we ask ourselves is a part of a body that has its room.
  if (!(request.raw instanceof IncomingMessage)) return new LargeBody(owner, null, () => {})
  const { socket } = request.raw
  const left = new AbortController()
  const leave = () => left.abort()
  socket.once('close', leave)
  try {
    return new LargeBody(owner, socket, await room.take(owner, LARGE_BYTES, left.signal))
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
 * room is free again, so nothing more is done with it.
 */
export async function readInRoom<T>(
  { large_body }: FastifyRequest,
  read: () => Promise<T>,
): Promise<T> {
  if (!large_body) return read()
  const content = await large_body.during(read)
  if (large_body.is_over) throw problem('header_invalid', 'The connection was closed.')
  return content
}

/** Does the work of a request, after which its body is needed no more, answered or not. */
export async function withRoom<T>(request: FastifyRequest, work: () => Promise<T>): Promise<T> {
  const { large_body } = request
  if (!large_body) return work()
  try {
    return await large_body.during(work)
  } finally {
    large_body.leave()
  }
}

/** Does what keeps the thread busy when the body's turn has come; a small one waits for none. */
export function inTurn<T>(
  { large_body }: Pick<FastifyRequest, 'large_body'>,
  busy: () => Promise<T>,
): Promise<T> {
  return large_body ? work.run(large_body.owner, busy) : busy()
}
