/** The month-end run: the interest of the month before, set-wise, in restartable slices. */
import { sql } from 'kysely'
import { type Actor, birth, recordBirths } from '../db/move.ts'
import { type Database, type Tx, transaction } from '../db/transaction.ts'
import type { Day } from '../kit/dates.ts'
import { rfReference } from '../kit/reference.ts'
import { bookLines, type Line, totalOf, unbilledLines } from './lines.ts'
import { planBillPayment } from './plan-bill-payment.ts'
import { type Period, periodBilledIn } from './rules.ts'
import { insertBills, insertLines, markPrepaid } from './store.ts'
import { syncBillLines } from './sync-bill-lines.ts'

const SERVICE: Actor = 'service'
const SLICE = 200

/** Bills every borrower whose loans owe more interest than was billed; answers how many bills. */
export async function generateBills(database: Database, today: Day): Promise<number> {
  const period = periodBilledIn(today)
  let after = '00000000-0000-0000-0000-000000000000'
  for (let bills = 0; ; ) {
    const slice = await transaction(database, { partners: '*' }, tx => billSlice(tx, period, after))
    if (slice.last === null) return bills
    after = slice.last
    bills += slice.bills
  }
}

async function billSlice(
  tx: Tx,
  period: Period,
  after: string,
): Promise<{ last: string | null; bills: number }> {
  const borrowers = await tx.all(sql<{ borrower_id: string }>`
    select distinct borrower_id from loans
    where borrower_id > ${after} and (interest_billed <> interest_accrued
      or paid_out_on <= ${period.to} and status in ('TO_REPAY', 'TO_REPAY_FEES'))
    order by borrower_id limit ${SLICE}`)
  const ids = borrowers.map(b => b.borrower_id)
  if (ids.length === 0) return { last: null, bills: 0 }
  const unbilled = await tx.all(sql<{ id: string }>`
    select l.id from loans l
    where l.borrower_id = any(${ids}::uuid[])
      and (l.paid_out_on <= ${period.to} or l.interest_billed <> 0)
      and not exists (select from bills b where b.borrower_id = l.borrower_id
        and b.period_from = ${period.from} and b.status <> 'INVALID')`)
  const lines = await unbilledLines(
    tx,
    unbilled.map(u => u.id),
    period,
  )
  const bills = await writeBills(
    tx,
    period,
    lines.filter(line => line.amount !== 0n),
  )
  return { last: ids.at(-1)!, bills }
}

/** No bill of 0; what a loan was billed too much makes a line, or the whole, a credit. */
async function writeBills(tx: Tx, period: Period, lines: readonly Line[]): Promise<number> {
  const born = birth('bill', [])
  const groups = [...Map.groupBy(lines, line => line.loan.borrower_id)].filter(
    ([, own]) => totalOf(own) !== 0n,
  )
  const bills = groups.map(([borrower_id, own]) => {
    const id = tx.newId()
    return {
      id,
      borrower_id,
      partner_id: own[0]!.loan.partner_id,
      status: born.status,
      period_from: period.from,
      period_to: period.to,
      due_on: period.due_on,
      amount: totalOf(own),
      currency: 'EUR',
      reference: rfReference(id),
      ran_at: tx.now,
      created_at: tx.now,
    }
  })
  const inserted = await insertBills(tx, bills)
  const fresh = bills.filter(bill => inserted.has(bill.id))
  const billOf = new Map(fresh.map(bill => [bill.borrower_id, bill.id]))
  const booked = lines.flatMap(line => {
    const bill_id = billOf.get(line.loan.borrower_id)
    return bill_id ? [{ ...line, bill_id }] : []
  })
  await insertLines(
    tx,
    booked.map(({ bill_id, loan, amount }) => ({ bill_id, loan_id: loan.id, amount })),
  )
  await bookLines(tx, period, booked)
  await recordBirths(
    tx,
    SERVICE,
    fresh.map(({ id, partner_id }) => ({ id, partner_id, birth: born })),
  )
  for (const { loan } of booked) await syncBillLines(tx, loan.id, SERVICE)
  await markPrepaid(tx, [...inserted])
  for (const bill of fresh) await planBillPayment(tx, SERVICE, bill.id)
  return fresh.length
}
