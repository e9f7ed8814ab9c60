/** Identifies the requester of the running work, for everything that the request causes. */
import { AsyncLocalStorage } from 'node:async_hooks'

/** A partner's id, or a purpose shared by all requesters of that kind. */
export type Asker = string

export interface Requester {
  readonly asker: Asker
  /** Aborts when the client has disconnected; null for work that continues regardless. */
  readonly left: AbortSignal | null
}

const requesters = new AsyncLocalStorage<Requester>()

/**
 * Runs work that a caller requested. Its transactions over all partners take the caller's turns, so
 * that callers never queue behind the service's own work (jobs and the business day). Once `left`
 * aborts, work that is still waiting for a turn is dropped.
 */
export function withRequester<T>(asker: Asker, left: AbortSignal | null, work: () => T): T {
  return requesters.run({ asker, left }, work)
}

/** Null for the service's own work. */
export function requester(): Requester | null {
  return requesters.getStore() ?? null
}

/**
 * Runs work whose result other requests may share, so it continues if its requester disconnects.
 */
export function forOthersToo<T>(work: () => T): T {
  const { asker } = requester() ?? {}
  return asker === undefined ? work() : withRequester(asker, null, work)
}
