/**
 * Compares the latest event of each payment, bill and loan with what its GET answers: whatever
 * changed it, an event shows it.
 */
import { isDeepStrictEqual } from 'node:util'
import { sql } from 'kysely'
import { eventViews } from '../../src/event-views.ts'
import { type Tx, transaction } from '../../src/platform/db/transaction.ts'
import type { TestApp } from './app.ts'

type Data = Record<string, unknown>

/** Fields that depend on the day of the read, or show another resource with events of its own. */
const LEFT_OUT: Record<string, readonly string[]> = {
  payment: [],
  bill: ['payment', 'invoice', 'billed_business'],
  loan: ['fees_estimated', 'fees_ongoing', 'earliest_to_repay_at', 'borrower', 'beneficiary'],
}

interface Latest {
  readonly partner_id: string
  readonly id: string
  readonly type: string
  readonly data: Data
}

/** Fields whose change no event shows. */
export async function eventFaults(app: TestApp): Promise<string[]> {
  return transaction(app.context.database, { partners: '*', read_only: true }, async tx => {
    const faults: string[] = []
    for (const resource of Object.keys(LEFT_OUT)) faults.push(...(await unsent(tx, resource)))
    return faults
  })
}

async function unsent(tx: Tx, resource: string): Promise<string[]> {
  const prefix = `${resource[0]!.toUpperCase()}${resource.slice(1)}.%`
  const latest = await tx.all(sql<Latest>`
    select distinct on (e.resource_id) e.partner_id, e.resource_id as id, e.type, s.data
    from events e join event_snapshots s on s.id = e.snapshot_id
    where e.type like ${prefix} order by e.resource_id, e.id desc`)
  const views = await eventViews[resource]!(tx, latest)
  return latest.flatMap(({ id, type, data }) => {
    const now = lasting(views.get(id)!.data)
    // A bill that was not sent is a draft.
    if (resource === 'bill' && now.status === 'GENERATED') return []
    return Object.keys(now)
      .filter(name => !LEFT_OUT[resource]!.includes(name))
      .filter(name => !isDeepStrictEqual(now[name], lasting(data)[name]))
      .map(name => {
        const [shown, sent] = [JSON.stringify(now[name]), JSON.stringify(data[name])]
        return `${resource} ${id} shows ${name} ${shown}, its last event (${type}) ${sent}`
      })
  })
}

/** The data as JSON carries it, without the signatures of document addresses. */
export function lasting(data: object): Data {
  return JSON.parse(JSON.stringify(data).replaceAll(/\?expires=[^"]*/g, ''))
}
