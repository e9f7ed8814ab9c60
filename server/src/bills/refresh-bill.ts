/** Keeps a bill that was not sent yet in step with what became known since it was generated. */
import { sql } from 'kysely'
import { type Actor, move } from '../db/move.ts'
import type { Tx } from '../db/transaction.ts'
import { bookLines, type Line, totalOf, unbilledLines } from './lines.ts'
import { planBillPayments } from './plan-bill-payment.ts'
import { type BillRow, linesOfBill, lockBills, paidBy, setLines } from './store.ts'
import { syncBillLines } from './sync-bill-lines.ts'

/**
 * Counts the loans of its payer anew and answers the bill as it then is. When nothing is left
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
    changes.map(({ loan, target }) => ({ loan_id: loan.id, ...target })),
  )
  await syncBillLines(
    tx,
    changes.map(({ loan }) => loan.id),
    actor,
  )
  await planBillPayments(tx, actor, [bill_id])
  const [after] = await lockBills(tx, [bill_id])
  if (after!.amount !== 0n) return after!
  await move(tx, actor, 'bill', [after!], 'replace', 'nothing to bill')
  return { ...after!, status: 'INVALID' }
}

/** What each loan is still to be billed beside this bill's lines, zeros included. */
async function missingLines(tx: Tx, bill: BillRow): Promise<Line[]> {
  const { period_from: from, period_to: to, due_on } = bill
  const loans = await tx.all(sql<{ id: string }>`
    select l.id from loans l where ${paidBy(bill)}
      and (l.paid_out_on <= ${to} or l.interest_billed <> 0)`)
  const ids = loans.map(loan => loan.id)
  return unbilledLines(tx, ids, { from, to, due_on })
}

type Change = Line & { bill_id: string; target: { amount: bigint; mark_up: bigint } }

const NOTHING = { amount: 0n, mark_up: 0n }

/** The lines that are to change, with the cents each is to have. */
async function changesOf(tx: Tx, bill_id: string, missing: readonly Line[]): Promise<Change[]> {
  const lines = new Map((await linesOfBill(tx, bill_id)).map(l => [l.loan_id, l]))
  const wanted = missing.map(({ loan, amount, mark_up }) => {
    const old = lines.get(loan.id) ?? NOTHING
    const target = { amount: old.amount + amount, mark_up: old.mark_up + mark_up }
    return { loan, old, target }
  })
  const nothing = totalOf(wanted.map(w => w.target)) === 0n
  return wanted
    .map(({ loan, old, target }) => {
      const after = nothing ? NOTHING : target
      const mark_up = after.mark_up - old.mark_up
      return { loan, bill_id, amount: after.amount - old.amount, mark_up, target: after }
    })
    .filter(change => change.amount !== 0n)
}
