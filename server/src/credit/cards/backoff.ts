/** Waits, in real time, for earlier orders at the processor. */

/** The processor mostly answers at once; each look takes one of the few database connections. */
const FIRST_LOOK_MS = 20
const LOOK_MS_MAX = 500

export interface Backoff {
  /** Waits a moment, twice as long each time; returns false once its time is up. */
  again(): Promise<boolean>
}

export function backoffFor(ms: number): Backoff {
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
