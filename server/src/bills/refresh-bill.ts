/** Keeps a bill that was not sent yet in step with what became known since it was generated. */
import { sql } from 'kysely'
import { type Actor, move } from '../db/move.ts'
import type { Tx } from '../db/transaction.ts'
import { bookLines, type Line, totalOf, unbilledLines } from './lines.ts'
import { planBillPayment } from './plan-bill-payment.ts'
import { type BillRow, linesOfBill, lockBills, setLines } from './store.ts'
import { syncBillLines } from './sync-bill-lines.ts'

/**
 * Counts the loans of its borrower anew and answers the bill as it then is. When nothing is left
 * to ask for or to credit it becomes INVALID, for there is no bill of 0.
 */
export async function refreshBill(tx: Tx, actor: Actor, bill_id: string): Promise<BillRow> {
  const unlocked = await tx.one(sql<BillRow>`select * from bills where id = ${bill_id}`)
  const missing = await missingLines(tx, unlocked)
  const [bill] = await lockBills(tx, [bill_id])
  const changes = await changesOf(tx, bill_id, missing)
  if (changes.length === 0 || bill!.status !== 'GENERATED') return bill!
  const { period_from: from, period_to: to, due_on } = bill!
  await bookLines(tx, { from, to, due_on }, changes)
  await setLines(
    tx,
    bill_id,
    changes.map(({ loan, target }) => ({ loan_id: loan.id, amount: target })),
  )
  for (const { loan } of changes) await syncBillLines(tx, loan.id, actor)
  await planBillPayment(tx, actor, bill_id)
  const [after] = await lockBills(tx, [bill_id])
  if (after!.amount !== 0n) return after!
  await move(tx, actor, 'bill', [after!], 'replace', 'nothing to bill')
  return { ...after!, status: 'INVALID' }
}

/** What each loan is still to be billed beside this bill's lines, zeros included. */
async function missingLines(tx: Tx, bill: BillRow): Promise<Line[]> {
  const { borrower_id, period_from: from, period_to: to, due_on } = bill
  const loans = await tx.all(sql<{ id: string }>`
    select id from loans where borrower_id = ${borrower_id}
      and (paid_out_on <= ${to} or interest_billed <> 0)`)
  const ids = loans.map(loan => loan.id)
  return unbilledLines(tx, ids, { from, to, due_on })
}

type Change = Line & { bill_id: string; target: bigint }

/** The lines that are to change, with the cents each is to have. */
async function changesOf(tx: Tx, bill_id: string, missing: readonly Line[]): Promise<Change[]> {
  const lines = new Map((await linesOfBill(tx, bill_id)).map(l => [l.loan_id, l.amount]))
  const wanted = missing.map(({ loan, amount }) => {
    const old = lines.get(loan.id) ?? 0n
    return { loan, old, target: old + amount }
  })
  const nothing = totalOf(wanted.map(w => ({ amount: w.target }))) === 0n
  return wanted
    .map(({ loan, old, target }) => {
      const after = nothing ? 0n : target
      return { loan, bill_id, amount: after - old, target: after }
    })
    .filter(change => change.amount !== 0n)
}
