/** Logs repeated failures: the first at once, then their number at doubling intervals. */

const REPEAT_MS = 60_000
const AGAIN_MS_MAX = 3_600_000

export interface FailureLog {
  /** Call for each failure. Messages that differ only in their numbers are the same failure. */
  note(message: string, now?: Date): void
  /** Call after a success, so that the next failure is logged at once. */
  end(): void
}

export function createFailureLog(log: (line: string) => void): FailureLog {
  const known = new Map<string, { count: number; next_at: number; wait_ms: number }>()
  return {
    note(message, now: Date = new Date()) {
      const at = now.getTime()
      const key = message.replaceAll(/\d+/g, '#')
      const failure = known.get(key) ?? { count: 0, next_at: at, wait_ms: REPEAT_MS }
      known.set(key, failure)
      failure.count += 1
      if (at < failure.next_at) return
      log(failure.count === 1 ? message : `${message} (${failure.count} times)`)
      failure.next_at = at + failure.wait_ms
      failure.wait_ms = Math.min(failure.wait_ms * 2, AGAIN_MS_MAX)
    },
    end: () => known.clear(),
  }
}
