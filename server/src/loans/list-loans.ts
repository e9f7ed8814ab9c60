/** The lists of loans and of what happened to them. */
import type { LoanEvent, LogEvent } from '@headroom/contract'
import { type RawBuilder, sql } from 'kysely'
import { companyKeys } from '../borrowers/index.ts'
import type { Call } from '../context.ts'
import { newestFirst, type Order, type Page, readPage } from '../db/page.ts'
import type { Tx } from '../db/transaction.ts'
import { addDays, type Day, readWireDay } from '../kit/dates.ts'
import { isUuid } from '../kit/ids.ts'
import { toWire } from '../kit/money.ts'
import { selectLoans, viewLoan } from './queries.ts'

const ORDERS: Record<string, RawBuilder<unknown>> = {
  to_pay_at: sql.ref('l.to_pay_on'),
  to_repay_at: sql.ref('l.to_repay_on'),
}

function orderOf(sort_by: string | undefined): Order {
  const [field, direction] = (sort_by ?? 'created_at:desc').split(':') as [string, 'asc' | 'desc']
  const column = ORDERS[field]
  const id = { sql: sql.ref('l.id'), cast: 'uuid' }
  return { columns: column ? [{ sql: column, cast: 'date' }, id] : [id], direction }
}

/** All conditions that are set, joined. */
function allOf(conditions: (RawBuilder<unknown> | null)[]): RawBuilder<unknown> {
  const set = conditions.filter(c => c !== null)
  return set.length === 0 ? sql`true` : sql.join(set, sql` and `)
}

/** `_from` is inclusive, `_to` exclusive. */
function between(
  column: string,
  from: string | undefined,
  to: string | undefined,
): RawBuilder<unknown> {
  return allOf([
    from === undefined ? null : sql`${sql.ref(column)} >= ${readWireDay(from)}::date`,
    to === undefined ? null : sql`${sql.ref(column)} < ${readWireDay(to)}::date`,
  ])
}

export async function listLoans(tx: Tx, call: Call<'listLoans'>) {
  const { query: q, caller } = call
  const within = q.to_repay_at_within_days
  const filters = allOf([
    sql`l.partner_id = ${caller.partner_id}`,
    q.id ? sql`l.id = any(${q.id}::uuid[])` : null,
    q.borrower
      ? sql`l.borrower_id in (select id from borrowers where partner_id = ${caller.partner_id}
          and (company_key = any(${q.borrower.flatMap(companyKeys)}::text[])
            or id = any(${q.borrower.filter(isUuid)}::uuid[])))`
      : null,
    q.loan_type ? sql`l.loan_type = any(${q.loan_type}::text[])` : null,
    q.status ? sql`l.status = any(${q.status}::text[])` : null,
    between('l.to_pay_on', q.to_pay_at_from, q.to_pay_at_to),
    between('l.to_repay_on', q.to_repay_at_from, q.to_repay_at_to),
    between(
      'l.contractual_repayment_on',
      q.contractual_repayment_date_from,
      q.contractual_repayment_date_to,
    ),
    within === undefined
      ? null
      : sql`l.to_repay_on between ${tx.today} and ${addDays(tx.today, within)}`,
    q.postponed === undefined
      ? null
      : sql`(l.to_repay_on > l.contractual_repayment_on) = ${q.postponed}`,
    // No loan has a guarantor yet.
    q.guarantee_called ? sql`false` : null,
    q.guarantor === undefined ? null : sql`false`,
    q.query === undefined ? null : search(q.query),
  ])
  const page = await readPage(
    tx,
    { path: call.path, page_size: q.page_size, cursor: q.cursor },
    orderOf(q.sort_by),
    (where, key) => selectLoans(sql`${filters} and ${where}`, key),
  )
  return { ...page, data: page.data.map(loan => viewLoan(tx, loan)) }
}

/** Free text over what a person would look a loan up by. */
function search(text: string): RawBuilder<unknown> {
  const like = `%${text.replace(/[\\%_]/g, c => `\\${c}`)}%`
  return sql`(b.name ilike ${like} or b.identifier ilike ${like} or l.salt_id ilike ${like}
    or l.repayment_reference ilike ${like} or l.id::text ilike ${like})`
}

/** Every step of one loan from status to status, oldest first. */
export async function listLoanEvents(
  tx: Tx,
  call: Call<'listLoanEvents'>,
): Promise<Page<LoanEvent>> {
  const order: Order = { columns: [{ sql: sql.ref('c.id'), cast: 'uuid' }], direction: 'asc' }
  interface Row {
    from_status: string | null
    to_status: LoanEvent['status']
    trigger: string
    reason: string | null
    at: Date
  }
  const page = await readPage(tx, { path: call.path, ...call.query }, order, (where, key) => {
    return sql<Row>`select c.*, ${key} from state_changes c
      where c.resource = 'loan' and c.resource_id = ${call.params.loan_id}
        and c.partner_id = ${call.caller.partner_id} and ${where}`
  })
  const data = page.data.map(row => ({
    entity_type: 'loan' as const,
    payload: { from_status: row.from_status, reason: row.reason },
    status: row.to_status,
    timestamp: row.at.toISOString(),
    transition_name: row.trigger,
  }))
  return { ...page, data }
}

/** The log of what happened to the money of all loans, newest first. */
export async function listEvents(tx: Tx, call: Call<'listEvents'>): Promise<Page<LogEvent>> {
  const { query: q, caller } = call
  const day = (text: string | undefined): Day | null => (text ? readWireDay(text) : null)
  const filters = allOf([
    sql`e.partner_id = ${caller.partner_id}`,
    q.event_type ? sql`e.event_type = any(${q.event_type}::text[])` : null,
    q.loan_id ? sql`e.loan_id = any(${q.loan_id}::uuid[])` : null,
    q.from_date ? sql`(e.event_at at time zone 'Europe/Paris')::date >= ${day(q.from_date)}` : null,
    q.to_date ? sql`(e.event_at at time zone 'Europe/Paris')::date < ${day(q.to_date)}` : null,
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
    (where, key) => sql<Row>`
      select e.*, l.metadata, ${key} from loan_log e join loans l on l.id = e.loan_id
      where ${filters} and ${where}`,
  )
  const cents = (amount: bigint | null) => (amount === null ? null : toWire(amount))
  const data = page.data.map(row => ({
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
  return { ...page, data }
}
