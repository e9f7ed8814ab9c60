/**
 * Books unmatched outgoing money as a loss. One operator proposes the loss, and another approves
 * it.
 */
import { clearAlert, raiseAlert } from '../../../platform/alerts/index.ts'
import { move } from '../../../platform/db/move.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { LENDER_ID } from '../../../platform/kit/ids.ts'
import { euros } from '../../../platform/kit/money.ts'
import { invalid, problem } from '../../../platform/kit/problem.ts'
import { reasonFaults } from '../../../platform/kit/reason.ts'
import { post, transferPostings } from '../../../platform/ledger/index.ts'
import { lockSuspense, setLoss } from './store.ts'

const LOSS = { code: 'suspense_loss', owner_id: null } as const
const SUSPENSE = { code: 'suspense', owner_id: null } as const

/**
 * Proposes to book an item as a loss. Throws `request_invalid` if the reason is missing or too
 * long, `resource_unknown`, or `state_conflict` if the item is not open or no money went out.
 */
export async function proposeSuspenseLoss(tx: Tx, id: string, reason: string): Promise<void> {
  const item = await lockSuspense(tx, id)
  const faults = reasonFaults(reason)
  if (faults.length > 0) throw invalid(faults)
  const words = reason.trim()
  if (item.cash >= 0n) {
    throw problem('state_conflict', 'No money went out: match it, send it back or dismiss it.')
  }
  await move(tx, 'suspense', [item], 'propose_loss', words)
  await setLoss(tx, id, { loss_reason: words, loss_proposed_by: tx.actor })
}

/**
 * Approves a loss as a second operator and books it. Throws `resource_unknown`, or `state_conflict`
 * for the proposer or without a proposal.
 */
export async function approveSuspenseLoss(tx: Tx, id: string): Promise<void> {
  const item = await lockSuspense(tx, id)
  if (item.loss_proposed_by === tx.actor) {
    throw problem('state_conflict', 'You cannot approve your own proposal.')
  }
  await setLoss(tx, id, { loss_approved_by: tx.actor })
  await move(tx, 'suspense', [item], 'approve_loss')
  const postings = transferPostings(LOSS, SUSPENSE, -item.cash)
  await post(tx, [{ kind: 'suspense_lost', partner_id: LENDER_ID, value_on: tx.today, postings }])
  await clearAlert(tx, 'suspense', id)
}

/**
 * Rejects a proposed loss, so that the item is open again. The proposer can withdraw a proposal the
 * same way.
 */
export async function rejectSuspenseLoss(tx: Tx, id: string, reason: string): Promise<void> {
  const item = await lockSuspense(tx, id)
  await move(tx, 'suspense', [item], 'reject_loss', reason)
  await setLoss(tx, id, { loss_reason: null, loss_proposed_by: null })
  await raiseAlert(tx, 'suspense', id, `${euros(item.amount)}: no loss, ${reason}`)
}
