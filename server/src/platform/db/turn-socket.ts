/** A socket that sends what one turn of the process writes at once: a system call, not many. */
import { Socket } from 'node:net'

/**
 * The driver corks and uncorks the socket around each statement. Statements that are sent together
 * share a packet by holding it back until the turn that wrote them has ended.
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
