/** How much each owner holds of something scarce, and all owners together. */
import { problem } from './problem.ts'

export interface TallyLimits {
  readonly each: number
  readonly all: number
}

const RETRY_AFTER_SECONDS = 2

export class Tally {
  readonly #limits: TallyLimits
  readonly #held = new Map<string, number>()
  #all = 0

  constructor(limits: TallyLimits) {
    this.#limits = limits
  }

  /**
   * Throws `not_ready` (503 with Retry-After) and `detail` while an owner holds its share, or while
   * everything is held and some of it by this owner. An owner that holds nothing is always served.
   */
  refuseIfFull(owner: string, detail: string): void {
    const held = this.#held.get(owner) ?? 0
    if (held === 0 || (held < this.#limits.each && this.#all < this.#limits.all)) return
    throw problem('not_ready', detail, { retry_after_seconds: RETRY_AFTER_SECONDS })
  }

  add(owner: string, size: number): void {
    this.#held.set(owner, (this.#held.get(owner) ?? 0) + size)
    this.#all += size
  }

  remove(owner: string, size: number): void {
    const left = (this.#held.get(owner) ?? 0) - size
    if (left > 0) this.#held.set(owner, left)
    else this.#held.delete(owner)
    this.#all -= size
  }
}
