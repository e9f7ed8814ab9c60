/**
 * Handles loans without a payout. A refund that becomes principal again reopens such a loan; once
 * no refund is principal, the loan returns to its earlier status (docs/decisions/0031).
 */
import type { Status, Trigger } from '@headroom/contract'
import { move } from '../../../platform/db/move.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import type { EntryKind } from '../../../platform/ledger/index.ts'
import { LENT, type LoanAccount } from '../account.ts'
import { type LoanRow, type LockedLoan, setReopenedFrom } from '../store.ts'
import { endWriteOff } from './end-write-offs.ts'

/** Triggers by the status that a loan had before it was reopened. */
const RESTORE: Partial<Record<Status<'loan'>, Trigger<'loan'>>> = {
  ISSUE_DETECTED: 'restore_unpaid',
  CANCELED: 'restore_canceled',
  DELETED: 'restore_deleted',
}

/** Whether the status is in `LENT`, although the loan has no payout and no reclaimed refund. */
export function shouldRestore({ status }: LoanRow, account: LoanAccount): boolean {
  return account.paid_out_on === null && LENT.has(status)
}

/** Whether refunds are principal although the loan's status says that it was not paid out. */
export function shouldReopen({ status }: LoanRow, account: LoanAccount): boolean {
  return account.paid_out_on !== null && status in RESTORE
}

/**
 * Moves a locked loan whose refunds are no longer principal back to the status it was reopened
 * from, and ends its write-off. Returns the updated loan.
 */
export async function restoreLoan(
  tx: Tx,
  loan: LockedLoan,
  reason: EntryKind,
): Promise<LockedLoan> {
  const trigger = RESTORE[loan.reopened_from ?? 'ISSUE_DETECTED']!
  const [status] = await move(tx, 'loan', [loan], trigger, reason)
  await setReopenedFrom(tx, loan, null)
  await endWriteOff(tx, loan, 'nothing of it is lent any more')
  const nothing = { reopened_from: null, written_off_on: null, closed_at: null }
  return { ...loan, ...nothing, status: status! }
}

/** Reopens a locked loan because a refund is principal again; returns the updated loan. */
export async function reopenLoan(tx: Tx, loan: LockedLoan, reason: EntryKind): Promise<LockedLoan> {
  const [status] = await move(tx, 'loan', [loan], 'reopen_principal', reason)
  await setReopenedFrom(tx, loan, loan.status)
  return { ...loan, status: status!, reopened_from: loan.status }
}

/** Cents that a loan without a payout reserves: its amount, until it can no longer be paid out. */
export function reservedBeforePayout({ status, amount, reserved }: LoanRow): bigint {
  if (status === 'ISSUE_DETECTED') return amount
  return status === 'CANCELED' || status === 'DELETED' ? 0n : reserved
}
