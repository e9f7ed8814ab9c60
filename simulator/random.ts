/** Random numbers from a seed, so that a failure can be reproduced. */

export interface Random {
  /** From 0 (inclusive) to 1 (exclusive). */
  next(): number
  /** An integer from `min` to `max`, both inclusive. */
  int(min: number, max: number): number
  pick<T>(choices: readonly T[]): T
}

/** Mulberry32, with 32 bits of state: random enough to choose actions. */
export function randomFrom(seed: number): Random {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const int = (min: number, max: number) => min + Math.floor(next() * (max - min + 1))
  return { next, int, pick: choices => choices[int(0, choices.length - 1)]! }
}
