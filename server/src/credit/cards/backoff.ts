/** Polls, in real time, until earlier orders at the processor are finished. */

/**
 * Most orders finish at once, so the first poll comes soon. Later polls are rarer, because each
 * takes one of the few database connections.
 */
const FIRST_LOOK_MS = 20
const LOOK_MS_MAX = 500

export interface Backoff {
  /** Waits, about twice as long each time; returns false without waiting once the time is up. */
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
