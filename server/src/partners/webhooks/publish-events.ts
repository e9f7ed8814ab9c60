/** Gives committed events their place in the feed and creates their deliveries. */
import { sql } from 'kysely'
import { type Database, type Tx, transaction } from '../../platform/db/transaction.ts'
import {
  assignPositions,
  isWaitingUpTo,
  lockFeedPositions,
  readNewestWaiting,
  readWaiting,
  type WaitingEvent,
} from './store.ts'
import { insertDeliveries } from './store-deliveries.ts'

/** Events per transaction: few, so that test events and other partners wait only for a moment. */
const EVENTS_MAX = 250
/** Deliveries per transaction, more than one event can create (see `WEBHOOKS_MAX`). */
const DELIVERIES_MAX = 500

export interface Placement {
  readonly events: number
  readonly deliveries: number
  /** Whether more events may be waiting. */
  readonly more: boolean
}

/**
 * Assigns positions to all events committed so far that have none, in batches. Does not wait for
 * events that arrive in the meantime.
 */
export async function publishEvents(
  database: Database,
): Promise<Pick<Placement, 'events' | 'deliveries'>> {
  const total = { events: 0, deliveries: 0 }
  const reading = { partners: '*', read_only: true } as const
  const last = await transaction(database, reading, readNewestWaiting)
  while (last && (await transaction(database, reading, tx => isWaitingUpTo(tx, last)))) {
    const { events, deliveries } = await placeEvents(database)
    total.events += events
    total.deliveries += deliveries
  }
  return total
}

/**
 * Assigns the next positions to some committed events, partners in turn: a few events of one
 * partner do not wait behind thousands of another's. Only one transaction assigns positions at a
 * time, so they become visible in order. Otherwise a late commit could insert an event behind a
 * client's cursor.
 */
export function placeEvents(database: Database): Promise<Placement> {
  return transaction(database, { partners: '*', actor: 'service' }, async tx => {
    await lockFeedPositions(tx)
    const waiting = await readWaiting(tx, EVENTS_MAX)
    if (waiting.length === 0) return { events: 0, deliveries: 0, more: false }
    const chosen = firstOf(await matchSubscriptions(tx, waiting))
    const positions = await assignPositions(
      tx,
      chosen.map(({ event }) => event),
    )
    const matches = chosen.flatMap(({ event, webhook_ids }, index) => {
      const { partner_id, event_id, resource_id: ordering_key } = event
      const position = positions[index]!
      return webhook_ids.map(webhook_id => ({
        partner_id,
        webhook_id,
        event_id,
        ordering_key,
        position,
      }))
    })
    await insertDeliveries(tx, matches)
    const more = chosen.length < waiting.length || waiting.length === EVENTS_MAX
    return { events: chosen.length, deliveries: matches.length, more }
  })
}

interface Matched {
  readonly event: WaitingEvent
  /** The active subscriptions to its type. */
  readonly webhook_ids: readonly string[]
}

async function matchSubscriptions(tx: Tx, events: readonly WaitingEvent[]): Promise<Matched[]> {
  type Subscription = { id: string; partner_id: string; event_types: string[] }
  const partners = [...new Set(events.map(event => event.partner_id))]
  const subscriptions = await tx.all(sql<Subscription>`
    select id, partner_id, event_types from webhooks
    where partner_id = any (${partners}::uuid[]) and status = 'ACTIVE' and deleted_at is null
    order by id`)
  return events.map(event => {
    const { partner_id, type } = event
    const own = subscriptions.filter(
      s => s.partner_id === partner_id && s.event_types.includes(type),
    )
    return { event, webhook_ids: own.map(s => s.id) }
  })
}

/** The first events whose deliveries together do not exceed the limit, at least one. */
function firstOf(matched: readonly Matched[]): readonly Matched[] {
  let deliveries = 0
  const end = matched.findIndex(({ webhook_ids }) => {
    deliveries += webhook_ids.length
    return deliveries > DELIVERIES_MAX
  })
  return end < 0 ? matched : matched.slice(0, Math.max(1, end))
}
