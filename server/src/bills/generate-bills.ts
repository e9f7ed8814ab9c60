/** The month-end run: the interest of the month before, set-wise, in restartable slices. */
import { sql } from 'kysely'
import { type Actor, birth, recordBirths } from '../db/move.ts'
import { type Database, type Tx, transaction } from '../db/transaction.ts'
import type { Day } from '../kit/dates.ts'
import { rfReference } from '../kit/reference.ts'
import { addLines } from './add-lines.ts'
import { type Line, payerOf, totalOf, unbilledLines } from './lines.ts'
import { planBillPayments } from './plan-bill-payment.ts'
import { type Period, periodBilledIn } from './rules.ts'
import { insertBills, lockBills, markPrepaid } from './store.ts'

const SERVICE: Actor = 'service'
const SLICE = 200
/** Loans of a partner's bill that are counted in one transaction. */
const LOANS_SLICE = 500
const FIRST = '00000000-0000-0000-0000-000000000000'

/** Bills whoever owes more interest than was billed; answers how many bills were made. */
export async function generateBills(database: Database, today: Day): Promise<number> {
  const period = periodBilledIn(today)
  const all = { partners: '*' } as const
  let bills = 0
  for (let after: string | null = FIRST; after; ) {
    const slice = await transaction(database, all, tx => billBorrowers(tx, period, after!))
    after = slice.last
    bills += slice.bills
  }
  const partners = await transaction(database, { ...all, read_only: true }, tx =>
    tx.all(sql<{ id: string }>`
      select p.id from partners p where exists (select from loans l
        where l.partner_id = p.id and ${UNBILLED_OF_PARTNERS}) order by p.id`),
  )
  for (const { id } of partners) {
    for (let after: string | null = FIRST; after; ) {
      const slice = await transaction(database, all, tx => billPartner(tx, period, id, after!))
      after = slice.last
      bills += slice.bills
    }
  }
  return bills
}

/** Loans whose interest a partner is still to be billed, as their index has it. */
const UNBILLED_OF_PARTNERS = sql`l.fees_payer = 'PARTNER' and (
  l.interest_billed <> l.interest_accrued or l.status in ('TO_REPAY', 'TO_REPAY_FEES'))`

interface Slice {
  /** Where the next one begins; null when there is none. */
  last: string | null
  bills: number
}

async function billBorrowers(tx: Tx, period: Period, after: string): Promise<Slice> {
  const borrowers = await tx.all(sql<{ borrower_id: string }>`
    select distinct borrower_id from loans
    where borrower_id > ${after} and (interest_billed <> interest_accrued
      or paid_out_on <= ${period.to} and status in ('TO_REPAY', 'TO_REPAY_FEES'))
    order by borrower_id limit ${SLICE}`)
  const ids = borrowers.map(b => b.borrower_id)
  if (ids.length === 0) return { last: null, bills: 0 }
  const unbilled = await tx.all(sql<{ id: string }>`
    select l.id from loans l
    where l.borrower_id = any(${ids}::uuid[]) and l.fees_payer = 'BORROWER'
      and (l.paid_out_on <= ${period.to} or l.interest_billed <> 0)
      and not exists (select from bills b where b.payer_id = l.borrower_id
        and b.period_from = ${period.from} and b.status <> 'INVALID')`)
  const lines = await linesOf(tx, unbilled, period)
  // No bill of 0; what a loan was billed too much makes a line, or the whole, a credit.
  const groups = [...Map.groupBy(lines, line => line.loan.borrower_id).values()]
  const bills = await writeBills(
    tx,
    period,
    groups.filter(own => totalOf(own) !== 0n),
  )
  return { last: ids.at(-1)!, bills }
}

/**
 * A partner's bill has the loans of many borrowers: it is made with the first slice of them and
 * grows with each further one. What a slice has billed it finds billed when it runs again.
 */
async function billPartner(
  tx: Tx,
  period: Period,
  partner_id: string,
  after: string,
): Promise<Slice> {
  const loans = await tx.all(sql<{ id: string }>`
    select l.id from loans l
    where l.partner_id = ${partner_id} and l.id > ${after} and ${UNBILLED_OF_PARTNERS}
    order by l.id limit ${LOANS_SLICE}`)
  if (loans.length === 0) return { last: null, bills: 0 }
  const next = { last: loans.at(-1)!.id, bills: 0 }
  const lines = await linesOf(tx, loans, period)
  if (lines.length === 0) return next
  const known = await tx.maybe(sql<{ id: string }>`
    select id from bills where payer_id = ${partner_id} and period_from = ${period.from}
      and status <> 'INVALID'`)
  if (!known) return { ...next, bills: await writeBills(tx, period, [lines]) }
  const [bill] = await lockBills(tx, [known.id])
  // Once it is sent the next one takes what is still missing.
  if (bill?.status !== 'GENERATED') return next
  await addLines(
    tx,
    SERVICE,
    period,
    lines.map(line => ({ ...line, bill_id: bill.id })),
  )
  await finish(tx, [bill.id])
  return next
}

async function linesOf(tx: Tx, loans: readonly { id: string }[], period: Period): Promise<Line[]> {
  const ids = loans.map(loan => loan.id)
  return (await unbilledLines(tx, ids, period)).filter(line => line.amount !== 0n)
}

/** Writes a bill for each group of lines, which have one payer. */
async function writeBills(tx: Tx, period: Period, groups: readonly Line[][]): Promise<number> {
  const born = birth('bill', [])
  const made = groups.map(lines => {
    const { loan } = lines[0]!
    const id = tx.newId()
    const bill = {
      id,
      payer_id: payerOf(loan),
      borrower_id: loan.fees_payer === 'PARTNER' ? null : loan.borrower_id,
      partner_id: loan.partner_id,
      status: born.status,
      period_from: period.from,
      period_to: period.to,
      due_on: period.due_on,
      amount: 0n,
      currency: 'EUR',
      reference: rfReference(id),
      ran_at: tx.now,
      created_at: tx.now,
    }
    return { bill, lines: lines.map(line => ({ ...line, bill_id: id })) }
  })
  const inserted = await insertBills(
    tx,
    made.map(m => m.bill),
  )
  const fresh = made.filter(m => inserted.has(m.bill.id))
  await addLines(
    tx,
    SERVICE,
    period,
    fresh.flatMap(m => m.lines),
  )
  const births = fresh.map(m => ({ ...m.bill, birth: born }))
  await recordBirths(tx, SERVICE, births)
  await finish(tx, [...inserted])
  return fresh.length
}

async function finish(tx: Tx, bill_ids: readonly string[]): Promise<void> {
  await markPrepaid(tx, bill_ids)
  await planBillPayments(tx, SERVICE, bill_ids)
}
