/** Flags loans that a later run must handle: shares to settle, losses to recover. Pure. */
import { maxAmount, minAmount } from '../../../platform/kit/money.ts'
import type { LoanRow } from '../store.ts'

type Money = Pick<
  LoanRow,
  | ('fees_payer' | 'written_off_on' | 'interest_accrued' | 'interest_billed' | 'interest_paid')
  | ('mark_up_accrued' | 'mark_up_billed' | 'mark_up_paid_out' | 'mark_up_written_off')
  | ('principal_written_off' | 'principal_recovered' | 'interest_written_off')
  | 'interest_recovered'
>

export interface Unsettled {
  /** Whether the mark-up paid out to the partner may differ from what is collected. */
  readonly share_unsettled: boolean
  /** Whether the borrower still owes part of what was written off. */
  readonly unrecovered: boolean
}

/** The flags of a loan. They are stored, so that runs can find the loans. */
export function unsettled(loan: Money): Unsettled {
  return { share_unsettled: isShareUnsettled(loan), unrecovered: isUnrecovered(loan) }
}

/**
 * Interest can be returned after all mark-up has been paid out; the partner then pays back its
 * part. After a write-off, the partner keeps the mark-up that was collected.
 */
function isShareUnsettled(loan: Money): boolean {
  const { mark_up_accrued: accrued, mark_up_billed: billed, mark_up_paid_out: paid_out } = loan
  const { interest_paid } = loan
  if (interest_paid <= 0n && paid_out === 0n) return false
  if (loan.written_off_on !== null) {
    return paid_out !== minAmount(accrued - loan.mark_up_written_off, maxAmount(interest_paid, 0n))
  }
  const owed = minAmount(loan.interest_billed, loan.interest_accrued)
  return billed !== paid_out || accrued < billed || (paid_out !== 0n && interest_paid < owed)
}

/** A borrower does not owe interest that the partner pays. */
function isUnrecovered(loan: Money): boolean {
  const interest = loan.fees_payer === 'PARTNER' ? 0n : loan.interest_written_off
  return loan.principal_written_off > loan.principal_recovered || interest > loan.interest_recovered
}
