/** The only SQL that writes the tables of bills (except status: db/move.ts). */
import { type Insertable, type RawBuilder, type Selectable, sql } from 'kysely'
import { enterNames } from '../../platform/db/directory.ts'
import { insertInto } from '../../platform/db/insert.ts'
import { haveKeys, keysBy, type RowKey } from '../../platform/db/of-partner.ts'
import type { DB } from '../../platform/db/schema.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { recordFigures, recordUpdate } from '../../platform/events/index.ts'
import { assert } from '../../platform/kit/assert.ts'
import type { BilledLoan } from '../loans/index.ts'
import type { PrintedLine } from './printed-line.ts'

/** The statuses in which a bill that proves wrong is replaced, as a list in SQL. */
export const REPLACEABLE = sql`('VALIDATED', 'TO_PAY')`

export type BillRow = Selectable<DB['bills']>

/**
 * Inserts bills, one per payer and month, and skips payers already billed for the month; returns
 * the ids of the inserted bills.
 */
export async function insertBills(tx: Tx, rows: Insertable<DB['bills']>[]): Promise<Set<string>> {
  if (rows.length === 0) return new Set()
  const inserted = await tx.all(sql<{ id: string }>`
    ${insertInto('bills', rows)}
    on conflict (partner_id, payer_id, period_from) where status <> 'INVALID' do nothing
    returning id`)
  const fresh = new Set(inserted.map(row => row.id))
  const entered = rows.filter(row => fresh.has(row.id))
  enterNames(tx, 'reference', entered, row => row.reference)
  enterNames(tx, 'bill_number', entered, row => row.invoice_number)
  return fresh
}

/** A condition: loans `l` are billed to these bills' payers, all borrowers or all partners. */
export function paidBy(bills: readonly BillRow[]): RawBuilder<unknown> {
  const borrowers = keysBy(bills, 'borrower_id')
  const partners = bills.map(bill => bill.partner_id)
  return borrowers.length > 0
    ? sql`${haveKeys(borrowers, 'l', 'borrower_id')} and l.fees_payer = 'BORROWER'`
    : sql`l.partner_id = any(${partners}::uuid[]) and l.fees_payer = 'PARTNER'`
}

type NewLine = Omit<LineRow, 'paid' | 'lapsed' | 'credited'> & Partial<LineRow>

export async function insertLines(tx: Tx, rows: readonly NewLine[]): Promise<void> {
  if (rows.length === 0) return
  await tx.run(sql`
    insert into bill_lines (partner_id, bill_id, loan_id, amount, mark_up, paid, lapsed, credited,
      printed)
    select * from unnest(${rows.map(l => l.partner_id)}::uuid[],
      ${rows.map(l => l.bill_id)}::uuid[], ${rows.map(l => l.loan_id)}::uuid[],
      ${rows.map(l => l.amount)}::bigint[], ${rows.map(l => l.mark_up)}::bigint[],
      ${rows.map(l => l.paid ?? 0n)}::bigint[], ${rows.map(l => l.lapsed ?? 0n)}::bigint[],
      ${rows.map(l => l.credited ?? 0n)}::bigint[],
      ${rows.map(l => JSON.stringify(l.printed))}::jsonb[])`)
}

export async function lockBills(tx: Tx, keys: readonly RowKey[]): Promise<BillRow[]> {
  return tx.all(sql<BillRow>`
    select * from bills where ${haveKeys(keys, 'bills')} order by id for no key update`)
}

/**
 * Locks the payers' valid bills, any of which may grant or use a credit. Call before counting
 * credits.
 */
export async function lockBillsOfPayers(tx: Tx, payers: readonly RowKey[]): Promise<void> {
  await tx.run(sql`
    select from bills where ${haveKeys(payers, 'bills', 'payer_id')} and status <> 'INVALID'
    order by id for no key update`)
}

export async function readBills(tx: Tx, keys: readonly RowKey[]): Promise<BillRow[]> {
  return tx.all(sql<BillRow>`select * from bills where ${haveKeys(keys, 'bills')} order by id`)
}

export async function findBill(
  tx: Tx,
  partner_id: string,
  bill_id: string,
): Promise<BillRow | undefined> {
  return tx.maybe(sql<BillRow>`
    select * from bills where id = ${bill_id} and partner_id = ${partner_id}`)
}

export interface LineRow {
  partner_id: string
  bill_id: string
  loan_id: string
  amount: bigint
  mark_up: bigint
  /** Cents settled: by money, by a credit, or by lapse. */
  paid: bigint
  /** Cents of `paid` that are no longer owed because the loan was written off. */
  lapsed: bigint
  /**
   * Cents of `paid` settled without money because later bills credit them. Negative on a line that
   * itself credits unpaid interest of older lines.
   */
  credited: bigint
  printed: PrintedLine[]
}

export type PaidLine = Omit<LineRow, 'printed'> & {
  /** Cents of interest paid specifically for this line's bill. */
  own: bigint
}

export type LoanLine = PaidLine &
  Pick<BilledLoan, 'interest_accrued' | 'interest_billed' | 'interest_paid' | 'written_off_on'> & {
    /** Cents of the loan's paid interest that this line credited. */
    taken: bigint
  }

/** Lines of loans on valid bills, oldest bill first. */
export async function linesOfLoans(tx: Tx, loans: readonly RowKey[]): Promise<LoanLine[]> {
  return tx.all(sql<LoanLine>`
    select l.partner_id, l.bill_id, l.loan_id, l.amount, l.mark_up, l.paid, l.lapsed, l.credited,
      o.interest_accrued, o.interest_billed, o.interest_paid, o.written_off_on,
      (select coalesce(sum(m.interest), 0)::bigint from loan_movements m
      where m.partner_id = l.partner_id and m.loan_id = l.loan_id and m.bill_id = l.bill_id
        and m.kind = 'BILL_PAYMENT' and m.voided_at is null) as own,
      (select coalesce(sum(m.amount), 0)::bigint from loan_movements m
      where m.partner_id = l.partner_id and m.loan_id = l.loan_id
        and m.credit_bill_id = l.bill_id and m.kind = 'CREDIT' and m.voided_at is null) as taken
    from bill_lines l join bills b on b.partner_id = l.partner_id and b.id = l.bill_id
    join loans o on o.partner_id = l.partner_id and o.id = l.loan_id
    where ${haveKeys(loans, 'l', 'loan_id')} and b.status <> 'INVALID'
    order by b.period_from, b.id`)
}

export async function linesOfBills(tx: Tx, bills: readonly RowKey[]): Promise<LineRow[]> {
  return tx.all(sql<LineRow>`
    select * from bill_lines where ${haveKeys(bills, 'bill_lines', 'bill_id')}
    order by bill_id, loan_id`)
}

type NewAmount = Omit<LineRow, 'paid' | 'lapsed' | 'credited'>

/** Sets amounts of bill lines, deleting lines of 0; updates their bills' totals and loan types. */
export async function setLines(tx: Tx, lines: readonly NewAmount[]): Promise<void> {
  const gone = lines.filter(l => l.amount === 0n)
  const kept = lines.filter(l => l.amount !== 0n)
  await tx.run(sql`
    delete from bill_lines l
    using unnest(${gone.map(l => l.partner_id)}::uuid[], ${gone.map(l => l.bill_id)}::uuid[],
      ${gone.map(l => l.loan_id)}::uuid[]) as n (partner_id, bill_id, loan_id)
    where l.partner_id = n.partner_id and l.bill_id = n.bill_id and l.loan_id = n.loan_id`)
  await tx.run(sql`
    insert into bill_lines (partner_id, bill_id, loan_id, amount, mark_up, printed)
    select * from unnest(${kept.map(l => l.partner_id)}::uuid[],
      ${kept.map(l => l.bill_id)}::uuid[], ${kept.map(l => l.loan_id)}::uuid[],
      ${kept.map(l => l.amount)}::bigint[], ${kept.map(l => l.mark_up)}::bigint[],
      ${kept.map(l => JSON.stringify(l.printed))}::jsonb[])
    on conflict (partner_id, bill_id, loan_id) do update
      set amount = excluded.amount, mark_up = excluded.mark_up, printed = excluded.printed`)
  await tx.run(sql`
    update bills b set amount = s.amount, amount_paid = s.paid, loan_types = s.loan_types
    from (select distinct * from unnest(${lines.map(l => l.partner_id)}::uuid[],
        ${lines.map(l => l.bill_id)}::uuid[])) as n (partner_id, id)
    cross join lateral (select coalesce(sum(l.amount), 0)::bigint as amount,
        coalesce(sum(l.paid), 0)::bigint as paid,
        coalesce(array_agg(distinct o.loan_type), '{}') as loan_types
      from bill_lines l join loans o on o.partner_id = l.partner_id and o.id = l.loan_id
      where l.partner_id = n.partner_id and l.bill_id = n.id) s
    where b.partner_id = n.partner_id and b.id = n.id`)
}

export async function addAmounts(
  tx: Tx,
  lines: readonly {
    bill_id: string
    amount: bigint
    loan: { partner_id: string; loan_type: string }
  }[],
): Promise<void> {
  await tx.run(sql`
    update bills b set amount = b.amount + n.amount,
      loan_types = array(select distinct unnest(b.loan_types || n.loan_types) order by 1)
    from (select partner_id, bill_id, sum(amount)::bigint as amount,
        array_agg(distinct loan_type) as loan_types
      from unnest(${lines.map(l => l.loan.partner_id)}::uuid[],
        ${lines.map(l => l.bill_id)}::uuid[], ${lines.map(l => l.amount)}::bigint[],
        ${lines.map(l => l.loan.loan_type)}::text[])
        as n (partner_id, bill_id, amount, loan_type) group by 1, 2) n
    where b.partner_id = n.partner_id and b.id = n.bill_id`)
}

type BillState = Pick<BillRow, 'id' | 'partner_id' | 'status'>

/** A GENERATED bill is a draft, so subscribers do not receive its updates. */
const isDraft = ({ status }: BillState) => status === 'GENERATED'

function recordUpdates(tx: Tx, bills: readonly BillState[]): void {
  for (const bill of bills) if (!isDraft(bill)) recordUpdate(tx, 'bill', bill)
}

/**
 * Stores what bill lines settled, and updates the totals of their bills. The caller has locked the
 * bills.
 */
export async function writePaid(
  tx: Tx,
  lines: readonly Omit<LineRow, 'amount' | 'mark_up' | 'printed'>[],
): Promise<void> {
  // The totals add the lines' changes instead of summing all lines, because a bill may have very
  // many.
  const bills = await tx.all(sql<BillState & Record<'more' | 'lapsed' | 'credited', bigint>>`
    with changed as (
      update bill_lines l set paid = n.paid, lapsed = n.lapsed, credited = n.credited
      from unnest(${lines.map(l => l.partner_id)}::uuid[], ${lines.map(l => l.bill_id)}::uuid[],
        ${lines.map(l => l.loan_id)}::uuid[], ${lines.map(l => l.paid)}::bigint[],
        ${lines.map(l => l.lapsed)}::bigint[],
        ${lines.map(l => l.credited)}::bigint[])
        as n (partner_id, bill_id, loan_id, paid, lapsed, credited)
      join bill_lines o on o.partner_id = n.partner_id and o.bill_id = n.bill_id
        and o.loan_id = n.loan_id
      where l.partner_id = n.partner_id and l.bill_id = n.bill_id and l.loan_id = n.loan_id
      returning n.partner_id, l.bill_id, n.paid - o.paid as more, n.lapsed - o.lapsed as lapsed,
        n.credited - o.credited as credited)
    update bills b set amount_paid = b.amount_paid + c.more
    from (select partner_id, bill_id, sum(more)::bigint as more, sum(lapsed)::bigint as lapsed,
        sum(credited)::bigint as credited from changed group by 1, 2) c
    where b.partner_id = c.partner_id and b.id = c.bill_id
    returning b.id, b.partner_id, b.status, c.more, c.lapsed, c.credited`)
  for (const { more: paid, lapsed, credited, ...bill } of bills) {
    if (!isDraft(bill)) recordFigures(tx, 'bill', bill, { paid, lapsed, credited })
  }
}

/**
 * Records a planned refund of a bill's credit, in cents; a negative amount removes a refund that
 * will not be paid.
 */
export function recordRefund(tx: Tx, bill: RowKey, cents: bigint): void {
  recordFigures(tx, 'bill', bill, { refunded: cents })
}

export async function setIssued(
  tx: Tx,
  issued: readonly (RowKey & { number: string; document_id: string })[],
): Promise<void> {
  const changed = await tx.all(sql<BillState & { number: string; was: string | null }>`
    update bills b set invoice_number = n.number, document_id = n.document_id
    from unnest(${issued.map(i => i.partner_id)}::uuid[], ${issued.map(i => i.id)}::uuid[],
      ${issued.map(i => i.number)}::text[], ${issued.map(i => i.document_id)}::uuid[])
      as n (partner_id, id, number, document_id)
    join bills o on o.partner_id = n.partner_id and o.id = n.id
    where b.partner_id = n.partner_id and b.id = n.id
      and (b.invoice_number, b.document_id) is distinct from (n.number, n.document_id)
    returning b.id, b.partner_id, b.status, n.number, o.invoice_number as was`)
  assert(
    changed.every(({ number, was }) => was === null || was === number),
    "a bill's number stays",
  )
  const first = changed.filter(bill => bill.was === null)
  enterNames(tx, 'bill_number', first, bill => bill.number)
  recordUpdates(tx, changed)
}

/** Sets the addresses that bills are mailed to. The times of sending are stored with the mails. */
export async function setRecipients(
  tx: Tx,
  mailed: readonly (RowKey & { sent_to: readonly string[] })[],
): Promise<void> {
  await tx.run(sql`
    update bills b set sent_to = n.sent_to
    from jsonb_to_recordset(${JSON.stringify(mailed)}::jsonb)
      as n (partner_id uuid, id uuid, sent_to text[])
    where b.partner_id = n.partner_id and b.id = n.id`)
}

/**
 * Records an update of a bill whose first mail has been sent, because views show the time. Does
 * nothing if the partner has reported sending the bill itself.
 */
export async function recordMailed(
  tx: Tx,
  { partner_id, bill_id }: { partner_id: string; bill_id: string },
): Promise<void> {
  const changed = await tx.all(sql<BillState>`
    select id, partner_id, status from bills
    where partner_id = ${partner_id} and id = ${bill_id} and email_sent_at is null
    for no key update`)
  recordUpdates(tx, changed)
}

/** Stores when a partner sent a bill itself, and to which addresses; views show the time. */
export async function setSent(
  tx: Tx,
  { partner_id, id }: RowKey,
  sent_at: Date,
  sent_to: readonly string[],
): Promise<void> {
  const bill = await tx.one(sql<BillState & { moved: boolean }>`
    update bills b set email_sent_at = ${sent_at}, sent_to = ${[...sent_to]}::text[]
    from bills o where b.partner_id = ${partner_id} and b.id = ${id}
      and o.partner_id = b.partner_id and o.id = b.id
    returning b.id, b.partner_id, b.status,
      b.email_sent_at is distinct from o.email_sent_at as moved`)
  if (bill.moved) recordUpdates(tx, [bill])
}

export async function setDueOn(
  tx: Tx,
  bills: readonly Pick<BillRow, 'id' | 'partner_id' | 'due_on'>[],
): Promise<void> {
  const changed = await tx.all(sql<BillState>`
    update bills b set due_on = n.due_on
    from unnest(${bills.map(b => b.partner_id)}::uuid[], ${bills.map(b => b.id)}::uuid[],
      ${bills.map(b => b.due_on)}::date[]) as n (partner_id, id, due_on)
    where b.partner_id = n.partner_id and b.id = n.id and b.due_on <> n.due_on
    returning b.id, b.partner_id, b.status`)
  recordUpdates(tx, changed)
}

/** Stores the cents paid before a bill is sent; the bill requests only the rest. */
export async function markPrepaid(tx: Tx, bills: readonly RowKey[]): Promise<void> {
  await tx.run(sql`
    update bills set amount_prepaid = amount_paid
    where ${haveKeys(bills, 'bills')} and amount_prepaid <> amount_paid`)
}

/**
 * Returns one number per bill, in order; `credits` marks credit notes, which have a separate
 * series. Numbers are never reused: the number of a bill that is not issued after all leaves a gap.
 */
export async function nextInvoiceNumbers(
  tx: Tx,
  year: number,
  credits: readonly boolean[],
): Promise<string[]> {
  if (credits.length === 0) return []
  const rows = await tx.all(sql<{ is_credit: boolean; n: bigint }>`
    select n.is_credit, n.n from (
      select c.is_credit, nextval(case when c.is_credit then 'credit_note_numbers'
        else 'bill_numbers' end::regclass) as n
      from unnest(${credits}::boolean[]) as c (is_credit)) n
    order by n.n`)
  const [notes, bills] = [rows.filter(row => row.is_credit), rows.filter(row => !row.is_credit)]
  return credits.map(is_credit => {
    const { n } = (is_credit ? notes : bills).shift()!
    return `${is_credit ? 'HRC' : 'HR'}-${year}-${String(n).padStart(6, '0')}`
  })
}

export async function numbersOf(
  tx: Tx,
  bills: readonly RowKey[],
): Promise<Map<string, string | null>> {
  if (bills.length === 0) return new Map()
  const rows = await tx.all(sql<{ id: string; invoice_number: string | null }>`
    select id, invoice_number from bills where ${haveKeys(bills, 'bills')}`)
  return new Map(rows.map(row => [row.id, row.invoice_number]))
}

export async function insertShares(
  tx: Tx,
  rows: readonly Insertable<DB['partner_shares']>[],
): Promise<void> {
  await tx.run(insertInto('partner_shares', rows))
}

/** The ids of a partner's bills and of all their versions: bills of the same payer and month. */
export async function versionsOf(
  tx: Tx,
  partner_id: string,
  bill_ids: readonly string[],
): Promise<string[]> {
  const rows = await tx.all(sql<{ id: string }>`
    select distinct v.id from bills b
    join bills v on v.partner_id = b.partner_id and v.payer_id = b.payer_id
      and v.period_from = b.period_from
    where b.partner_id = ${partner_id} and b.id = any(${bill_ids}::uuid[]) order by v.id`)
  return rows.map(row => row.id)
}

/**
 * Moves a partner's bills `b` that match a condition into a plan, or out of their plans if
 * `plan_id` is null. Returns the moved bills that are still open, and the open bills with lines for
 * the loans in `loan_ids`.
 */
export async function moveBillsToPlan(
  tx: Tx,
  partner_id: string,
  which: RawBuilder<unknown>,
  plan_id: string | null,
  loan_ids: readonly string[],
): Promise<RowKey[]> {
  return tx.all(sql<RowKey>`
    with moved as (update bills b set installment_plan_id = ${plan_id}
      where b.partner_id = ${partner_id} and ${which} returning b.id)
    select b.partner_id, b.id from bills b
    where b.partner_id = ${partner_id} and b.status not in ('PAID', 'INVALID')
      and (b.id in (select id from moved) or exists (select from bill_lines i
        where i.partner_id = ${partner_id} and i.bill_id = b.id
          and i.loan_id = any(${loan_ids}::uuid[])))
    order by b.id`)
}
