/**
 * Turns at checking passwords. A hash takes tens of milliseconds of a core, on threads that also
 * read files for everybody, and anyone may ask for one.
 */
import { FairTurns } from '../kit/fair-turns.ts'

/** How long a sign-in waits for its turn before it is refused with a 503. */
const PATIENCE_MS = 3_000
/** Waiting sign-ins of one network or operator. */
const EACH_WAITING = 10
/** Waiting sign-ins of all networks: together about a second of work. */
const ALL_WAITING = 40

const LIMITS = { at_once: 1, each_waiting: EACH_WAITING, patience_ms: PATIENCE_MS }

/** Operators at a browser in which they have signed in before, or in a session. */
const ofOperators = new FairTurns(LIMITS)
const ofNetworks = new FairTurns({ ...LIMITS, all_size: ALL_WAITING })

/** Who signs in: an operator that the browser's cookie proves, else only a network is known. */
export type Visitor = { readonly operator_id: string } | { readonly network: string }

/**
 * Runs `work`, which checks a password. Operators have a line of their own, so no number of
 * networks delays them. Throws `not_ready` (503 with Retry-After) when too many wait already.
 */
export function inPasswordTurn<T>(visitor: Visitor, work: () => Promise<T>): Promise<T> {
  if ('operator_id' in visitor) return ofOperators.run(visitor.operator_id, work)
  return ofNetworks.run(visitor.network, work, 1)
}
