/** The due dates of loans, as mails state them. */
import type { Tx } from '../../../platform/db/transaction.ts'
import { max } from '../../../platform/kit/dates.ts'
import { lateFrom } from '../dates.ts'
import { type Installment, openInstallments } from '../installments.ts'
import { type LoanRow, readInstallments } from '../store.ts'

/**
 * The open principal of each loan per due date; the keys are loan ids. Days past due count from
 * these dates, which are banking days.
 */
export async function duesOf(
  tx: Tx,
  loans: readonly LoanRow[],
): Promise<Map<string, readonly Installment[]>> {
  const installments = await readInstallments(
    tx,
    loans.filter(loan => loan.in_parts),
  )
  return new Map(loans.map(loan => [loan.id, openDues(loan, installments.get(loan.id) ?? [])]))
}

function openDues(loan: LoanRow, installments: readonly Installment[]): Installment[] {
  const { principal_outstanding: amount, falls_due_on: due_on, principal_covered } = loan
  if (amount === 0n) return []
  const open = loan.in_parts
    ? openInstallments(installments, principal_covered)
    : [{ due_on, amount }]
  return open.map(one => ({
    due_on: lateFrom({ ...loan, due_on: max(one.due_on, loan.reclaimed_on ?? one.due_on) }),
    amount: one.amount,
  }))
}
