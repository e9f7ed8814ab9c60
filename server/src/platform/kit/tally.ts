/** Tracks how much of a scarce resource each owner holds, and how much all owners hold together. */
import { problem } from './problem.ts'

/** Limits in the unit being counted, usually bytes. */
export interface TallyLimits {
  /** Guaranteed to every owner, however much others hold. */
  readonly own: number
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
   * Throws `not_ready` (503 with Retry-After), with `detail`, when the owner has reached its limit,
   * or when all owners together have reached theirs and this one holds its guaranteed minimum.
   */
  refuseIfFull(owner: string, detail: string): void {
    const { own, each, all } = this.#limits
    const held = this.#held.get(owner) ?? 0
    if (held < own || (held < each && this.#all < all)) return
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
