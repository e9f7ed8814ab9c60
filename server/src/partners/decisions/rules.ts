/** Who may do what with a decision, and until when: pure. */
import type { Decision } from '@headroom/contract'
import type { Caller } from '../../platform/access/caller.ts'
import { type ProblemError, problem } from '../../platform/kit/problem.ts'

/** Attempts of a caller that fail alike within an hour and are kept one by one. */
export const KEPT_SINGLY_MAX = 20

const OPEN_DAYS = 7
const DAY_MS = 86_400_000

/** What is known of a decision when somebody comes with it. */
export interface Standing {
  readonly id: string
  readonly status: Decision['status']
  readonly proposer_id: string
  readonly expires_at: Date
}

/** Seven days of business time, to the moment. */
export function expiryOf(proposed_at: Date): Date {
  return new Date(proposed_at.getTime() + OPEN_DAYS * DAY_MS)
}

/** The status at a moment: one that ran out is EXPIRED before anybody has written so. */
export function statusAt(
  { status, expires_at }: Pick<Standing, 'status' | 'expires_at'>,
  now: Date,
) {
  const open = status === 'PROPOSED' || status === 'APPROVED'
  return open && expires_at <= now ? 'EXPIRED' : status
}

/** Why this caller may not act on the decision, whatever its status; null when he may. */
export function refusedIdentity(standing: Standing, caller: Caller): ProblemError | null {
  if (!caller.scopes.has('decisions:propose')) return problem('proposer_unrecognised')
  if (standing.proposer_id === caller.caller_id) return null
  return problem('proposer_mismatched', `Decision ${standing.id} was proposed by another caller.`)
}

/** Why nothing of it may be carried out now; what is EXECUTED is told by its steps. */
export function refusedStatus(standing: Standing, now: Date): ProblemError | null {
  const status = statusAt(standing, now)
  if (status === 'APPROVED' || status === 'EXECUTED') return null
  return problem('decision_unapproved', `Decision ${standing.id} is ${status}.`)
}

/** Why this caller may not review it: four eyes, and both of them a person's. */
export function refusedReviewer(standing: Standing, caller: Caller): ProblemError | null {
  if (caller.actor !== 'human') return problem('reviewer_not_human')
  return standing.proposer_id === caller.caller_id ? problem('reviewer_is_proposer') : null
}

/** Throws `state_conflict` for a proposal that has run out, whether or not it was written so. */
export function mustBeOpen(standing: Standing, now: Date): void {
  const status = statusAt(standing, now)
  if (status === 'EXPIRED') throw problem('state_conflict', `Decision ${standing.id} is EXPIRED.`)
}
