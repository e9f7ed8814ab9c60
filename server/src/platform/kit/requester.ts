/** Identifies the requester of the running work, for everything that the request causes. */
import { AsyncLocalStorage } from 'node:async_hooks'

export interface Requester {
  /** Whose turns the work takes: a partner's id, or a purpose such as `desk` or `visitor`. */
  readonly owner: string
  /**
   * Aborts when the response is no longer needed, because the client has disconnected or received a
   * 504. Null for work that continues regardless.
   */
  readonly signal: AbortSignal | null
  /**
   * Aborts when the client gets a 504. Work that has not begun by then never begins, even if it
   * would otherwise continue.
   */
  readonly late: AbortSignal | null
  /**
   * Aborts when the client has disconnected or received a 504, even if the work continues. Costly
   * work that has changed nothing yet then stops.
   */
  readonly left: AbortSignal | null
}

const requesters = new AsyncLocalStorage<Requester>()

/**
 * Runs work that a caller requested. Its transactions over all partners take the caller's turns, so
 * that callers never queue behind the service's own work (jobs and the business day). Once `signal`
 * aborts, work that is still waiting for a turn is dropped.
 */
export function withRequester<T>(
  owner: string,
  signal: AbortSignal | null,
  work: () => T,
  { late = null, left = signal }: Partial<Pick<Requester, 'late' | 'left'>> = {},
): T {
  return requesters.run({ owner, signal, late, left }, work)
}

/** The requester of the running work; null for the service's own work. */
export function requester(): Requester | null {
  return requesters.getStore() ?? null
}

/** Runs work that continues even if the requester disconnects: others may share its result. */
export function inAnyCase<T>(work: () => T): T {
  const { owner } = requester() ?? {}
  return owner === undefined ? work() : withRequester(owner, null, work)
}
