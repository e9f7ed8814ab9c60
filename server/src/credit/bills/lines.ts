/** Computes and books the lines of bills. */
import type { RawBuilder } from 'kysely'
import { haveKeys, type RowKey } from '../../platform/db/of-partner.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { maxAmount, minAmount } from '../../platform/kit/money.ts'
import { loanPostings, post } from '../../platform/ledger/index.ts'
import {
  type BilledLoan,
  type LockedBilled,
  lockBilled,
  type PrincipalStep,
  readStepsOf,
  setBilledInterest,
} from '../loans/index.ts'
import { endOf, lineAmount, type Period } from './rules.ts'

export interface Line<Loan extends BilledLoan = LockedBilled> {
  readonly loan: Loan
  /** The interest-bearing principal over time, from which the amounts were computed. */
  readonly steps: readonly PrincipalStep[]
  /** Cents, mark-up included; a negative amount credits what was overbilled. */
  readonly amount: bigint
  /** Cents of the amount that are the partner's mark-up. */
  readonly mark_up: bigint
}

export function totalOf(lines: readonly { amount: bigint }[]): bigint {
  return lines.reduce((sum, line) => sum + line.amount, 0n)
}

/**
 * Locks loans and returns the amounts still to be billed up to the period's end, zeros included. A
 * written-off loan is charged nothing more; its line can only credit what was overbilled.
 */
export async function unbilledLines(
  tx: Tx,
  loans: readonly RowKey[],
  period: Period,
): Promise<Line[]> {
  return unbilledLinesOf(tx, haveKeys(loans, 'l'), period)
}

/** Like `unbilledLines`, for the loans `l` that match a condition. */
export async function unbilledLinesOf(
  tx: Tx,
  which: RawBuilder<unknown>,
  period: Period,
): Promise<Line[]> {
  const loans = await lockBilled(tx, which)
  // The steps are read under the lock, so that a concurrent repayment cannot change them.
  const steps = await readStepsOf(tx, loans)
  return loans.map(loan => unbilledLine(loan, steps.get(loan.id) ?? [], period))
}

/** A loan's amount still to be billed up to the period's end, from its principal steps. */
export function unbilledLine<Loan extends BilledLoan>(
  loan: Loan,
  steps: readonly PrincipalStep[],
  period: Period,
): Line<Loan> {
  const end = endOf(period)
  const billed = loan.interest_billed - loan.mark_up_billed
  const interest = lineAmount(steps, loan.rate_ppm, billed, end)
  const mark_up = lineAmount(steps, loan.mark_up_ppm, loan.mark_up_billed, end)
  if (!loan.written_off_on) return { loan, steps, amount: interest + mark_up, mark_up }
  const [less_interest, less_mark_up] = [minAmount(interest, 0n), minAmount(mark_up, 0n)]
  return { loan, steps, amount: less_interest + less_mark_up, mark_up: less_mark_up }
}

/** Adds the lines to their loans' billed interest, and books one entry per line. */
export async function bookLines(
  tx: Tx,
  period: Period,
  lines: readonly (Omit<Line, 'steps'> & { bill_id: string })[],
): Promise<void> {
  const after = lines.map(({ loan, amount, mark_up }) => {
    const interest_billed = loan.interest_billed + amount
    const mark_up_billed = loan.mark_up_billed + mark_up
    const mark_up_accrued = isFinal(loan) ? loan.mark_up_accrued : mark_up_billed
    const interest_accrued = earned(loan, interest_billed)
    return { ...loan, interest_billed, interest_accrued, mark_up_billed, mark_up_accrued }
  })
  await post(
    tx,
    lines.map(({ loan, bill_id }, index) => ({
      kind: 'bill' as const,
      value_on: period.to,
      partner_id: loan.partner_id,
      loan_id: loan.id,
      bill_id,
      postings: loanPostings(loan.id, loan, after[index]!, 0n, null),
    })),
  )
  await setBilledInterest(tx, after)
}

/** Whether the loan accrues no interest: its principal is repaid, written off or not paid out. */
function isFinal(loan: BilledLoan): boolean {
  const { principal_repaid_on, written_off_on, paid_out_on } = loan
  return principal_repaid_on !== null || written_off_on !== null || paid_out_on === null
}

/** Until accrual ends, earned interest is the greater of billed and paid. */
function earned(loan: BilledLoan, billed: bigint): bigint {
  if (isFinal(loan)) return loan.interest_accrued
  return maxAmount(billed, loan.interest_paid)
}
