/** A socket that sends everything written in one tick in a single system call. */
import { Socket } from 'node:net'

/**
 * The driver corks and uncorks the socket around each statement. This keeps it corked until the
 * tick ends, so statements sent together share a packet.
 */
export class TurnSocket extends Socket {
  #held = false

  override cork(): void {
    super.cork()
    if (this.#held) return
    this.#held = true
    super.cork()
    process.nextTick(() => {
      this.#held = false
      this.uncork()
    })
  }
}
