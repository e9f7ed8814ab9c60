/** Pseudo-random choices that are the same for the same seed, so that a demo is reproducible. */
import { assert } from './assert.ts'
import { sha256 } from './crypto.ts'

export type SeededRandom = {
  /** An integer from 0 to `limit` - 1. */
  below: (limit: number) => number
  pick: <T>(items: readonly T[]) => T
  digits: (length: number) => string
}

/** A sequence of choices determined by `seed`; each call draws the next one. */
export function seededRandom(seed: string): SeededRandom {
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

// Coprime to 2, 3 and 5, and so to every size allowed below.
const STRIDE = 61_803_401n

/**
 * A number from 0 to `size` - 1, different for each seed below `size`, in no apparent order. `size`
 * must have no prime factors other than 2, 3 and 5.
 */
export function shuffled(seed: number, size: number): number {
  assert(Number.isSafeInteger(seed) && seed >= 0, `a seed is a whole number >= 0, not ${seed}`)
  return Number((BigInt(seed) * STRIDE + 27_182_819n) % BigInt(size))
}
