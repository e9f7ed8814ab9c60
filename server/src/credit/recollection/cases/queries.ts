/** Reads cases and builds their API views. */
import type { RecollectionAction, RecollectionCase } from '@headroom/contract'
import { type RawBuilder, sql } from 'kysely'
import { matchesIdentifier, matchesNumber } from '../../../companies/borrowers/index.ts'
import type { Call } from '../../../context.ts'
import { haveKeys, keysOf, type RowKey } from '../../../platform/db/of-partner.ts'
import { newestFirst, type Page, readPage } from '../../../platform/db/page.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import type { ResourceView } from '../../../platform/events/record.ts'
import { assert } from '../../../platform/kit/assert.ts'
import { type Day, readWireDay, wireDay } from '../../../platform/kit/dates.ts'
import { daysLateOf } from '../../delinquency/index.ts'
import type { ActionRow, CaseRow } from './store.ts'

type ActionRead = Omit<ActionRow, 'status_at'> & { status_at: string | Date }

interface StopRead {
  stopped_on: Day
  reason: string
  resumed_on: Day | null
  resume_reason: string | null
}

type CaseRead = CaseRow & {
  identifier: string
  identifier_type: string
  name: string | null
  loan_ids: string[]
  bill_ids: string[]
  /** In order of due date. */
  actions: ActionRead[]
  strategies: { id: string; is_active: boolean }[] | null
  interest_stop: StopRead | null
}

function selectCases(
  where: RawBuilder<unknown>,
  key: RawBuilder<unknown> = sql`null as page_key`,
): RawBuilder<CaseRead> {
  return sql<CaseRead>`
    select c.*, b.identifier, b.identifier_type, b.name,
      array(select l.loan_id::text from recollection_case_loans l
        where l.partner_id = c.partner_id and l.case_id = c.id order by l.loan_id) as loan_ids,
      array(select i.bill_id::text from recollection_case_bills i
        where i.partner_id = c.partner_id and i.case_id = c.id order by i.bill_id) as bill_ids,
      (select json_agg(a order by a.due_on, a.id) from recollection_actions a
        where a.partner_id = c.partner_id and a.case_id = c.id) as actions,
      (select json_agg(json_build_object('id', p.id, 'is_active',
          p.status in ('DRAFT', 'SCHEDULED', 'ACTIVE')) order by p.id)
        from installment_plans p
        where p.partner_id = c.partner_id and p.case_id = c.id) as strategies,
      (select to_json(s) from recollection_interest_stops s
        where s.partner_id = c.partner_id and s.case_id = c.id
        order by s.id desc limit 1) as interest_stop, ${key}
    from recollection_cases c
    join borrowers b on b.partner_id = c.partner_id and b.id = c.borrower_id
    where ${where}`
}

export async function findCaseView(
  tx: Tx,
  partner_id: string,
  id: string,
): Promise<RecollectionCase | undefined> {
  const row = await tx.maybe(selectCases(sql`c.partner_id = ${partner_id} and c.id = ${id}`))
  return row && (await viewCases(tx, [row]))[0]
}

export async function caseViews(
  tx: Tx,
  keys: readonly RowKey[],
): Promise<Map<string, ResourceView>> {
  const rows = await tx.all(selectCases(haveKeys(keys, 'c')))
  const views = await viewCases(tx, rows)
  return new Map(rows.map((r, i) => [r.id, { partner_id: r.partner_id, data: views[i]! }]))
}

/** Views of cases as of today: days past due are computed on reading. */
async function viewCases(tx: Tx, rows: readonly CaseRead[]): Promise<RecollectionCase[]> {
  const late = await daysLateOf(
    tx,
    rows.flatMap(({ partner_id, loan_ids }) => keysOf(partner_id, loan_ids)),
  )
  return rows.map(row => viewCase(row, late))
}

function viewCase(row: CaseRead, late: ReadonlyMap<string, number>): RecollectionCase {
  const scheduled = row.actions.filter(action => action.status === 'SCHEDULED')
  const past = row.actions
    .filter(action => action.status !== 'SCHEDULED')
    .sort((a, b) => new Date(a.status_at).getTime() - new Date(b.status_at).getTime())
  const next = scheduled[0] ?? past.at(-1)
  assert(next, `case ${row.id} has an action`)
  return {
    id: row.id,
    status: row.status,
    agent: row.agent,
    debtor_business: {
      identifier: row.identifier,
      identifier_type:
        row.identifier_type as RecollectionCase['debtor_business']['identifier_type'],
      name: row.name,
    },
    borrower_id: row.borrower_id,
    loan_ids: row.loan_ids,
    bill_ids: row.bill_ids,
    days_late: Math.max(0, ...row.loan_ids.map(id => late.get(id) ?? 0)),
    next_action: viewAction(next),
    past_actions: past.map(viewAction),
    recollection_notes: row.notes as RecollectionCase['recollection_notes'],
    strategies: (row.strategies ?? []).map(s => ({ ...s, strategy_type: 'INSTALLMENT_PLAN' })),
    interest_stop: row.interest_stop && viewStop(row.interest_stop),
    created_at: row.created_at.toISOString(),
    closed_at: row.closed_at?.toISOString() ?? null,
    close_reason: row.close_reason,
  }
}

function viewStop(stop: StopRead): NonNullable<RecollectionCase['interest_stop']> {
  const { stopped_on, reason, resumed_on, resume_reason } = stop
  const resumed_at = resumed_on && wireDay(resumed_on)
  return { stopped_at: wireDay(stopped_on), reason, resumed_at, resume_reason }
}

export function viewAction(action: ActionRead): RecollectionAction {
  return {
    id: action.id,
    action_name: action.name,
    action_status: action.status,
    action_status_date: new Date(action.status_at).toISOString(),
    action_status_details: action.details,
    original_due_at: wireDay(action.original_due_on as Day),
    due_at: wireDay(action.due_on as Day),
    short_description: action.description,
  }
}

export async function listRecollectionCases(
  tx: Tx,
  { query: q, caller, path }: Call<'listRecollectionCases'>,
): Promise<Page<RecollectionCase>> {
  const filters = [
    sql`c.partner_id = ${caller.partner_id}`,
    debtorIs(q),
    q.status === undefined ? sql`true` : sql`c.status = ${q.status}`,
    nextDue('>=', q.next_action_due_at_from),
    nextDue('<', q.next_action_due_at_to),
  ]
  const page = await readPage(
    tx,
    { path, page_size: q.page_size, cursor: q.cursor },
    newestFirst(sql.ref('c.id')),
    (where, key) => selectCases(sql`${sql.join([...filters, where], sql` and `)}`, key),
  )
  return { ...page, data: await viewCases(tx, page.data) }
}

/** Filters by the due date of the next action; a case without a pending action never matches. */
function nextDue(sign: '>=' | '<', day: string | undefined): RawBuilder<unknown> {
  if (day === undefined) return sql`true`
  return sql`(select min(a.due_on) from recollection_actions a
    where a.partner_id = c.partner_id and a.case_id = c.id and a.status = 'SCHEDULED')
      ${sql.raw(sign)} ${readWireDay(day)}::date`
}

type Debtor = Pick<Call<'listRecollectionCases'>['query'], 'identifier' | 'identifier_type'>

/**
 * Matches a debtor by its number, with or without the number's type. A type alone matches all
 * debtors identified by that type.
 */
function debtorIs({ identifier, identifier_type: type }: Debtor): RawBuilder<unknown> {
  if (identifier === undefined) return type ? sql`b.identifier_type = ${type}` : sql`true`
  return type ? matchesNumber('b', identifier, type) : matchesIdentifier('b', [identifier])
}
