/** Tracks a body in memory, and releases what is reserved for it. */
import type { Socket } from 'node:net'

/**
 * Releases a body's resources when its connection closes, or earlier when `leave` is called.
 * Fastify does not report the close: an answer to a closed connection neither finishes nor fails.
 * Running work delays the release, because the body is then still in memory.
 */
export class BodyInMemory {
  readonly owner: string
  readonly #socket: Socket | null
  readonly #giveBack: () => void
  #works = 0
  #is_over = false

  /** `socket` is null for requests that the service sends to itself. */
  constructor(owner: string, socket: Socket | null, giveBack: () => void) {
    this.owner = owner
    this.#socket = socket
    this.#giveBack = giveBack
    socket?.once('close', this.leave)
    if (socket?.destroyed) this.leave()
  }

  /** True once the body is no longer needed, for example because the client has disconnected. */
  get is_over(): boolean {
    return this.#is_over
  }

  /** Releases the resources now, or after running work ends. Calling it again has no effect. */
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
