/**
 * Shares connections fairly between transactions: each partner, each purpose and the service's own
 * work take turns, none with more than half of the connections.
 */
import { FairTurns } from '../kit/fair-turns.ts'
import { perObject } from '../kit/per-object.ts'
import { requester } from '../kit/requester.ts'
import { CONNECTION_WAIT_MS, type ConnectionPool, POOL_MAX } from './connect.ts'
import { NoConnectionError } from './unavailable.ts'

/** Purposes that have their own turns, in place of the partners' or the requester's. */
export type Purpose =
  /** Card authorizations, for which merchants are waiting, and card events. */
  | 'card'
  /** Lookups of session cookies, valid or not. */
  | 'session'
  /** Unauthenticated requests: sign-ins, documents by signed address, onboardings. */
  | 'visitor'
  /** Operators signing in from a browser in which they have signed in before. */
  | 'returning'
  | 'desk'
  /** Reports, which may read the whole database. */
  | 'report'

/** Who causes a change: the id of a caller or operator, or the name of what acts automatically. */
export type Actor = string

/** What a transaction may see, and who acts in it unless it only reads. */
export type Scope = {
  /** Ids of the partners whose rows are visible, or '*' for all. */
  readonly partners: readonly string[] | '*'
  readonly read_only?: boolean
  /** Read-only, and all its statements see the same snapshot. */
  readonly snapshot?: boolean
  /** Overrides whose turn the transaction takes: by default its partners' or the requester's. */
  readonly purpose?: Purpose
} & (
  | { readonly read_only: true }
  | { readonly snapshot: true }
  /** Null if the transaction serves several callers, so that each change names its own (`as`). */
  | { readonly actor: Actor | null }
)

/** Maximum number of connections for purposes that get less than half of them. */
const EACH_AT_ONCE: Partial<Record<string, number>> = { report: 2, visitor: 3, returning: 3 }

/**
 * The part of the timeout that may pass before the turn comes. The rest is for obtaining the
 * connection.
 */
const TURN_SHARE = 7 / 8

const turnsOf = perObject((pool: ConnectionPool) => {
  const patience_ms = patienceOf(pool) * TURN_SHARE
  return new FairTurns({
    at_once: POOL_MAX,
    each_at_once: owner => EACH_AT_ONCE[owner] ?? POOL_MAX / 2,
    patience_ms,
    tooLate: () => new NoConnectionError('exhausted', `no turn came within ${patience_ms} ms`),
  })
})

function ownerOf(scope: Scope): string {
  if (scope.purpose) return scope.purpose
  return (scope.partners === '*' ? requester()?.owner : null) ?? partnersOf(scope)
}

/** The value of the setting `headroom.partners`. */
export function partnersOf({ partners }: Scope): string {
  return partners === '*' ? partners : partners.join()
}

const REPORT_PATIENCE_MS = 30_000
const REPORTS_WAITING_MAX = 20

/** Reports queue among themselves before they ask for a connection, with a longer timeout. */
const reportTurnsOf = perObject(
  (_: ConnectionPool) =>
    new FairTurns({
      at_once: EACH_AT_ONCE.report!,
      each_waiting: REPORTS_WAITING_MAX,
      patience_ms: REPORT_PATIENCE_MS,
    }),
)

/** Waits for a turn and passes on the time left for the connection, under one deadline. */
export function inTurn<T>(
  pool: ConnectionPool,
  scope: Scope,
  attempt: (patience_ms: number) => Promise<T>,
): Promise<T> {
  const signal = requester()?.signal
  const atConnections = () => {
    const patience_ms = patienceOf(pool)
    const deadline = performance.now() + patience_ms
    // A late timer must not use up the time reserved for the connection.
    const rest = () => Math.max(deadline - performance.now(), patience_ms * (1 - TURN_SHARE))
    return turnsOf(pool).run(ownerOf(scope), () => attempt(rest()), { signal })
  }
  if (scope.purpose !== 'report') return atConnections()
  return reportTurnsOf(pool).run(partnersOf(scope), atConnections, { signal })
}

function patienceOf({ options }: ConnectionPool): number {
  return options.connectionTimeoutMillis ?? CONNECTION_WAIT_MS
}
