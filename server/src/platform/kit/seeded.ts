/** Choices that look random and are always the same for the same seed, so that a demo repeats. */
import { assert } from './assert.ts'
import { sha256 } from './crypto.ts'

export type Choices = {
  /** A whole number from 0 to `limit` - 1. */
  below: (limit: number) => number
  /** One of the items. */
  pick: <T>(items: readonly T[]) => T
  /** A text of `length` digits. */
  digits: (length: number) => string
}

/** A row of choices told by `seed`; each call makes the next one. */
export function choicesOf(seed: string): Choices {
  let made = 0
  const below = (limit: number) => {
    assert(limit > 0, 'there is nothing to choose from')
    made += 1
    return Number.parseInt(sha256(`${seed}#${made}`).slice(0, 12), 16) % limit
  }
  return {
    below,
    pick: items => items[below(items.length)]!,
    digits: length => Array.from({ length }, () => below(10)).join(''),
  }
}

// Prime to 2, 3 and 5, and so to every size used below.
const STRIDE = 61_803_401n

/**
 * A number from 0 to `size` - 1, another one for each seed below `size`, in no visible order.
 * `size` must have no prime factors but 2, 3 and 5.
 */
export function shuffled(seed: number, size: number): number {
  assert(Number.isSafeInteger(seed) && seed >= 0, `a seed is a whole number >= 0, not ${seed}`)
  return Number((BigInt(seed) * STRIDE + 27_182_819n) % BigInt(size))
}
