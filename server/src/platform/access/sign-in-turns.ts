/**
 * Limits concurrent password checks. A hash takes tens of milliseconds of CPU on the threads that
 * also read files, and anyone can request one.
 */
import { FairTurns } from '../kit/fair-turns.ts'

/** How long a sign-in waits for its turn before it is refused with a 503. */
const PATIENCE_MS = 3_000
const EACH_WAITING = 10
/** Maximum number of waiting sign-ins across all networks: about a second of work. */
const ALL_WAITING = 40

const LIMITS = { at_once: 1, each_waiting: EACH_WAITING, patience_ms: PATIENCE_MS }

const ofOperators = new FairTurns(LIMITS)
const ofNetworks = new FairTurns({ ...LIMITS, all_size: ALL_WAITING })

/** The operator, if a cookie or session identifies one; otherwise the network. */
export type SignInSource = { readonly operator_id: string } | { readonly network: string }

/**
 * Runs `work`, which checks a password. Known operators have their own queue, so no number of
 * networks can delay them. Throws `not_ready` (503 with Retry-After) when too many are waiting or
 * no turn comes in time.
 */
export function withPasswordSlot<T>(visitor: SignInSource, work: () => Promise<T>): Promise<T> {
  if ('operator_id' in visitor) return ofOperators.run(visitor.operator_id, work)
  return ofNetworks.run(visitor.network, work, { size: 1 })
}
