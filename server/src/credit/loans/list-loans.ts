/** Lists loans and their events. */
import type { LoanEvent, LogEvent, Status, Trigger } from '@headroom/contract'
import { type RawBuilder, sql } from 'kysely'
import { findBorrowerIds } from '../../companies/borrowers/index.ts'
import type { Call } from '../../context.ts'
import {
  type FilteredRows,
  filteredRows,
  likePattern,
  newestFirst,
  type Order,
  type Page,
  readPage,
  viewPage,
} from '../../platform/db/page.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { addDays, readWireDay, readWireMoment } from '../../platform/kit/dates.ts'
import { toWire } from '../../platform/kit/money.ts'
import { lateOn } from './due-facts.ts'
import { selectLoans, viewLoan } from './queries.ts'

const ORDERS: Record<string, RawBuilder<unknown>> = {
  to_pay_at: sql.ref('l.to_pay_on'),
  to_repay_at: sql.ref('l.falls_due_on'),
}

function orderOf(sort_by: string | undefined): Order {
  const [field, direction] = (sort_by ?? 'created_at:desc').split(':') as [string, 'asc' | 'desc']
  const column = ORDERS[field]
  const id = { sql: sql.ref('l.id'), cast: 'uuid' } as const
  return { columns: column ? [{ sql: column, cast: 'date' }, id] : [id], direction }
}

function everyCondition(conditions: (RawBuilder<unknown> | null)[]): RawBuilder<unknown> {
  const set = conditions.filter(c => c !== null)
  return set.length === 0 ? sql`true` : sql.join(set, sql` and `)
}

/** `from` is inclusive, `to` exclusive. */
function between(
  column: string,
  from: string | undefined,
  to: string | undefined,
): RawBuilder<unknown> {
  return everyCondition([
    from === undefined ? null : sql`${sql.ref(column)} >= ${readWireDay(from)}::date`,
    to === undefined ? null : sql`${sql.ref(column)} < ${readWireDay(to)}::date`,
  ])
}

export async function listLoans(tx: Tx, call: Call<'listLoans'>) {
  const { query: q, caller } = call
  const within = q.to_repay_at_within_days
  const borrower_ids = q.borrower && (await findBorrowerIds(tx, caller.partner_id, q.borrower))
  const status = readStatus(q.status)
  const { rows, by } = readFrom(tx, caller.partner_id, { ...q, status, borrower_ids })
  const isAnyOf = (column: string, values: string[] | undefined, cast: 'uuid' | 'text') =>
    values && by !== column
      ? sql`${sql.ref(`l.${column}`)} = any(${values}::text[]::${sql.raw(cast)}[])`
      : null
  const filters = everyCondition([
    sql`l.partner_id = ${caller.partner_id}`,
    isAnyOf('id', q.id, 'uuid'),
    isAnyOf('borrower_id', borrower_ids, 'uuid'),
    isAnyOf('loan_type', q.loan_type, 'text'),
    by === 'status' ? null : withStatus(tx, status),
    between('l.to_pay_on', q.to_pay_at_from, q.to_pay_at_to),
    between('l.falls_due_on', q.to_repay_at_from, q.to_repay_at_to),
    between(
      'l.contractual_repayment_on',
      q.contractual_repayment_date_from,
      q.contractual_repayment_date_to,
    ),
    within === undefined
      ? null
      : sql`l.falls_due_on between ${tx.today} and ${addDays(tx.today, within)}`,
    q.postponed === undefined
      ? null
      : q.postponed
        ? sql`l.to_repay_on > l.contractual_repayment_on`
        : sql`not l.to_repay_on > l.contractual_repayment_on`,
    // Loans have no guarantors.
    q.guarantee_called ? sql`false` : null,
    q.guarantor === undefined ? null : sql`false`,
    q.query === undefined ? null : await search(tx, caller.partner_id, q.query),
  ])
  const page = await readPage(
    tx,
    { path: call.path, page_size: q.page_size, cursor: q.cursor },
    orderOf(q.sort_by),
    (where, key, in_order) => selectLoans(sql`${filters} and ${where}`, key, rows(in_order)),
  )
  return viewPage(page, loan => viewLoan(tx, loan))
}

/**
 * A status filter kept for clients of version 2023-09; the status of an overdue loan is TO_REPAY.
 */
const OVERDUE = 'OVERDUE'

interface StatusFilter {
  readonly names: readonly string[]
  /** Whether to include overdue loans. False if all TO_REPAY loans are included anyway. */
  readonly late: boolean
}

function readStatus(statuses: readonly string[] | undefined): StatusFilter | null {
  if (!statuses) return null
  const names = statuses.filter(name => name !== OVERDUE)
  return { names, late: names.length < statuses.length && !names.includes('TO_REPAY') }
}

/**
 * Loans `d` recorded as overdue (`k`), except those repaid or postponed since. The `limit` makes
 * the database look them up one by one, because only a few TO_REPAY loans are overdue.
 */
function fromLate({ today }: Tx): RawBuilder<unknown> {
  return sql`from late_loans k cross join lateral (select o.* from loans o
    where o.partner_id = k.partner_id and o.id = k.loan_id and o.status = 'TO_REPAY'
      and ${lateOn('o')} < ${today} limit 1) d`
}

function withStatus(tx: Tx, status: StatusFilter | null): RawBuilder<unknown> | null {
  if (!status) return null
  const named = sql`l.status = any(${status.names}::text[])`
  if (!status.late) return named
  return sql`(${named} or exists (select ${fromLate(tx)}
    where k.partner_id = l.partner_id and k.loan_id = l.id))`
}

interface LoanFilter {
  id?: string[] | undefined
  borrower_ids?: string[] | undefined
  status: StatusFilter | null
  loan_type?: string[] | undefined
}

/** The source of a list: rows selected by the filter that probably matches the fewest. */
function readFrom(
  tx: Tx,
  partner_id: string,
  { id, borrower_ids, status, loan_type }: LoanFilter,
): FilteredRows {
  const named = filteredRows('loans', partner_id, [
    ['id', id, 'uuid'],
    ['borrower_id', borrower_ids, 'uuid'],
    ['status', status?.names, 'text'],
    ['loan_type', loan_type, 'text'],
  ])
  if (named.by !== 'status' || !status!.late) return named
  const late = sql`select d.* ${fromLate(tx)} where k.partner_id = ${partner_id}`
  if (status!.names.length === 0) return { rows: () => sql`(${late})`, by: 'status' }
  const rows = (in_order: RawBuilder<unknown>) => sql`(
    (${late} ${in_order}) union all (select * from ${named.rows(in_order)} o ${in_order}))`
  return { rows, by: 'status' }
}

const FOUND_MAX = 10_001

/**
 * Free-text search by borrower, invoice and references. Matching borrowers and invoices are looked
 * up once instead of per loan, and matching loans once for both the page and its total.
 */
async function search(tx: Tx, partner_id: string, text: string): Promise<RawBuilder<unknown>> {
  const like = likePattern(text)
  // Ids are in lower case and references in upper case, so a case-sensitive comparison suffices,
  // which is much cheaper.
  const [inIds, inReferences] = [likePattern(text.toLowerCase()), likePattern(text.toUpperCase())]
  const named = await tx.all(sql<{ id: string }>`
    select id from borrowers
    where partner_id = ${partner_id} and (name ilike ${like} or identifier ilike ${like})`)
  const financed = await tx.all(sql<{ id: string }>`
    select f.loan_id as id from invoices i
    join invoice_loans f on f.partner_id = i.partner_id and f.invoice_id = i.id
    where i.partner_id = ${partner_id} and i.invoice_number ilike ${like}`)
  const matches = sql`(l.borrower_id = any(${named.map(b => b.id)}::uuid[])
    or l.id = any(${financed.map(f => f.id)}::uuid[]) or l.repayment_reference like ${inReferences}
    or l.id::text like ${inIds} or l.salt_id ilike ${like})`
  const found = await tx.all(sql<{ id: string }>`
    select l.id from loans l where l.partner_id = ${partner_id} and ${matches}
    limit ${sql.lit(FOUND_MAX)}`)
  // With this many matches, reading the list in order soon finds enough of them.
  if (found.length === FOUND_MAX) return matches
  return sql`l.id = any(${found.map(loan => loan.id)}::uuid[])`
}

/** Lists one loan's creation, transitions and amendments, oldest first. */
export async function listLoanEvents(
  tx: Tx,
  call: Call<'listLoanEvents'>,
): Promise<Page<LoanEvent>> {
  const order: Order = { columns: [{ sql: sql.ref('c.id'), cast: 'uuid' }], direction: 'asc' }
  interface Row {
    from_status: Status<'loan'> | null
    to_status: Status<'loan'>
    trigger: Trigger<'loan'> | 'create' | 'amend'
    reason: string | null
    at: Date
  }
  const page = await readPage(tx, { path: call.path, ...call.query }, order, (where, key) => {
    return sql<Row>`select c.*, ${key} from state_changes c
      where c.resource = 'loan' and c.resource_id = ${call.params.loan_id}
        and c.partner_id = ${call.caller.partner_id} and ${where}`
  })
  return viewPage(page, row => ({
    entity_type: 'loan' as const,
    payload: { from_status: row.from_status, reason: row.reason },
    status: row.to_status,
    timestamp: row.at.toISOString(),
    transition_name: row.trigger,
  }))
}

/** Lists the logged events of the partner's loans, newest first. */
export async function listEvents(tx: Tx, call: Call<'listEvents'>): Promise<Page<LogEvent>> {
  const { query: q, caller } = call
  const moment = (text: string) => sql`${readWireMoment(text)}::timestamptz`
  const { rows, by } = filteredRows('loan_log', caller.partner_id, [
    ['loan_id', q.loan_id, 'uuid'],
    ['event_type', q.event_type, 'text'],
  ])
  const filters = everyCondition([
    sql`e.partner_id = ${caller.partner_id}`,
    q.event_type && by !== 'event_type' ? sql`e.event_type = any(${q.event_type}::text[])` : null,
    q.from_date ? sql`e.event_at >= ${moment(q.from_date)}` : null,
    q.to_date ? sql`e.event_at < ${moment(q.to_date)}` : null,
  ])
  interface Row {
    event_type: LogEvent['event_type']
    event_at: Date
    loan_id: string
    principal_amount: bigint | null
    fees_amount: bigint | null
    metadata: Record<string, unknown>
  }
  const page = await readPage(
    tx,
    { path: call.path, page_size: q.page_size, cursor: q.cursor },
    newestFirst(sql.ref('e.id')),
    (where, key, in_order) => sql<Row>`
      select e.*, l.metadata, ${key} from ${rows(in_order)} e
      join loans l on l.partner_id = e.partner_id and l.id = e.loan_id
      where ${filters} and ${where}`,
  )
  const cents = (amount: bigint | null) => (amount === null ? null : toWire(amount))
  return viewPage(page, row => ({
    event_at: row.event_at.toISOString(),
    event_type: row.event_type,
    event_payload: {
      loan_id: row.loan_id,
      principal_amount: cents(row.principal_amount),
      fees_amount: cents(row.fees_amount),
      deposit_amount: null,
      metadata: row.metadata,
    },
  }))
}
