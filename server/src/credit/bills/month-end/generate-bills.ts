/** The month-end run: bills the previous month's interest in bulk, in restartable pages. */
import { type RawBuilder, sql } from 'kysely'
import { lockExposure } from '../../../companies/credit-lines/index.ts'
import { initialStatus, recordCreation } from '../../../platform/db/move.ts'
import { haveKeys, keysBy, type RowKey } from '../../../platform/db/of-partner.ts'
import {
  BEFORE_ALL_IDS,
  BEFORE_ALL_KEYS,
  batchOrIndividually,
  inParallel,
  throwAggregate,
} from '../../../platform/db/slices.ts'
import { type Database, type Tx, transaction } from '../../../platform/db/transaction.ts'
import type { Day } from '../../../platform/kit/dates.ts'
import { rfReference } from '../../../platform/kit/reference.ts'
import { planBillPayments } from '../collection/plan-bill-payments.ts'
import { type Line, totalOf, unbilledLinesOf } from '../lines.ts'
import { LOANS_SLICE, type Period, periodBilledIn } from '../rules.ts'
import { addAmounts, insertBills, lockBills, markPrepaid } from '../store.ts'
import { addLines } from './add-lines.ts'

/**
 * Borrowers per page. With larger pages, parallel workers get uneven loads; smaller ones gain
 * nothing.
 */
const SLICE = 100

const ALL = { partners: '*', actor: 'service' } as const

/**
 * Bills all payers with unbilled interest; returns the number of bills generated. A failing payer
 * does not hold up the others: failures are thrown at the end.
 */
export async function generateBills(database: Database, today: Day): Promise<number> {
  const period = periodBilledIn(today)
  const failures: unknown[] = []
  let bills = 0
  const next = (after: RowKey) =>
    transaction(database, { ...ALL, read_only: true }, tx => borrowersToBill(tx, period, after))
  await inParallel(BEFORE_ALL_KEYS, next, async page => {
    const made = await batchOrIndividually(page, failures, borrowers =>
      billBatch(database, period, borrowers),
    )
    bills += made
  })
  const partners = await transaction(database, { ...ALL, read_only: true }, tx =>
    tx.all(sql<{ id: string }>`
      select p.id from partners p where exists (select from loans l
        where l.partner_id = p.id and ${UNBILLED_OF_PARTNERS}) order by p.id`),
  )
  for (const { id } of partners) {
    bills += await batchOrIndividually([id], failures, () => billPartnerLoans(database, period, id))
  }
  throwAggregate('bills to generate', failures)
  return bills
}

/** Bills borrowers. Those that receive credits are billed last, in a separate transaction. */
async function billBatch(
  database: Database,
  period: Period,
  borrowers: readonly RowKey[],
): Promise<number> {
  const { bills, credited } = await transaction(database, ALL, tx =>
    billBorrowers(tx, period, borrowers),
  )
  if (credited.length === 0) return bills
  return bills + (await transaction(database, ALL, tx => billCredited(tx, period, credited)))
}

async function billPartnerLoans(
  database: Database,
  period: Period,
  partner_id: string,
): Promise<number> {
  let bills = 0
  for (let after: string | null = BEFORE_ALL_IDS; after; ) {
    const from: string = after
    const slice = await transaction(database, ALL, tx => billPartner(tx, period, partner_id, from))
    after = slice.last
    bills += slice.bills
    if (slice.credited.length === 0) continue
    bills += await transaction(database, ALL, tx =>
      billCreditedLoans(tx, period, partner_id, slice.credited),
    )
  }
  return bills
}

/**
 * Loans `l` that may have interest to bill to their partner. The condition must match the partial
 * index `loans_partner_unbilled`.
 */
const UNBILLED_OF_PARTNERS = sql`l.fees_payer = 'PARTNER' and (
  l.unbilled or l.status in ('TO_REPAY', 'TO_REPAY_FEES'))`

interface Slice {
  /** The id after which the next slice begins; null if no loans were left. */
  last: string | null
  bills: number
  /**
   * Ids of borrowers, or of loans on a partner's bill, that were skipped because they receive
   * credits. Credits move money, so partners and credit lines must be locked before the loans.
   * Billing the others takes no such locks, so API requests do not wait for it.
   */
  credited: RowKey[]
}

const isCredit = (line: Line) => line.amount < 0n

/** Loose index scan: jumps from borrower to borrower in the index instead of reading every loan. */
async function borrowersToBill(tx: Tx, period: Period, after: RowKey): Promise<RowKey[]> {
  const isToBill = sql`(l.unbilled
    or l.paid_out_on <= ${period.to} and l.status in ('TO_REPAY', 'TO_REPAY_FEES'))`
  const nextAfter = (partner_id: unknown, borrower_id: unknown) => sql`
    select l.partner_id, l.borrower_id from loans l
    where (l.partner_id, l.borrower_id) > (${partner_id}, ${borrower_id}) and ${isToBill}
    order by l.partner_id, l.borrower_id limit 1`
  return tx.all(sql<RowKey>`
    with recursive due as (
      select f.*, 1 as place from (${nextAfter(after.partner_id, after.id)}) f
      union all
      select n.*, d.place + 1 from due d cross join lateral (
          ${nextAfter(sql.ref('d.partner_id'), sql.ref('d.borrower_id'))}) n
        where d.place < ${SLICE})
    select partner_id, borrower_id as id from due order by partner_id, borrower_id`)
}

async function billBorrowers(
  tx: Tx,
  period: Period,
  borrowers: readonly RowKey[],
): Promise<Omit<Slice, 'last'>> {
  const groups = await groupsOf(tx, period, borrowers)
  const [credits, others] = [
    groups.filter(g => g.some(isCredit)),
    groups.filter(g => !g.some(isCredit)),
  ]
  const loans = credits.map(own => own[0]!.loan)
  const credited = keysBy(loans, 'borrower_id')
  return { bills: await writeBills(tx, period, others), credited }
}

async function billCredited(tx: Tx, period: Period, borrowers: readonly RowKey[]): Promise<number> {
  await lockExposure(
    tx,
    borrowers.map(borrower => borrower.partner_id),
    borrowers,
  )
  return writeBills(tx, period, await groupsOf(tx, period, borrowers))
}

/** The lines still to be billed, grouped by borrower; omits borrowers whose total is 0. */
async function groupsOf(tx: Tx, period: Period, borrowers: readonly RowKey[]): Promise<Line[][]> {
  const lines = await linesOf(
    tx,
    sql`${haveKeys(borrowers, 'l', 'borrower_id')} and l.fees_payer = 'BORROWER'
      and (l.paid_out_on <= ${period.to} or l.interest_billed <> 0)`,
    period,
  )
  // A bill never totals 0. Overbilled amounts can make a line, or the whole bill, negative.
  const groups = [...Map.groupBy(lines, line => line.loan.borrower_id).values()]
  return groups.filter(own => totalOf(own) !== 0n)
}

/**
 * Bills one slice of a partner's loans. The first slice creates the bill, and each further slice
 * adds lines to it. Repeating a slice has no effect, because its loans are already billed.
 */
async function billPartner(
  tx: Tx,
  period: Period,
  partner_id: string,
  after: string,
): Promise<Slice> {
  const loans = await tx.all(sql<RowKey>`
    select l.partner_id, l.id from loans l
    where l.partner_id = ${partner_id} and l.id > ${after} and ${UNBILLED_OF_PARTNERS}
    order by l.id limit ${LOANS_SLICE}`)
  if (loans.length === 0) return { last: null, bills: 0, credited: [] }
  const lines = await linesOf(tx, haveKeys(loans, 'l'), period)
  const others = lines.filter(line => !isCredit(line))
  const bills = await addToPartnerBill(tx, period, partner_id, others)
  const credited = lines.filter(isCredit).map(line => line.loan)
  return { last: loans.at(-1)!.id, bills, credited }
}

async function billCreditedLoans(
  tx: Tx,
  period: Period,
  partner_id: string,
  keys: readonly RowKey[],
): Promise<number> {
  const loans = await tx.all(sql<RowKey & { borrower_id: string }>`
    select partner_id, id, borrower_id from loans where ${haveKeys(keys, 'loans')} order by id`)
  await lockExposure(tx, [partner_id], keysBy(loans, 'borrower_id'))
  return addToPartnerBill(tx, period, partner_id, await linesOf(tx, haveKeys(loans, 'l'), period))
}

/** Creates the partner's bill or adds these lines to it; returns the number of bills created. */
async function addToPartnerBill(
  tx: Tx,
  period: Period,
  partner_id: string,
  lines: readonly Line[],
): Promise<number> {
  if (lines.length === 0) return 0
  const known = await tx.maybe(sql<{ id: string }>`
    select id from bills
    where partner_id = ${partner_id} and payer_id = ${partner_id}
      and period_from = ${period.from} and status <> 'INVALID'`)
  if (!known) return writeBills(tx, period, [lines])
  const [bill] = await lockBills(tx, [{ partner_id, id: known.id }])
  // Missing lines of a bill that has already been issued go on the next bill.
  if (bill?.status !== 'GENERATED') return 0
  const more = lines.map(line => ({ ...line, bill_id: bill.id }))
  await addAmounts(tx, more)
  await addLines(tx, period, more)
  await finish(tx, [bill])
  return 0
}

async function linesOf(tx: Tx, which: RawBuilder<unknown>, period: Period): Promise<Line[]> {
  return (await unbilledLinesOf(tx, which, period)).filter(line => line.amount !== 0n)
}

/**
 * Inserts a bill for each group of lines; all lines of a group have the same payer. Skips payers
 * that already have a bill for the month. Returns the number inserted.
 */
async function writeBills(
  tx: Tx,
  period: Period,
  groups: readonly (readonly Line[])[],
): Promise<number> {
  const initial = initialStatus('bill', [])
  const made = groups.map(lines => {
    const { loan } = lines[0]!
    const id = tx.newId()
    const bill = {
      id,
      payer_id: loan.payer_id,
      borrower_id: loan.fees_payer === 'PARTNER' ? null : loan.borrower_id,
      partner_id: loan.partner_id,
      status: initial.status,
      period_from: period.from,
      period_to: period.to,
      due_on: period.due_on,
      amount: totalOf(lines),
      loan_types: [...new Set(lines.map(line => line.loan.loan_type))].sort(),
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
    period,
    fresh.flatMap(m => m.lines),
  )
  const births = fresh.map(m => ({ ...m.bill, initial }))
  recordCreation(tx, births)
  await finish(
    tx,
    fresh.map(m => m.bill),
  )
  return fresh.length
}

async function finish(tx: Tx, bills: readonly RowKey[]): Promise<void> {
  await markPrepaid(tx, bills)
  await planBillPayments(tx, bills)
}
