/**
 * Whose turn at the connections a transaction takes. Each partner, each purpose and the service's
 * own work take turns, none at more than half of the connections.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { FairTurns } from '../kit/fair-turns.ts'
import { type ConnectionPool, PATIENCE_MS, POOL_MAX } from './connect.ts'
import { NoConnectionError } from './unavailable.ts'

/** What a transaction over all partners is opened for, where a turn of its own is wanted. */
export type Purpose =
  /** Authorisations and news of cards, for which a merchant waits. */
  | 'card'
  /** Looking up the sessions of cookies, valid or not. */
  | 'session'
  /** Whoever shows no key and no session: signing in, documents by their address, onboardings. */
  | 'visitor'
  /** Operators who sign in from a browser in which they have signed in before. */
  | 'returning'
  /** People who have signed in. */
  | 'desk'
  /** Reports, which may read everything there is. */
  | 'report'

export interface Scope {
  /** Ids of the partners whose rows may be seen, or '*' for all. */
  readonly partners: readonly string[] | '*'
  readonly read_only?: boolean
  /** Reads everything as of one moment, writing nothing. */
  readonly snapshot?: boolean
  /** Whose turn it takes instead of that of its partners, or of whoever asks. */
  readonly purpose?: Purpose
}

/** A partner's id, or what everybody of that kind shares. */
export type Asker = string

const askers = new AsyncLocalStorage<Asker>()

/**
 * Runs what somebody has asked for: its transactions over all partners take the asker's turns. So
 * nobody who waits for an answer waits for the service's own work, which are jobs and the day.
 */
export function inTurnsOf<T>(asker: Asker, work: () => T): T {
  return askers.run(asker, work)
}

const turns = new WeakMap<ConnectionPool, FairTurns>()
/** Connections of a purpose at once: a report holds its own for as long as it reads. */
const EACH_AT_ONCE: Partial<Record<string, number>> = { report: 2, visitor: 3, returning: 3 }

/** The share of one's patience that may go by before the turn: the rest is for the connection. */
const FOR_TURN = 7 / 8

function turnsOf(pool: ConnectionPool): FairTurns {
  const patience_ms = patienceOf(pool) * FOR_TURN
  const known =
    turns.get(pool) ??
    new FairTurns({
      at_once: POOL_MAX,
      each_at_once: owner => EACH_AT_ONCE[owner] ?? POOL_MAX / 2,
      patience_ms,
      tooLate: () => new NoConnectionError('exhausted', `no turn came within ${patience_ms} ms`),
    })
  turns.set(pool, known)
  return known
}

function ownerOf(scope: Scope): string {
  if (scope.purpose) return scope.purpose
  return (scope.partners === '*' ? askers.getStore() : null) ?? partnersOf(scope)
}

/** As `headroom.partners` names them. */
export function partnersOf({ partners }: Scope): string {
  return partners === '*' ? partners : partners.join()
}

/** Reports wait for each other before they ask for a connection, and longer than others for one. */
const reportTurns = new WeakMap<ConnectionPool, FairTurns>()
const REPORT_PATIENCE_MS = 30_000
const REPORTS_WAITING_MAX = 20

function reportTurnsOf(pool: ConnectionPool): FairTurns {
  const known =
    reportTurns.get(pool) ??
    new FairTurns({
      at_once: EACH_AT_ONCE.report!,
      each_waiting: REPORTS_WAITING_MAX,
      patience_ms: REPORT_PATIENCE_MS,
    })
  reportTurns.set(pool, known)
  return known
}

/** Waits for a turn and tells what is left for the connection: both have one deadline. */
export function inTurn<T>(
  pool: ConnectionPool,
  scope: Scope,
  attempt: (patience_ms: number) => Promise<T>,
): Promise<T> {
  const atConnections = () => {
    const patience_ms = patienceOf(pool)
    const deadline = performance.now() + patience_ms
    // A timer that is late by itself takes nothing from the share of the connection.
    const rest = () => Math.max(deadline - performance.now(), patience_ms * (1 - FOR_TURN))
    return turnsOf(pool).run(ownerOf(scope), () => attempt(rest()))
  }
  if (scope.purpose !== 'report') return atConnections()
  return reportTurnsOf(pool).run(partnersOf(scope), atConnections)
}

function patienceOf({ options }: ConnectionPool): number {
  return options.connectionTimeoutMillis ?? PATIENCE_MS
}
