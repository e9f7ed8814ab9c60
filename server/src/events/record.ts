/** Writes the events a transaction has noted, in the order they were noted. */
import { sql } from 'kysely'
import type { Tx } from '../db/transaction.ts'
import { assert } from '../kit/assert.ts'

export interface ResourceView {
  partner_id: string
  data: Record<string, unknown>
}

/** How each resource is read for its events: ids in, views by id out. */
export type EventViews = Record<
  string,
  (tx: Tx, ids: string[]) => Promise<Map<string, ResourceView>>
>

/** Notes an event that is not a change of status, e.g. CreditLine.BALANCE_UPDATED. */
export function note(
  tx: Tx,
  resource: string,
  resource_id: string,
  type: string,
  overlay: Record<string, unknown> = {},
): void {
  const { events } = tx.pending
  const same = events.some(e => e.resource_id === resource_id && e.type === type)
  if (!same) events.push({ resource, resource_id, type, overlay })
}

/** Made once from the views of all rooms; run before each commit. */
export function recordEvents(views: EventViews): (tx: Tx) => Promise<void> {
  return async tx => {
    const events = tx.pending.events
    if (events.length === 0) return
    const found = new Map<string, ResourceView>()
    for (const [resource, group] of Map.groupBy(events, e => e.resource)) {
      const view = views[resource]
      assert(view, `no view for events about ${resource}`)
      const ids = [...new Set(group.map(e => e.resource_id))]
      for (const [id, v] of await view(tx, ids)) found.set(id, v)
    }
    const rows = events.map(event => {
      const view = found.get(event.resource_id)
      assert(view, `${event.resource} ${event.resource_id} is gone before its event`)
      return { ...event, ...view, data: JSON.stringify({ ...view.data, ...event.overlay }) }
    })
    await tx.run(sql`
      insert into events (id, partner_id, type, resource_id, data, at)
      select e.id, e.partner_id, e.type, e.resource_id, e.data::jsonb, ${tx.now}
      from unnest(${rows.map(() => tx.newId())}::uuid[], ${rows.map(r => r.partner_id)}::uuid[],
        ${rows.map(r => r.type)}::text[], ${rows.map(r => r.resource_id)}::uuid[],
        ${rows.map(r => r.data)}::text[]) as e (id, partner_id, type, resource_id, data)`)
  }
}
