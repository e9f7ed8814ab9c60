/** Who requested the work that is running, known to everything that the request causes. */
import { AsyncLocalStorage } from 'node:async_hooks'

/** A partner's id, or a purpose shared by all requesters of that kind. */
export type Asker = string

export interface Requester {
  readonly asker: Asker
  /** Aborted when nobody waits for the answer any more; null for work that is done even then. */
  readonly left: AbortSignal | null
}

const requesters = new AsyncLocalStorage<Requester>()

/**
 * Runs work that a caller requested. Its transactions over all partners take the caller's turns, so
 * that callers never queue behind the service's own work (jobs and the business day). Once `left`
 * aborts, what still waits for its turn is given up.
 */
export function withRequester<T>(asker: Asker, left: AbortSignal | null, work: () => T): T {
  return requesters.run({ asker, left }, work)
}

/** Null for the service's own work. */
export function requester(): Requester | null {
  return requesters.getStore() ?? null
}

/** Runs work that others may be waiting for too: it goes on when its requester leaves. */
export function forOthersToo<T>(work: () => T): T {
  const { asker } = requester() ?? {}
  return asker === undefined ? work() : withRequester(asker, null, work)
}
