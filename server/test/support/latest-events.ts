/**
 * Compares the events of each resource in feed order. An event may repeat the content of the
 * previous one only if both report the same change. The latest event of each resource in `SHOWN`
 * must match what GET returns.
 */
import { isDeepStrictEqual } from 'node:util'
import { dayDependentFields, eventTypes } from '@headroom/contract'
import { sql } from 'kysely'
import { eventViews } from '../../src/event-views.ts'
import type { RowKey } from '../../src/platform/db/of-partner.ts'
import { type Tx, transaction } from '../../src/platform/db/transaction.ts'
import { withoutSignatures } from '../../src/platform/kit/signed-address.ts'
import type { TestApp } from './app.ts'

type Data = Record<string, unknown>

interface Shown {
  readonly table: string
  readonly events: string
  /** Fields that show another resource, which has its own events, or the time of an update. */
  readonly left_out: readonly string[]
}

const SHOWN: Record<string, Shown> = {
  payment: { table: 'payments', events: 'Payment.%', left_out: [] },
  bill: {
    table: 'bills',
    events: 'Bill.%',
    left_out: ['payment', 'invoice', 'billed_business'],
  },
  loan: {
    table: 'loans',
    events: 'Loan.%',
    left_out: ['borrower', 'beneficiary'],
  },
  card_entry: { table: 'card_entries', events: 'CardEntry.%', left_out: [] },
  installment: { table: 'plan_installments', events: 'Installment.%', left_out: ['updated_at'] },
  installment_plan: {
    table: 'installment_plans',
    events: 'InstallmentPlan.%',
    left_out: ['installments'],
  },
}

/** Fields of a resource that may change without an event. */
function leftOut(resource: string): string[] {
  const type = Object.values(eventTypes).find(one => one.resource === resource)
  return [...SHOWN[resource]!.left_out, ...dayDependentFields(type!.data)]
}

/** The status in which a resource has no events yet. */
const DRAFTS: Record<string, string> = { bill: 'GENERATED', installment: 'DRAFT' }

/** Lists changes that no event shows, and events that show no change. */
export async function eventFaults(app: TestApp): Promise<string[]> {
  return transaction(app.context.database, { partners: '*', read_only: true }, async tx => {
    const faults = await repeated(tx)
    for (const resource of Object.keys(SHOWN)) faults.push(...(await unsent(tx, resource)))
    return faults
  })
}

async function unsent(tx: Tx, resource: string): Promise<string[]> {
  const { table, events } = SHOWN[resource]!
  const rows = await tx.all(sql<{ id: string; type: string; data: Data }>`
    select distinct on (t.resource_id) t.resource_id as id, t.type, t.data
    from told_events t join event_positions p on p.event_id = t.id
    where t.type like ${events} order by t.resource_id, p.position desc`)
  const latest = new Map(rows.map(row => [row.id, row]))
  const keys = await tx.all(sql<RowKey>`select partner_id, id from ${sql.table(table)}`)
  const views = await eventViews[resource]!(tx, keys)
  return keys.flatMap(({ id }) => {
    const [now, last] = [lasting(views.get(id)!.data), latest.get(id)]
    if (DRAFTS[resource] === now.status) return []
    if (!last) return [`${resource} ${id} has no event`]
    return differences(resource, lasting(last.data), now).map(
      change => `${resource} ${id} shows ${change} in its last event, ${last.type}`,
    )
  })
}

const updates = Object.entries(eventTypes).flatMap(([type, of]) =>
  'is_update' in of ? [type] : [],
)
/**
 * A loan that becomes overdue need not change in GET. This event may therefore repeat the previous
 * one, unless the previous one is also `OVERDUE`.
 */
const OVERDUE = 'Loan.OVERDUE'
/** Fields that do not count as a change on their own. */
const left_out = ['updated_at', ...Object.keys(SHOWN).flatMap(leftOut)]

async function repeated(tx: Tx): Promise<string[]> {
  const shown = (snapshot: string, event: string) => sql`
    (regexp_replace(${sql.ref(`${snapshot}.data`)}::text, '\\?expires=[^"]*', '', 'g')::jsonb
      || ${sql.ref(`${event}.overlay`)}) - ${left_out}::text[]`
  const rows = await tx.all(sql<{ id: string; type: string; previous: string; of: string }>`
    with e as (
      select e.*, lag(e.id) over (partition by e.resource_id order by p.position) as previous_id
      from events e join event_positions p on p.event_id = e.id)
    select e.id, e.type, e.resource_id as of, o.type as previous
    from e join events o on o.id = e.previous_id
    join event_snapshots s on s.partner_id = e.partner_id and s.id = e.snapshot_id
    join event_snapshots r on r.partner_id = o.partner_id and r.id = o.snapshot_id
    where (e.snapshot_id <> o.snapshot_id or e.type = any(${updates}::text[]))
      and (e.type <> ${OVERDUE} or o.type = ${OVERDUE})
      and ${shown('s', 'e')} = ${shown('r', 'o')}`)
  return rows.map(({ id, type, previous, of }) => `${type} ${id} of ${of} repeats ${previous}`)
}

function differences(resource: string, before: Data, after: Data): string[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter(name => !leftOut(resource).includes(name))
    .filter(name => !isDeepStrictEqual(before[name], after[name]))
    .map(name => `${name} ${JSON.stringify(after[name])}, but ${JSON.stringify(before[name])}`)
}

/** The data as JSON, without the signatures in document links, which change with each read. */
export function lasting(data: object): Data {
  return JSON.parse(withoutSignatures(JSON.stringify(data)))
}
