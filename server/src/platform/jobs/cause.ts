/** The cause of the running work: the moment when its chain of jobs began. */
import { AsyncLocalStorage } from 'node:async_hooks'

const causes = new AsyncLocalStorage<string>()

/**
 * Runs work whose jobs count as caused at `caused_at`. Timestamps come from the database's clock,
 * because all processes compare them.
 */
export function withCause<T>(caused_at: string, work: () => T): T {
  return causes.run(caused_at, work)
}

/** The cause of the running work; null if the jobs it enqueues are the first of their chains. */
export function causeOfWork(): string | null {
  return causes.getStore() ?? null
}
