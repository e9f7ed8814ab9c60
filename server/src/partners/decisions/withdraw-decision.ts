/** Withdraws a decision before it is reviewed. */
import type { Decision } from '@headroom/contract'
import type { Caller } from '../../platform/access/caller.ts'
import { move } from '../../platform/db/move.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { lockDecision, readDecision } from './queries.ts'
import { mustBeOpen, refusedIdentity } from './rules.ts'
import { writeComment } from './store.ts'

/**
 * Withdraws the caller's own decision and returns it. Throws `resource_unknown`,
 * `proposer_mismatched` if another caller proposed it, or `state_conflict` if it is not PROPOSED or
 * has expired.
 */
export async function withdrawDecision(
  tx: Tx,
  caller: Caller,
  decision_id: string,
  comment: string | null,
): Promise<Decision> {
  const use = { partner_id: caller.partner_id, decision_id }
  const decision = await lockDecision(tx, use)
  const refused = refusedIdentity(decision, caller)
  if (refused) throw refused
  mustBeOpen(decision, tx.now)
  await move(tx, 'decision', [decision], 'withdraw', comment)
  if (comment !== null) await writeComment(tx, decision, comment)
  return readDecision(tx, use)
}
