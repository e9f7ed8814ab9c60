/** Replaces an issued, unpaid bill whose amount turns out to be wrong. */
import { sql } from 'kysely'
import type { LoanMoneyChange } from '../../../facts.ts'
import {
  cancelScheduled,
  frozenUntil,
  lockScheduled,
  type PaymentRow,
} from '../../../money/payments/index.ts'
import { clearAlert } from '../../../platform/alerts/index.ts'
import { initialStatus, move, recordCreation } from '../../../platform/db/move.ts'
import { haveKeys, keysBy, keysOf, type RowKey } from '../../../platform/db/of-partner.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { enqueue } from '../../../platform/jobs/index.ts'
import { rfReference } from '../../../platform/kit/reference.ts'
import { planBillPayments } from '../collection/plan-bill-payments.ts'
import { takeCredits } from '../credits/take-credits.ts'
import { bookLines, type Line, totalOf, unbilledLine, unbilledLines } from '../lines.ts'
import { printLines } from '../printed/print-lines.ts'
import type { PrintedLine } from '../printed-line.ts'
import { isReplaceable, type Period } from '../rules.ts'
import {
  type BillRow,
  insertBills,
  insertLines,
  type LineRow,
  linesOfBills,
  lockBills,
  REPLACEABLE,
  writePaid,
} from '../store.ts'
import { withdrawBill } from './withdraw-bill.ts'

/**
 * Reacts to changes of loans' money. A payer's latest bill becomes INVALID if its lines no longer
 * match the interest, provided that it is VALIDATED or TO_PAY, is replaceable (`isReplaceable`) and
 * neither granted nor used a credit. A job then issues a replacement with the same due date, unless
 * it would total 0. In all other cases, the next bill charges or credits the difference. The caller
 * has locked the loans.
 */
export async function correctBills(
  tx: Tx,
  { changes }: { changes: readonly LoanMoneyChange[] },
): Promise<void> {
  // GENERATED bills need no correction: they are recomputed when they are issued.
  const loans = keysBy(changes, 'loan_id')
  const latest = await tx.all(sql<BillRow & { loan_id: string }>`
    select b.*, l.id as loan_id from loans l cross join lateral (select * from bills
      where partner_id = l.partner_id and payer_id = l.payer_id
        and status <> 'INVALID' order by period_from desc limit 1) b
    where ${haveKeys(loans, 'l')} and b.status in ${REPLACEABLE}
    order by b.id, l.id`)
  const changed = new Map(changes.map(change => [change.loan_id, change]))
  for (const rows of Map.groupBy(latest, row => row.id).values()) {
    const period = periodOf(rows[0]!)
    const loan_ids = rows.map(row => row.loan_id)
    const own = loan_ids.map(id => changed.get(id)!)
    const is_right = own.every(({ loan, steps }) => unbilledLine(loan, steps, period).amount === 0n)
    if (!is_right) await correctBill(tx, rows[0]!, loan_ids)
  }
}

function periodOf({ period_from: from, period_to: to, due_on }: BillRow): Period {
  return { from, to, due_on }
}

async function correctBill(tx: Tx, latest: BillRow, loan_ids: readonly string[]): Promise<void> {
  const period = periodOf(latest)
  const lines = (await unbilledLines(tx, keysOf(latest.partner_id, loan_ids), period)).filter(
    line => line.amount !== 0n,
  )
  if (lines.length === 0) return
  const [bill] = await lockBills(tx, [latest])
  if (bill?.status !== 'VALIDATED' && bill?.status !== 'TO_PAY') return
  await lockScheduled(tx, 'bill_id', bill)
  const payments = await tx.all(sql<PaymentRow>`
    select * from payments
    where partner_id = ${bill.partner_id} and bill_id = ${bill.id} and direction = 'IN'
    order by id`)
  const frozen_until = frozenUntil(tx.today)
  if (!isReplaceable(bill, payments, frozen_until) || (await hasCredits(tx, bill))) return
  await replaceBill(tx, bill, period, lines)
}

/** Whether the bill granted a credit, or was paid from one. Either counts as money received. */
async function hasCredits(tx: Tx, { partner_id, id }: RowKey): Promise<boolean> {
  const { found } = await tx.one(sql<{ found: boolean }>`
    select exists (select from loan_movements where voided_at is null
        and partner_id = ${partner_id} and credit_bill_id = ${id})
      or exists (select from bill_lines l
        join loan_movements m on m.partner_id = l.partner_id and m.loan_id = l.loan_id
        where l.partner_id = ${partner_id} and l.bill_id = ${id} and m.bill_id = l.bill_id
          and m.voided_at is null and m.credit_bill_id is not null) as found`)
  return found
}

async function replaceBill(
  tx: Tx,
  old: BillRow,
  period: Period,
  changed: readonly Line[],
): Promise<void> {
  const lines = await linesOfBills(tx, [old])
  await move(tx, 'bill', [old], 'replace', 'the interest changed before it was paid')
  if (old.status === 'VALIDATED') await clearAlert(tx, 'bill_unsent', old.id)
  await cancelScheduled(tx, 'bill_id', [old], 'bill replaced')
  await writePaid(
    tx,
    lines.map(l => ({ ...l, paid: 0n, lapsed: 0n, credited: 0n })),
  )
  const id = tx.newId()
  const amounts = changedAmounts(lines, changed)
  const parts = amounts.map(part => ({ ...part, payer_id: old.payer_id }))
  const printed = await printLines(tx, period, parts, [])
  const kept = linesOfReplacement({ partner_id: old.partner_id, id }, lines, amounts, printed)
  // The amounts of several loans can cancel out, but a bill never totals 0.
  if (totalOf(kept) === 0n) return withdrawBill(tx, old, period, lines)
  const initial = initialStatus('bill', [])
  const { payer_id, borrower_id, partner_id, period_from, period_to, due_on, currency } = old
  const { installment_plan_id } = old
  await insertBills(tx, [
    {
      id,
      payer_id,
      borrower_id,
      partner_id,
      period_from,
      period_to,
      due_on,
      currency,
      status: initial.status,
      amount: totalOf(kept),
      loan_types: await loanTypesOf(tx, partner_id, kept),
      amount_paid: kept.reduce((sum, l) => sum + l.paid, 0n),
      reference: rfReference(id),
      amends_bill_id: old.id,
      installment_plan_id,
      ran_at: tx.now,
      created_at: tx.now,
    },
  ])
  await insertLines(tx, kept)
  const booked = changed.map(line => ({ ...line, bill_id: id }))
  await bookLines(tx, period, booked)
  const credited = booked.map(({ bill_id, loan }) => ({ partner_id, bill_id, loan_id: loan.id }))
  await takeCredits(tx, credited)
  recordCreation(tx, [{ id, partner_id, initial }])
  await planBillPayments(tx, [{ partner_id: old.partner_id, id }])
  enqueue(tx, 'send_bill', { partner_id, bill_id: id }, partner_id)
}

async function loanTypesOf(
  tx: Tx,
  partner_id: string,
  lines: readonly { loan_id: string }[],
): Promise<string[]> {
  const rows = await tx.all(sql<{ loan_type: string }>`
    select distinct loan_type from loans
    where partner_id = ${partner_id} and id = any(${lines.map(line => line.loan_id)}::uuid[])
    order by 1`)
  return rows.map(row => row.loan_type)
}

/** The new total amount of each changed line. */
function changedAmounts(old: readonly LineRow[], lines: readonly Line[]): Line[] {
  return lines.map(line => {
    const before = old.find(l => l.loan_id === line.loan.id)
    const amount = (before?.amount ?? 0n) + line.amount
    return { ...line, amount, mark_up: (before?.mark_up ?? 0n) + line.mark_up }
  })
}

/**
 * The lines of the replacement: unchanged lines as printed before, changed lines with their new
 * amounts. Omits lines of 0.
 */
function linesOfReplacement(
  { partner_id, id: bill_id }: RowKey,
  old: readonly LineRow[],
  changed: readonly Line[],
  printed: ReadonlyMap<string, PrintedLine[]>,
): LineRow[] {
  const others = old.filter(l => !changed.some(({ loan }) => loan.id === l.loan_id))
  const key = { partner_id, bill_id }
  const lines = changed.map(({ loan: { id: loan_id }, amount, mark_up }) => {
    const before = old.find(l => l.loan_id === loan_id)
    const { paid, lapsed, credited } = before ?? { paid: 0n, lapsed: 0n, credited: 0n }
    return { loan_id, amount, mark_up, paid, lapsed, credited, printed: printed.get(loan_id)! }
  })
  return [...others, ...lines].map(l => ({ ...l, ...key })).filter(l => l.amount !== 0n)
}
