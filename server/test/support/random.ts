/** Repeatable random numbers. */

/** Returns an integer from 0 up to, but not including, `below`. */
export type Random = (below: number) => number

/** A deterministic generator (mulberry32): the same seed gives the same numbers. */
export function randomOf(seed: number): Random {
  let state = seed
  return below => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) % below
  }
}
