/** Limits how long a caller waits. */
import type { ConnectionPool } from '../../platform/db/connect.ts'
import { type ProblemError, problem } from '../../platform/kit/problem.ts'

/**
 * Returns the result of `work`, or throws `late` after `ms`. The work itself continues; the answer
 * of a write is stored for a repeat with the same Idempotency-Key.
 */
export async function withTimeout<T>(work: Promise<T>, ms: number, late: () => Error): Promise<T> {
  const passed = Promise.withResolvers<never>()
  const timer = setTimeout(() => passed.reject(late()), ms)
  try {
    return await Promise.race([work, passed.promise])
  } finally {
    clearTimeout(timer)
  }
}

/** The problem of a database that did not answer before any work began: a retry is safe. */
export function databaseTimeout(pool: ConnectionPool): ProblemError {
  const wait = { retry_after_seconds: 2 }
  if (pool.waitingCount > 0) return problem('connections_exhausted', undefined, wait)
  return problem('not_ready', 'The database does not answer.', wait)
}
