/**
 * Bounds the memory that small request bodies take per owner, from their first byte until the
 * answer, however slowly they are sent. Large bodies are limited separately (`large-bodies.ts`).
 */
import { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Tally } from '../../platform/kit/tally.ts'
import { BodyInMemory } from './body-in-memory.ts'
import { ownerOf } from './owner.ts'

declare module 'fastify' {
  interface FastifyRequest {
    held_body: HeldBody | null
  }
}

const KB = 1024
const MB = 1024 * KB
const held = new Tally({ own: 256 * KB, each: 32 * MB, all: 128 * MB })
const TOO_MUCH =
  'Too many requests with a body are not answered yet. Wait for some, then send this one again.'

/** The share of the tally that one body takes. */
class Share {
  readonly #owner: string
  #bytes = 0

  constructor(owner: string, bytes: number) {
    this.#owner = owner
    this.change(bytes)
  }

  change(bytes: number): void {
    held.remove(this.#owner, this.#bytes)
    held.add(this.#owner, bytes)
    this.#bytes = bytes
  }
}

class HeldBody extends BodyInMemory {
  readonly #share: Share | null
  /** Bytes received; zero until the body is complete. */
  bytes = 0

  /**
   * A request that the service sends to itself takes no share, because its body is part of the body
   * of the request that caused it.
   */
  constructor(request: FastifyRequest, bytes: number) {
    const owner = ownerOf(request)
    const socket = request.raw instanceof IncomingMessage ? request.raw.socket : null
    const share = socket && new Share(owner, bytes)
    super(owner, socket, () => share?.change(0))
    this.#share = share
  }

  settle(bytes: number): void {
    this.bytes = bytes
    if (!this.is_over) this.#share?.change(bytes)
  }
}

/**
 * Counts a body of up to `bytes` before it is received. Throws `not_ready` when too many are held.
 * An admitted body is then received in full.
 */
export function holdBody(request: FastifyRequest, bytes: number): HeldBody {
  if (request.raw instanceof IncomingMessage) held.refuseIfFull(ownerOf(request), TOO_MUCH)
  request.held_body = new HeldBody(request, bytes)
  return request.held_body
}

/** Releases each request's share once its answer is ready. */
export function endHeldBodies(app: FastifyInstance): void {
  app.decorateRequest('held_body', null)
  app.addHook('onSend', async request => request.held_body?.leave())
}
