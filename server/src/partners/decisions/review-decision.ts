/** Approves or rejects a decision: the reviewer is a person other than the proposer. */
import type { Decision } from '@headroom/contract'
import type { Caller } from '../../platform/access/caller.ts'
import { move } from '../../platform/db/move.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { assert } from '../../platform/kit/assert.ts'
import { problem } from '../../platform/kit/problem.ts'
import {
  type DecisionRow,
  findDecision,
  lockDecision,
  partnerOf,
  readDecision,
  wasProposedBy,
} from './queries.ts'
import { mustBeOpen, refusedReviewer } from './rules.ts'
import { writeReview } from './store.ts'

interface Review {
  readonly trigger: 'approve' | 'reject'
  readonly comment: string | null
}

/**
 * Approves or rejects a proposed decision and returns it. Throws `resource_unknown`,
 * `reviewer_not_human` for an agent, `reviewer_is_proposer` for the proposer, or `state_conflict`
 * if the decision is not PROPOSED or has expired.
 */
export async function reviewDecision(
  tx: Tx,
  caller: Caller,
  decision_id: string,
  review: Review,
): Promise<Decision> {
  const decision = await lockDecision(tx, { partner_id: caller.partner_id, decision_id })
  const refused = refusedReviewer(decision, caller)
  if (refused) throw refused
  return settle(tx, decision, review)
}

/**
 * Reviews a decision of any partner as a lender operator. Throws `resource_unknown`,
 * `state_conflict`, or `reviewer_is_proposer` if the operator proposed it as a caller of the
 * partner. The caller checks the operator's role.
 */
export async function reviewForLender(
  tx: Tx,
  decision_id: string,
  review: Review,
): Promise<Decision> {
  const partner_id = await partnerOf(tx, decision_id)
  const decision = await lockDecision(tx, { partner_id, decision_id })
  if (await wasProposedBy(tx, decision, tx.actor)) throw problem('reviewer_is_proposer')
  return settle(tx, decision, review)
}

/**
 * The decision's partner, and whether the operator proposed it as a caller of that partner. Throws
 * `resource_unknown`.
 */
export async function isOwnDecision(
  tx: Tx,
  operator_id: string,
  decision_id: string,
): Promise<{ partner_id: string; is_own: boolean }> {
  const partner_id = await partnerOf(tx, decision_id)
  const decision = await findDecision(tx, { partner_id, decision_id })
  assert(decision, 'a decision of a known partner is there')
  return { partner_id, is_own: await wasProposedBy(tx, decision, operator_id) }
}

async function settle(
  tx: Tx,
  decision: DecisionRow,
  { trigger, comment }: Review,
): Promise<Decision> {
  mustBeOpen(decision, tx.now)
  await move(tx, 'decision', [decision], trigger, comment)
  await writeReview(tx, decision, comment)
  return readDecision(tx, { partner_id: decision.partner_id, decision_id: decision.id })
}
