/** Adds lines to bills: inserts them, books them, and settles them from interest already paid. */
import type { Tx } from '../../../platform/db/transaction.ts'
import { syncBillLines } from '../collection/sync-bill-lines.ts'
import { takeCredits } from '../credits/take-credits.ts'
import { bookLines, type Line } from '../lines.ts'
import { printLines } from '../printed/print-lines.ts'
import type { Period } from '../rules.ts'
import { insertLines } from '../store.ts'

/**
 * Adds lines in bulk to bills that have no lines of these loans yet. The caller has locked the
 * loans.
 */
export async function addLines(
  tx: Tx,
  period: Period,
  lines: readonly (Line & { bill_id: string })[],
): Promise<void> {
  const parts = lines.map(line => ({ ...line, payer_id: line.loan.payer_id }))
  const printed = await printLines(tx, period, parts, [])
  const rows = lines.map(({ bill_id, loan, amount, mark_up }) => ({
    partner_id: loan.partner_id,
    bill_id,
    loan_id: loan.id,
    amount,
    mark_up,
    printed: printed.get(loan.id)!,
  }))
  await insertLines(tx, rows)
  await bookLines(tx, period, lines)
  const shared = lines.filter(isShared).map(line => line.loan)
  if (shared.length > 0) await syncBillLines(tx, shared)
  const credits = rows.filter(row => row.amount < 0n)
  if (credits.length > 0) await takeCredits(tx, credits)
}

/**
 * Whether adding the line reallocates the loan's paid interest: some was prepaid, the loan is
 * overbilled or written off, or the line is a credit. Otherwise, all paid interest already belongs
 * to earlier lines.
 */
function isShared({ amount, loan }: Line): boolean {
  const { interest_billed, interest_accrued, interest_paid, written_off_on } = loan
  const ahead = interest_paid > interest_billed
  return amount < 0n || ahead || interest_billed > interest_accrued || written_off_on !== null
}
