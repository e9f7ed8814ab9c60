/** Flags the loans that a run must look at: shares to settle, losses to recover. Pure. */
import { maxAmount, minAmount } from '../../platform/kit/money.ts'
import type { LoanRow } from './store.ts'

type Money = Pick<
  LoanRow,
  | ('fees_payer' | 'written_off_on' | 'interest_accrued' | 'interest_billed' | 'interest_paid')
  | ('mark_up_accrued' | 'mark_up_billed' | 'mark_up_paid_out' | 'mark_up_written_off')
  | ('principal_written_off' | 'principal_recovered' | 'interest_written_off')
  | 'interest_recovered'
>

export interface Unsettled {
  /** Whether the mark-up paid out to its partner may differ from what is collected. */
  readonly share_unsettled: boolean
  /** Whether its borrower has not paid all that was written off. */
  readonly unrecovered: boolean
}

/** The flags that are stored, so that runs can find the loans. */
export function unsettled(loan: Money): Unsettled {
  return { share_unsettled: isShareUnsettled(loan), unrecovered: isUnrecovered(loan) }
}

/**
 * Interest may be returned after all mark-up was paid out, and the partner bears its part. After a
 * write-off, the partner keeps what was collected before.
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

/** Interest that a partner was to pay is not owed by the borrower. */
function isUnrecovered(loan: Money): boolean {
  const interest = loan.fees_payer === 'PARTNER' ? 0n : loan.interest_written_off
  return loan.principal_written_off > loan.principal_recovered || interest > loan.interest_recovered
}
