/** Gives committed events their place in the feed, and makes the deliveries they lead to. */
import { sql } from 'kysely'
import { type Database, type Tx, transaction } from '../db/transaction.ts'
import { lockPlacing, type Placed, placeOldest } from './store.ts'
import { insertDeliveries, type Match } from './store-deliveries.ts'

const BATCH = 1000

/**
 * Places every committed event that has no position yet; answers how many. One placer at a time,
 * and positions become visible in their order: whoever has read up to one has missed none.
 * Without that, a transaction that commits late would slip an event behind a reader's cursor.
 */
export async function placeEvents(database: Database): Promise<number> {
  let total = 0
  for (;;) {
    const placed = await transaction(database, { partners: '*' }, placeBatch)
    total += placed
    if (placed < BATCH) return total
  }
}

async function placeBatch(tx: Tx): Promise<number> {
  await lockPlacing(tx)
  const placed = await placeOldest(tx, BATCH)
  if (placed.length > 0) {
    await insertDeliveries(tx, 'service', await matchSubscriptions(tx, placed))
  }
  return placed.length
}

/** Every active subscription of each event, in order of position. */
function matchSubscriptions(tx: Tx, placed: readonly Placed[]): Promise<Match[]> {
  return tx.all(sql<Match>`
    select e.partner_id, w.id as webhook_id, e.id as event_id, e.resource_id as ordering_key,
      p.position
    from unnest(${placed.map(p => p.event_id)}::uuid[], ${placed.map(p => p.position)}::bigint[])
        as p (event_id, position)
      join events e on e.id = p.event_id
      join webhooks w on w.partner_id = e.partner_id
        and w.status = 'ACTIVE' and w.deleted_at is null and e.type = any (w.event_types)
    order by p.position`)
}
