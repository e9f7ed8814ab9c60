/**
 * Pauses between polls, in real time, while a card's earlier orders at the processor are pending.
 */

/**
 * Short, because most orders finish quickly. Later polls are rarer, because each takes one of the
 * few database connections.
 */
const FIRST_POLL_MS = 20
const POLL_MS_MAX = 500

export interface Backoff {
  /**
   * Waits, twice as long each time up to `POLL_MS_MAX`. Once the time is up, returns false without
   * waiting.
   */
  again(): Promise<boolean>
}

export function backoffFor(ms: number): Backoff {
  const until = Date.now() + ms
  let pause = FIRST_POLL_MS
  return {
    again: async () => {
      if (Date.now() > until) return false
      await new Promise(resolve => setTimeout(resolve, pause))
      pause = Math.min(2 * pause, POLL_MS_MAX)
      return true
    },
  }
}
