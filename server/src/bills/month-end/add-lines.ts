/** Puts lines on bills: written, booked, and settled with what was paid before. */
import type { Actor } from '../../db/move.ts'
import type { Tx } from '../../db/transaction.ts'
import { syncBillLines } from '../collection/sync-bill-lines.ts'
import { takeCredits } from '../credits/take-credits.ts'
import { bookLines, type Line } from '../lines.ts'
import type { Period } from '../rules.ts'
import { addAmounts, insertLines } from '../store.ts'

/** Adds lines of locked loans to bills that have none of these loans yet, set-wise. */
export async function addLines(
  tx: Tx,
  actor: Actor,
  period: Period,
  lines: readonly (Line & { bill_id: string })[],
): Promise<void> {
  const rows = lines.map(({ bill_id, loan, amount, mark_up }) => ({
    bill_id,
    loan_id: loan.id,
    amount,
    mark_up,
  }))
  await insertLines(tx, rows)
  await addAmounts(tx, rows)
  await bookLines(tx, period, lines)
  await syncBillLines(
    tx,
    rows.map(row => row.loan_id),
    actor,
  )
  const credits = rows.filter(row => row.amount < 0n)
  if (credits.length > 0) await takeCredits(tx, actor, credits)
}
