/** Sets the status of a borrower's KYB review. */
import type { ComplianceStatus, Trigger } from '@headroom/contract'
import { sql } from 'kysely'
import { publishFact } from '../../../facts.ts'
import { move, type StatusHolder } from '../../../platform/db/move.ts'
import { haveKeys, type RowKey } from '../../../platform/db/of-partner.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { recordEvent } from '../../../platform/events/index.ts'
import { problem } from '../../../platform/kit/problem.ts'
import { recordProductEvents } from '../record-product-events.ts'
import {
  type BorrowerRow,
  lockBorrower,
  lockBorrowers,
  setStatusReason,
  touchCompliance,
} from '../store.ts'
import { blockBorrowers, KYB_REJECTED, unblockBorrowers } from './block-borrowers.ts'

type Steps = Record<ComplianceStatus, Trigger<'compliance'> | null>

/** Changes pass through REVIEWING: these steps lead into it, those of `OUT_OF_REVIEW` out of it. */
const TO_REVIEWING: Steps = {
  UNKNOWN: 'review',
  REVIEWING: null,
  APPROVED: 'reopen',
  REJECTED: 'reopen',
  PENDING_USER_ACTION: 'review',
}
const OUT_OF_REVIEW: Steps = {
  UNKNOWN: 'abandon',
  REVIEWING: null,
  APPROVED: 'approve',
  REJECTED: 'reject',
  PENDING_USER_ACTION: 'ask_user',
}

/**
 * Sets the status of the KYB review. A change to APPROVED or REJECTED publishes `kyb_approved` or
 * `kyb_rejected`. A rejected borrower is blocked until its review is reopened or gets another
 * result. With `by_step`, for operators, a result is refused with `state_conflict` unless the
 * review is in REVIEWING. Throws `resource_unknown`. Locks the borrower.
 */
export async function setCompliance(
  tx: Tx,
  { borrower_id, partner_id }: { borrower_id: string; partner_id: string },
  status: ComplianceStatus,
  { by_step = false } = {},
): Promise<void> {
  const borrower = await lockBorrower(tx, partner_id, borrower_id)
  if (!borrower) throw problem('resource_unknown')
  const check = await tx.one(sql<StatusHolder<'compliance'>>`
    select borrower_id as id, partner_id, status from compliance_checks
    where partner_id = ${partner_id} and borrower_id = ${borrower_id} for no key update`)
  if (check.status === status) {
    // The borrower may have been rejected before it signed, when it could not be blocked yet.
    if (status === 'REJECTED') await blockRejected(tx, borrower)
    return
  }
  const into = TO_REVIEWING[check.status]
  const out = OUT_OF_REVIEW[status]
  if (by_step && into && out) {
    throw problem('state_conflict', `The review is ${check.status}: open it first.`)
  }
  if (into) await move(tx, 'compliance', [check], into)
  if (out) await move(tx, 'compliance', [{ ...check, status: 'REVIEWING' }], out)
  await touchCompliance(tx, borrower)
  if (status === 'REJECTED') await blockRejected(tx, borrower)
  else if (check.status === 'REJECTED') await unblockReviewed(tx, borrower)
  recordEvent(tx, 'borrower', borrower, 'Borrower.COMPLIANCE_UPDATED')
  await recordProductEvents(tx, [borrower])
  const fact = { borrower_id, partner_id }
  if (status === 'APPROVED') await publishFact(tx, 'kyb_approved', fact)
  if (status === 'REJECTED') await publishFact(tx, 'kyb_rejected', fact)
}

/**
 * Opens the approved reviews of borrowers again. Their payouts and new loans wait until each review
 * is decided. Skips reviews in other statuses.
 */
export async function reopenCompliance(
  tx: Tx,
  keys: readonly RowKey[],
  reason: string,
): Promise<void> {
  const borrowers = await lockBorrowers(tx, keys)
  const approved = await tx.all(sql<StatusHolder<'compliance'>>`
    select borrower_id as id, partner_id, status from compliance_checks
    where ${haveKeys(borrowers, 'compliance_checks', 'borrower_id')} and status = 'APPROVED'
    order by partner_id, borrower_id for no key update`)
  await move(tx, 'compliance', approved, 'reopen', reason)
  const reopened = borrowers.filter(({ id }) => approved.some(check => check.id === id))
  for (const borrower of reopened) {
    await touchCompliance(tx, borrower)
    recordEvent(tx, 'borrower', borrower, 'Borrower.COMPLIANCE_UPDATED')
  }
  await recordProductEvents(tx, reopened)
}

/** A borrower that has not signed cannot be blocked, so only its status reason is set. */
async function blockRejected(tx: Tx, borrower: BorrowerRow): Promise<void> {
  if (borrower.status === 'TO_SIGN') await setStatusReason(tx, [borrower], KYB_REJECTED)
  else await blockBorrowers(tx, [borrower], KYB_REJECTED)
}

async function unblockReviewed(tx: Tx, borrower: BorrowerRow): Promise<void> {
  if (borrower.status === 'TO_SIGN') await setStatusReason(tx, [borrower], null)
  else await unblockBorrowers(tx, [borrower], KYB_REJECTED)
}
