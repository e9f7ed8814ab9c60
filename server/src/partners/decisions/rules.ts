/** Rules for using and reviewing decisions, and for their expiry. Pure. */
import type { Decision, Version } from '@headroom/contract'
import type { Caller } from '../../platform/access/caller.ts'
import { type ProblemError, problem } from '../../platform/kit/problem.ts'

/** How many equal failures of a caller per hour are stored individually. */
export const SINGLES_MAX = 20

const OPEN_DAYS = 7
const DAY_MS = 86_400_000

/** The state of a decision when a request uses it. */
export interface DecisionState {
  readonly id: string
  readonly status: Decision['status']
  readonly proposer_id: string
  /** The version in which its operations were proposed, which decides what they mean. */
  readonly version: Version
  readonly expires_at: Date
}

/** Exactly seven days after the proposal, in business time. */
export function expiryOf(proposed_at: Date): Date {
  return new Date(proposed_at.getTime() + OPEN_DAYS * DAY_MS)
}

/**
 * The status at a given time: an open decision is EXPIRED from its expiry on, even before that is
 * recorded.
 */
export function statusAt(
  { status, expires_at }: Pick<DecisionState, 'status' | 'expires_at'>,
  now: Date,
) {
  const open = status === 'PROPOSED' || status === 'APPROVED'
  return open && expires_at <= now ? 'EXPIRED' : status
}

/** Why this caller may not use the decision, whatever its status; null if it may. */
export function refusedIdentity(state: DecisionState, caller: Caller): ProblemError | null {
  if (!caller.scopes.has('decisions:propose')) return problem('proposer_unrecognised')
  if (state.proposer_id === caller.caller_id) return null
  return problem('proposer_mismatched', `Decision ${state.id} was proposed by another caller.`)
}

/**
 * Why the status forbids execution, or null. Allows EXECUTED, because `matchStep` then says which
 * step was executed.
 */
export function refusedStatus(state: DecisionState, now: Date): ProblemError | null {
  const status = statusAt(state, now)
  if (status === 'APPROVED' || status === 'EXECUTED') return null
  return problem('decision_unapproved', `Decision ${state.id} is ${status}.`)
}

/** Why the version forbids execution, or null. Another version may read the request differently. */
export function refusedVersion(state: DecisionState, caller: Caller): ProblemError | null {
  if (state.version === caller.version) return null
  const detail = `It was approved as a request of version ${state.version}, not ${caller.version}.`
  return problem('operation_unplanned', detail)
}

/**
 * Why this caller may not review the decision, or null. The reviewer must be a person other than
 * the proposer.
 */
export function refusedReviewer(state: DecisionState, caller: Caller): ProblemError | null {
  if (caller.actor !== 'human') return problem('reviewer_not_human')
  return state.proposer_id === caller.caller_id ? problem('reviewer_is_proposer') : null
}

/** Throws `state_conflict` if the decision has expired, whether or not that is recorded. */
export function mustBeOpen(state: DecisionState, now: Date): void {
  const status = statusAt(state, now)
  if (status === 'EXPIRED') throw problem('state_conflict', `Decision ${state.id} is EXPIRED.`)
}
