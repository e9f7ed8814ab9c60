/** Keeps bills in step with what is paid of their loans' interest. */
import type { Actor } from '../db/move.ts'
import { move } from '../db/move.ts'
import type { Tx } from '../db/transaction.ts'
import { readLoans } from '../loans/index.ts'
import { planBillPayment } from './plan-bill-payment.ts'
import { shareOverLines } from './rules.ts'
import { type BillRow, linesOfLoan, lockBills, writePaid } from './store.ts'

/** Shares a loan's paid interest over its bill lines, and settles or reopens their bills. */
export async function syncBillLines(tx: Tx, loan_id: string, actor: Actor): Promise<void> {
  const lines = await linesOfLoan(tx, loan_id)
  if (lines.length === 0) return
  const [loan] = await readLoans(tx, [loan_id])
  // Billed too much and not credited yet: nobody owes that, so no line waits for it.
  const { interest_paid, interest_billed, interest_accrued } = loan!
  const credit = interest_billed > interest_accrued ? interest_billed - interest_accrued : 0n
  const shares = shareOverLines(interest_paid + credit, lines)
  const changed = lines
    .map((line, index) => ({ ...line, paid: shares[index]! }))
    .filter((line, index) => line.paid !== lines[index]!.paid)
  if (changed.length === 0) return
  const ids = [...new Set(changed.map(line => line.bill_id))]
  await lockBills(tx, ids)
  await writePaid(tx, changed)
  for (const bill of await lockBills(tx, ids)) {
    await settleBill(tx, actor, bill)
    await planBillPayment(tx, actor, bill.id)
  }
}

/** PAID follows from the money, as does being reopened by a return. */
export async function settleBill(tx: Tx, actor: Actor, bill: BillRow): Promise<void> {
  const paid = bill.amount_paid >= bill.amount
  if (paid && bill.status === 'TO_PAY') await move(tx, actor, 'bill', [bill], 'pay')
  if (!paid && bill.status === 'PAID') await move(tx, actor, 'bill', [bill], 'reopen')
}
