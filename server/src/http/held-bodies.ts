/**
 * Small bodies, from their first byte until their request is answered: each owner's fill a bounded
 * part of memory, however slowly they are sent. Large ones have room of their own
 * (`large-bodies.ts`).
 */
import { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Tally } from '../kit/tally.ts'
import { ownerOf } from './owner.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Set while a body is in memory that has no room of its own. */
    held_body: HeldBody | null
  }
}

const KB = 1024
const MB = 1024 * KB
const held = new Tally({ own: 256 * KB, each: 32 * MB, all: 128 * MB })
const TOO_MUCH =
  'Too many requests with a body are not answered yet. Wait for some, then send this one again.'

class HeldBody {
  readonly #request: FastifyRequest
  readonly #owner: string
  #bytes: number

  constructor(request: FastifyRequest, bytes: number) {
    this.#request = request
    this.#owner = ownerOf(request)
    this.#bytes = bytes
    held.add(this.#owner, bytes)
    if (request.raw instanceof IncomingMessage) request.raw.socket.once('close', this.end)
  }

  /** Counts what has arrived in place of what was expected. */
  settle(bytes: number): void {
    held.remove(this.#owner, this.#bytes)
    held.add(this.#owner, bytes)
    this.#bytes = bytes
  }

  /** Once it was given up, was answered, or has room of its own; more than once does no harm. */
  readonly end = (): void => {
    held.remove(this.#owner, this.#bytes)
    this.#bytes = 0
    this.#request.held_body = null
    if (this.#request.raw instanceof IncomingMessage) {
      this.#request.raw.socket.off('close', this.end)
    }
  }
}

/**
 * Counts a body of up to `bytes` before any of it is kept. Throws `not_ready` when its owner has
 * too much of this kind already: what was admitted is received to its end.
 */
export function holdBody(request: FastifyRequest, bytes: number): HeldBody {
  held.refuseIfFull(ownerOf(request), TOO_MUCH)
  request.held_body = new HeldBody(request, bytes)
  return request.held_body
}

/** Ends what is held of each request once its answer is ready. */
export function endHeldBodies(app: FastifyInstance): void {
  app.decorateRequest('held_body', null)
  app.addHook('onSend', async request => request.held_body?.end())
}
