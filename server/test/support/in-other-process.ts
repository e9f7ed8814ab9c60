/** Runs code inside a test's transaction as if from another process, on other connections. */
import { AsyncLocalStorage } from 'node:async_hooks'

const outside = AsyncLocalStorage.snapshot()

/**
 * Runs `work` as another process would at this point. The current transaction holds a connection
 * and may not take a second one, which does not apply to this work.
 */
export function inOtherProcess<T>(work: () => Promise<T>): Promise<T> {
  return outside(work)
}
