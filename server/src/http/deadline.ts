/** How long a caller is kept waiting. */
import { problem } from '../kit/problem.ts'

/**
 * What `work` answers, unless that takes longer than `ms`: then `timed_out` is thrown. The work
 * goes on, and its answer is kept for a repeat with the same Idempotency-Key.
 */
export async function inTime<T>(work: Promise<T>, ms: number): Promise<T> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(problem('timed_out')), ms)
  try {
    return await Promise.race([work, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
