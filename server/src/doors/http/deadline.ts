/** How long a caller is kept waiting. */
import type { ConnectionPool } from '../../platform/db/connect.ts'
import { type ProblemError, problem } from '../../platform/kit/problem.ts'

/**
 * What `work` answers, unless that takes longer than `ms`: then `late` is thrown, by default
 * `timed_out`. The work goes on, and its answer is kept for a repeat with the same Idempotency-Key.
 */
export async function inTime<T>(
  work: Promise<T>,
  ms: number,
  late: () => Error = () => problem('timed_out'),
): Promise<T> {
  const passed = Promise.withResolvers<never>()
  const timer = setTimeout(() => passed.reject(late()), ms)
  try {
    return await Promise.race([work, passed.promise])
  } finally {
    clearTimeout(timer)
  }
}

/** Why a database did not answer in time, where nothing was begun: the caller may come again. */
export function unanswered(pool: ConnectionPool): ProblemError {
  const wait = { retry_after_seconds: 2 }
  if (pool.waitingCount > 0) return problem('connections_exhausted', undefined, wait)
  return problem('not_ready', 'The database does not answer.', wait)
}
