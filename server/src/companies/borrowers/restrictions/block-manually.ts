/** Blocks, unblocks and prohibits borrowers for lender operators. */
import type { DenialCode } from '@headroom/contract'
import { sql } from 'kysely'
import { publishFact } from '../../../facts.ts'
import { move } from '../../../platform/db/move.ts'
import { ofEachPartner, type RowKey } from '../../../platform/db/of-partner.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { problem } from '../../../platform/kit/problem.ts'
import { recordProductEvents } from '../record-product-events.ts'
import { type BorrowerRow, lockBorrowers, setStatusReason } from '../store.ts'
import { blockBorrowers, findKybRejected, unblockBorrowers } from './block-borrowers.ts'

/** Blocks a borrower. Throws `resource_unknown`, or `state_conflict` if it cannot be blocked. */
export async function blockBorrowerManually(
  tx: Tx,
  borrower_id: string,
  reason: DenialCode,
): Promise<void> {
  const borrower = await lockOne(tx, borrower_id)
  const { status } = borrower
  await blockBorrowers(tx, [borrower], reason)
  if (status === 'BLOCKED' || (await lockOne(tx, borrower_id)).status !== 'BLOCKED') {
    throw problem('state_conflict', `borrower is ${status}: it cannot be blocked`)
  }
}

/**
 * Unblocks a borrower, whatever the reason for the block. Overdue debts block it again. Throws
 * `resource_unknown`, or `state_conflict` if the borrower is not blocked or its KYB review was
 * rejected.
 */
export async function unblockBorrowerManually(tx: Tx, borrower_id: string): Promise<void> {
  const borrower = await lockOne(tx, borrower_id)
  const { status, status_reason } = borrower
  if (status !== 'BLOCKED') throw problem('state_conflict', `borrower is ${status}: not blocked`)
  if ((await findKybRejected(tx, [borrower])).length > 0) {
    throw problem('state_conflict', 'Its KYB review ended in a rejection: review it again instead.')
  }
  await unblockBorrowers(tx, [borrower], status_reason as DenialCode)
}

/**
 * Ends lending to a borrower for good. Debts are still collected; loans not yet paid out are
 * declined or canceled. Throws `resource_unknown`, or `state_conflict` if it is already closed.
 */
export async function prohibitBorrower(
  tx: Tx,
  borrower_id: string,
  reason: DenialCode,
): Promise<void> {
  const borrower = await lockOne(tx, borrower_id)
  await move(tx, 'borrower', [borrower], 'prohibit', reason)
  await setStatusReason(tx, [borrower], reason)
  await recordProductEvents(tx, [borrower])
  const { partner_id } = borrower
  await publishFact(tx, 'borrower_prohibited', { borrower_id, partner_id })
}

/** Operators identify a borrower by its id alone. */
async function lockOne(tx: Tx, id: string): Promise<BorrowerRow> {
  const key = await tx.maybe(sql<RowKey>`
    select partner_id, id from borrowers where ${ofEachPartner('borrowers')} and id = ${id}`)
  const borrower = key && (await lockBorrowers(tx, [key]))[0]
  if (!borrower) throw problem('resource_unknown', `There is no borrower ${id}.`)
  return borrower
}
