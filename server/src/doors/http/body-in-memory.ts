/** A body in memory: what it takes of something scarce, and when that is given back. */
import type { Socket } from 'node:net'

/**
 * Gives back what a body takes when its connection closes, whatever the route does, or earlier with
 * the answer or the work. Fastify alone does not report this: an answer to a closed connection
 * neither finishes nor fails. Only work under way delays it: the body is still in memory then.
 */
export class BodyInMemory {
  readonly owner: string
  readonly #socket: Socket | null
  readonly #giveBack: () => void
  #works = 0
  #is_over = false

  /** `socket` is null for a request that the service sends to itself. */
  constructor(owner: string, socket: Socket | null, giveBack: () => void) {
    this.owner = owner
    this.#socket = socket
    this.#giveBack = giveBack
    socket?.once('close', this.leave)
    if (socket?.destroyed) this.leave()
  }

  /** True once the sender has left or has its answer. */
  get is_over(): boolean {
    return this.#is_over
  }

  /** Gives back at once or after the work. Calling it again has no effect. */
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
