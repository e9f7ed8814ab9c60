/** Lines of bills: what a loan is still to be billed, and how that is booked. */
import type { Tx } from '../db/transaction.ts'
import { loanPostings, post } from '../ledger/index.ts'
import { addBilled, type LoanRow, lockLoans, readStepsOf } from '../loans/index.ts'
import { lineAmount, type Period } from './rules.ts'

export interface Line {
  readonly loan: LoanRow
  /** Cents; below zero it takes back what was billed too much. */
  readonly amount: bigint
}

export function totalOf(lines: readonly { amount: bigint }[]): bigint {
  return lines.reduce((sum, line) => sum + line.amount, 0n)
}

/** Locks loans and answers what each is still to be billed to the period's end, zeros included. */
export async function unbilledLines(
  tx: Tx,
  loan_ids: readonly string[],
  period: Period,
): Promise<Line[]> {
  // Read under the lock, so that no line is made of steps that a transfer is changing.
  const loans = await lockLoans(tx, loan_ids)
  const steps = await readStepsOf(tx, loan_ids)
  return loans.map(loan => {
    const own = steps.get(loan.id) ?? []
    return { loan, amount: lineAmount(own, loan.rate_ppm, loan.interest_billed, period) }
  })
}

/** Books what lines add to (or take from) the interest billed: an entry for each, set-wise. */
export async function bookLines(
  tx: Tx,
  period: Period,
  lines: readonly (Line & { bill_id: string })[],
): Promise<void> {
  const after = lines.map(({ loan, amount }) => {
    const interest_billed = loan.interest_billed + amount
    return { ...loan, interest_billed, interest_accrued: earned(loan, interest_billed) }
  })
  await post(
    tx,
    lines.map(({ loan, bill_id }, index) => ({
      kind: 'bill' as const,
      value_on: period.to,
      partner_id: loan.partner_id,
      loan_id: loan.id,
      bill_id,
      postings: loanPostings(loan.id, loan, after[index]!, 0n),
    })),
  )
  await addBilled(tx, after)
}

/** Final once principal is repaid or was never paid out; before, what was billed or paid. */
function earned(loan: LoanRow, billed: bigint): bigint {
  if (loan.principal_repaid_on || !loan.paid_out_on) return loan.interest_accrued
  return billed > loan.interest_paid ? billed : loan.interest_paid
}
