/** Blocks borrowers from drawing, and unblocks them. */
import type { DenialCode } from '@headroom/contract'
import { sql } from 'kysely'
import { move } from '../../../platform/db/move.ts'
import { haveKeys, type RowKey } from '../../../platform/db/of-partner.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { advanceBorrower } from '../advance-borrower.ts'
import { recordProductEvents } from '../record-product-events.ts'
import { lockBorrowers, setStatusReason } from '../store.ts'

const BLOCKABLE = ['SIGNED', 'SDD_SETUP', 'ALL_PAYMENT_SETUP', 'READY']

/** The block reason after a rejected KYB review. */
export const KYB_REJECTED = 'BUSINESS_COMPLIANCE_ISSUE_DETECTED' satisfies DenialCode

/** Blocks borrowers for a reason. Skips those already blocked, and those that cannot be blocked. */
export async function blockBorrowers(
  tx: Tx,
  keys: readonly RowKey[],
  reason: DenialCode,
): Promise<void> {
  const found = await lockBorrowers(tx, keys)
  const borrowers = found.filter(borrower => BLOCKABLE.includes(borrower.status))
  await setStatusReason(tx, borrowers, reason)
  await move(tx, 'borrower', borrowers, 'block', reason)
  await recordProductEvents(tx, borrowers)
}

/**
 * Unblocks the borrowers that are blocked for `reason`. A borrower whose KYB review has been
 * rejected meanwhile stays blocked for that. Held payouts are sent in the next day's runs, after
 * the review of overdue loans, which may block the borrower again.
 */
export async function unblockBorrowers(
  tx: Tx,
  keys: readonly RowKey[],
  reason: DenialCode,
): Promise<void> {
  const found = await lockBorrowers(tx, keys)
  const blocked = found.filter(b => b.status === 'BLOCKED' && b.status_reason === reason)
  const rejected = await findKybRejected(tx, blocked)
  const isRejected = (borrower: RowKey) => rejected.includes(borrower.id)
  await setStatusReason(tx, blocked.filter(isRejected), KYB_REJECTED)
  const borrowers = blocked.filter(borrower => !isRejected(borrower))
  await setStatusReason(tx, borrowers, null)
  const complete = await findComplete(tx, borrowers)
  const [ready, setup] = [true, false].map(c => borrowers.filter(b => complete.has(b.id) === c))
  await move(tx, 'borrower', ready!, 'unblock')
  await move(tx, 'borrower', setup!, 'unblock_to_setup')
  await recordProductEvents(tx, borrowers)
  for (const { id, partner_id } of setup!) {
    await advanceBorrower(tx, { borrower_id: id, partner_id })
  }
}

/** Borrowers with a credit line and a READY method, the conditions of READY. */
async function findComplete(tx: Tx, borrowers: readonly RowKey[]): Promise<Set<string>> {
  const rows = await tx.all(sql<{ id: string }>`
    select l.borrower_id as id from credit_lines l
    where ${haveKeys(borrowers, 'l', 'borrower_id')} and exists (select from repayment_methods m
      where m.partner_id = l.partner_id and m.borrower_id = l.borrower_id and m.status = 'READY')`)
  return new Set(rows.map(row => row.id))
}

export async function findKybRejected(tx: Tx, borrowers: readonly RowKey[]): Promise<string[]> {
  const rows = await tx.all(sql<{ id: string }>`
    select borrower_id as id from compliance_checks
    where ${haveKeys(borrowers, 'compliance_checks', 'borrower_id')} and status = 'REJECTED'`)
  return rows.map(row => row.id)
}
