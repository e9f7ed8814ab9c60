/** Gives committed events their place in the feed and creates their deliveries. */
import { sql } from 'kysely'
import { type Database, type Tx, transaction } from '../../platform/db/transaction.ts'
import { assignPositions, lockFeedPositions, type PositionedEvent } from './store.ts'
import { insertDeliveries, type Match } from './store-deliveries.ts'

const BATCH = 1000

export interface Placement {
  readonly events: number
  /** The number of deliveries created. */
  readonly deliveries: number
}

/**
 * Gives every committed event without a position the next one; returns the counts. Only one
 * transaction places events at a time, so positions become visible in order. Otherwise a late
 * commit could place an event behind a client's cursor.
 */
export async function publishEvents(database: Database): Promise<Placement> {
  const total = { events: 0, deliveries: 0 }
  for (;;) {
    const { events, deliveries } = await transaction(database, { partners: '*' }, placeBatch)
    total.events += events
    total.deliveries += deliveries
    if (events < BATCH) return total
  }
}

async function placeBatch(tx: Tx): Promise<Placement> {
  await lockFeedPositions(tx)
  const placed = await assignPositions(tx, { limit: BATCH })
  if (placed.length === 0) return { events: 0, deliveries: 0 }
  const matches = await matchSubscriptions(tx, placed)
  await insertDeliveries(tx, 'service', matches)
  return { events: placed.length, deliveries: matches.length }
}

/** Pairs each event with the active subscriptions to its type, in order of position. */
async function matchSubscriptions(tx: Tx, placed: readonly PositionedEvent[]): Promise<Match[]> {
  type Subscription = { id: string; partner_id: string; event_types: string[] }
  const partners = [...new Set(placed.map(event => event.partner_id))]
  const subscriptions = await tx.all(sql<Subscription>`
    select id, partner_id, event_types from webhooks
    where partner_id = any (${partners}::uuid[]) and status = 'ACTIVE' and deleted_at is null
    order by id`)
  return placed.flatMap(({ event_id, partner_id, type, resource_id, position }) =>
    subscriptions
      .filter(s => s.partner_id === partner_id && s.event_types.includes(type))
      .map(s => ({
        partner_id,
        webhook_id: s.id,
        event_id,
        ordering_key: resource_id,
        position,
      })),
  )
}
