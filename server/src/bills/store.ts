/** The only SQL that writes the tables of bills (their status: db/move.ts). */
import { type Insertable, type Selectable, sql } from 'kysely'
import { insertInto } from '../db/insert.ts'
import type { DB } from '../db/schema.ts'
import type { Tx } from '../db/transaction.ts'

export type BillRow = Selectable<DB['bills']>

/** Inserts bills and answers those that were not there: one a borrower and month. */
export async function insertBills(tx: Tx, rows: Insertable<DB['bills']>[]): Promise<Set<string>> {
  if (rows.length === 0) return new Set()
  const inserted = await tx.all(sql<{ id: string }>`
    ${insertInto('bills', rows)}
    on conflict (borrower_id, period_from) where status <> 'INVALID' do nothing returning id`)
  return new Set(inserted.map(row => row.id))
}

export async function insertLines(tx: Tx, rows: Insertable<DB['bill_lines']>[]): Promise<void> {
  if (rows.length > 0) await tx.run(insertInto('bill_lines', rows))
}

export async function lockBills(tx: Tx, ids: readonly string[]): Promise<BillRow[]> {
  return tx.all(sql<BillRow>`
    select * from bills where id = any(${ids}::uuid[]) order by id for no key update`)
}

export interface LineRow {
  bill_id: string
  loan_id: string
  amount: bigint
  paid: bigint
}

/** A loan's lines on valid bills, oldest bill first, and what came for each of them (`own`). */
export async function linesOfLoan(tx: Tx, loan_id: string): Promise<(LineRow & { own: bigint })[]> {
  return tx.all(sql<LineRow & { own: bigint }>`
    select l.*, (select coalesce(sum(m.interest), 0) from loan_movements m
      where m.loan_id = l.loan_id and m.bill_id = l.bill_id and m.kind = 'BILL_PAYMENT'
        and m.voided_at is null) as own
    from bill_lines l join bills b on b.id = l.bill_id
    where l.loan_id = ${loan_id} and b.status <> 'INVALID' order by b.period_from, b.id`)
}

export async function linesOfBill(tx: Tx, bill_id: string): Promise<LineRow[]> {
  return tx.all(sql<LineRow>`select * from bill_lines where bill_id = ${bill_id}`)
}

/** Gives a bill's lines other amounts, 0 taking one away, and the bill its new total. */
export async function setLines(
  tx: Tx,
  bill_id: string,
  lines: readonly { loan_id: string; amount: bigint }[],
): Promise<void> {
  const gone = lines.filter(l => l.amount === 0n).map(l => l.loan_id)
  const kept = lines.filter(l => l.amount !== 0n)
  await tx.run(sql`
    delete from bill_lines where bill_id = ${bill_id} and loan_id = any(${gone}::uuid[])`)
  await tx.run(sql`
    insert into bill_lines (bill_id, loan_id, amount)
    select ${bill_id}, * from unnest(${kept.map(l => l.loan_id)}::uuid[],
      ${kept.map(l => l.amount)}::bigint[])
    on conflict (bill_id, loan_id) do update set amount = excluded.amount`)
  await tx.run(sql`
    update bills b set amount = s.amount, amount_paid = s.paid
    from (select coalesce(sum(amount), 0)::bigint as amount, coalesce(sum(paid), 0)::bigint as paid
      from bill_lines where bill_id = ${bill_id}) s
    where b.id = ${bill_id}`)
}

/** Writes what is paid of lines, and of their bills. */
export async function writePaid(tx: Tx, lines: readonly LineRow[]): Promise<void> {
  await tx.run(sql`
    update bill_lines l set paid = n.paid
    from unnest(${lines.map(l => l.bill_id)}::uuid[], ${lines.map(l => l.loan_id)}::uuid[],
      ${lines.map(l => l.paid)}::bigint[]) as n (bill_id, loan_id, paid)
    where l.bill_id = n.bill_id and l.loan_id = n.loan_id`)
  await tx.run(sql`
    update bills b
    set amount_paid = (select coalesce(sum(paid), 0) from bill_lines l where l.bill_id = b.id)
    where b.id = any(${lines.map(l => l.bill_id)}::uuid[])`)
}

export async function setIssued(
  tx: Tx,
  bill_id: string,
  issued: { invoice_number: string; document_id: string },
): Promise<void> {
  await tx.run(sql`
    update bills set invoice_number = ${issued.invoice_number}, document_id = ${issued.document_id},
      email_sent_at = ${tx.now} where id = ${bill_id}`)
}

/** What was paid before a bill is sent: it asks for the rest. */
export async function markPrepaid(tx: Tx, bill_ids: readonly string[]): Promise<void> {
  await tx.run(sql`
    update bills set amount_prepaid = amount_paid where id = any(${bill_ids}::uuid[])`)
}

/** Numbers are given once a bill is issued, and never again. */
export async function nextInvoiceNumber(tx: Tx, year: number): Promise<string> {
  const { n } = await tx.one(sql<{ n: bigint }>`select nextval('bill_numbers') as n`)
  return `HR-${year}-${String(n).padStart(6, '0')}`
}
