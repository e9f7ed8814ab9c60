/** Runs code during a test's transaction as if in another process, on other connections. */
import { AsyncLocalStorage } from 'node:async_hooks'

const outside = AsyncLocalStorage.snapshot()

/**
 * Runs `work` outside the current transaction. Code inside a transaction may not take a second
 * connection; `work` may take its own.
 */
export function inOtherProcess<T>(work: () => Promise<T>): Promise<T> {
  return outside(work)
}
