/** Waiting, in real time, until others have had their turn at the processor. */

/** It mostly answers at once; every look takes one of the database's few connections. */
const FIRST_LOOK_MS = 20
const LOOK_MS_MAX = 500

export interface Patience {
  /** Waits a moment, each time twice as long; false once it has waited long enough. */
  again(): Promise<boolean>
}

export function patienceOf(ms: number): Patience {
  const until = Date.now() + ms
  let pause = FIRST_LOOK_MS
  return {
    again: async () => {
      if (Date.now() > until) return false
      await new Promise(resolve => setTimeout(resolve, pause))
      pause = Math.min(2 * pause, LOOK_MS_MAX)
      return true
    },
  }
}
