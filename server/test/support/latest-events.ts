/**
 * Checks the events of each payment, bill, loan and card entry, in the order of the feed: the last
 * one shows what GET returns, and no update or recovery shows the same as the event before it.
 * Between two events that a loan became overdue, the loan has changed.
 */
import { isDeepStrictEqual } from 'node:util'
import { sql } from 'kysely'
import { eventViews } from '../../src/event-views.ts'
import type { RowKey } from '../../src/platform/db/of-partner.ts'
import { type Tx, transaction } from '../../src/platform/db/transaction.ts'
import type { TestApp } from './app.ts'

type Data = Record<string, unknown>

interface Told {
  readonly table: string
  readonly events: string
  /** Fields that depend on the day they are read, or show a resource that has its own events. */
  readonly left_out: readonly string[]
}

const TOLD: Record<string, Told> = {
  payment: { table: 'payments', events: 'Payment.%', left_out: [] },
  bill: {
    table: 'bills',
    events: 'Bill.%',
    left_out: ['payment', 'invoice', 'billed_business'],
  },
  loan: {
    table: 'loans',
    events: 'Loan.%',
    left_out: ['fees_estimated', 'fees_ongoing', 'earliest_to_repay_at', 'borrower', 'beneficiary'],
  },
  card_entry: { table: 'card_entries', events: 'CardEntry.%', left_out: [] },
}

interface Sent {
  readonly id: string
  readonly type: string
  readonly data: Data
}

/** Changes that no event shows, and updates that show none. */
export async function eventFaults(app: TestApp): Promise<string[]> {
  return transaction(app.context.database, { partners: '*', read_only: true }, async tx => {
    const faults: string[] = []
    for (const resource of Object.keys(TOLD)) {
      faults.push(...(await unsent(tx, resource)), ...(await repeated(tx, resource)))
    }
    return faults
  })
}

/** The events about a kind of resource, with their positions in the feed. */
const told = (resource: string) =>
  sql`(select t.*, p.position from told_events t join event_positions p on p.event_id = t.id
    where t.type like ${TOLD[resource]!.events})`

async function unsent(tx: Tx, resource: string): Promise<string[]> {
  const rows = await tx.all(sql<Sent>`
    select distinct on (resource_id) resource_id as id, type, data
    from ${told(resource)} e order by resource_id, position desc`)
  const latest = new Map(rows.map(row => [row.id, row]))
  const keys = await tx.all(
    sql<RowKey>`select partner_id, id from ${sql.table(TOLD[resource]!.table)}`,
  )
  const views = await eventViews[resource]!(tx, keys)
  return keys.flatMap(({ id }) => {
    const [now, last] = [lasting(views.get(id)!.data), latest.get(id)]
    // A bill that was not sent is a draft.
    if (resource === 'bill' && now.status === 'GENERATED') return []
    if (!last) return [`${resource} ${id} has no event`]
    return differences(resource, lasting(last.data), now).map(
      change => `${resource} ${id} shows ${change} in its last event, ${last.type}`,
    )
  })
}

async function repeated(tx: Tx, resource: string): Promise<string[]> {
  const pairs = await tx.all(sql<
    Sent & { event_id: string; previous: string; before: Data | null }
  >`
    with e as (select *, lag(id) over (partition by resource_id order by position) as previous_id
      from ${told(resource)} t)
    select e.resource_id as id, e.id as event_id, e.type, e.data, o.type as previous,
      o.data as before
    from e left join told_events o on o.id = e.previous_id
    where e.type like '%.UPDATED' or e.type = 'Loan.RECOVERED'
      or e.type = 'Loan.OVERDUE' and o.type = e.type`)
  return pairs.flatMap(({ id, event_id, type, data, previous, before }) => {
    // The time of the update says nothing about what it has changed.
    const change = before && { ...lasting(data), updated_at: lasting(before).updated_at }
    if (change && differences(resource, lasting(before), change).length > 0) return []
    return [`${type} ${event_id} of ${resource} ${id} shows the same as ${previous}`]
  })
}

/** The fields that differ, with both values. */
function differences(resource: string, before: Data, after: Data): string[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter(name => !TOLD[resource]!.left_out.includes(name))
    .filter(name => !isDeepStrictEqual(before[name], after[name]))
    .map(name => `${name} ${JSON.stringify(after[name])}, but ${JSON.stringify(before[name])}`)
}

/** The data as JSON carries it, without the signatures of document addresses. */
export function lasting(data: object): Data {
  return JSON.parse(JSON.stringify(data).replaceAll(/\?expires=[^"]*/g, ''))
}
