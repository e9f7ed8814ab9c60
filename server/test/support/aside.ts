/** What a test does within a transaction in the place of somebody else, on other connections. */
import { AsyncLocalStorage } from 'node:async_hooks'

const outside = AsyncLocalStorage.snapshot()

/**
 * Runs `work` as another process would at this moment. The transaction at hand holds a connection
 * and is refused a second one; this is none of its work.
 */
export function aside<T>(work: () => Promise<T>): Promise<T> {
  return outside(work)
}
