/** Writes subscriptions and the positions of events. */
import { sql } from 'kysely'
import { lockExclusive, tryExclusive } from '../../platform/db/locks.ts'
import { initialStatus, recordCreation, type StatusHistory } from '../../platform/db/move.ts'
import { haveKeys, type RowKey } from '../../platform/db/of-partner.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { assert } from '../../platform/kit/assert.ts'
import type { WebhookRow } from './queries.ts'

export interface NewWebhook {
  partner_id: string
  name: string
  to_url: string
  event_types: readonly string[]
  /** Encrypts the secret for the given id. */
  seal: (id: string) => string
}

export async function insertWebhook(tx: Tx, webhook: NewWebhook): Promise<string> {
  const id = tx.newId()
  const initial: StatusHistory<'webhook'> = initialStatus('webhook', [])
  await tx.run(sql`
    insert into webhooks (id, partner_id, name, to_url, event_types, status, secret, created_at)
    values (${id}, ${webhook.partner_id}, ${webhook.name}, ${webhook.to_url},
      ${webhook.event_types}, ${initial.status}, ${webhook.seal(id)}, ${tx.now})`)
  recordCreation(tx, [{ id, partner_id: webhook.partner_id, initial }])
  return id
}

export async function writeWebhook(tx: Tx, webhook: WebhookRow): Promise<void> {
  await tx.run(sql`
    update webhooks set name = ${webhook.name}, to_url = ${webhook.to_url},
      event_types = ${webhook.event_types}, disabled_reason = ${webhook.disabled_reason}
    where id = ${webhook.id} and partner_id = ${webhook.partner_id}`)
}

export async function writeDisabledReason(
  tx: Tx,
  webhooks: readonly RowKey[],
  reason: string,
): Promise<void> {
  await tx.run(sql`update webhooks set disabled_reason = ${reason}
    where ${haveKeys(webhooks, 'webhooks')}`)
}

export async function markDeleted(tx: Tx, webhook: WebhookRow): Promise<void> {
  await tx.run(sql`update webhooks set deleted_at = ${tx.now}
    where id = ${webhook.id} and partner_id = ${webhook.partner_id}`)
}

/** Marks deleted subscriptions without unfinished deliveries as cleared, under the feed lock. */
export async function markCleared(tx: Tx): Promise<void> {
  await tx.run(sql`
    update webhooks w set cleared_at = ${tx.now}
    where deleted_at is not null and cleared_at is null and not exists (
      select from webhook_deliveries d
      where d.partner_id = w.partner_id and d.webhook_id = w.id and d.status = 'PENDING')`)
}

/** Stores a new encrypted secret; the previous one stays valid until `overlap_until`. */
export async function replaceSecret(
  tx: Tx,
  webhook: WebhookRow,
  secret: string,
  overlap_until: Date,
): Promise<void> {
  await tx.run(sql`
    update webhooks set previous_secret = secret, previous_secret_until = ${overlap_until},
      secret = ${secret}
    where id = ${webhook.id} and partner_id = ${webhook.partner_id}`)
}

/** Keeps other transactions from placing events until the commit. */
export async function lockFeedPositions(tx: Tx): Promise<void> {
  await lockExclusive(tx, 'placing')
}

/** Like `lockFeedPositions`, without waiting. Returns whether the lock was free. */
export function tryFeedPositions(tx: Tx): Promise<boolean> {
  return tryExclusive(tx, 'placing')
}

/** A committed event without a position. */
export interface WaitingEvent {
  readonly partner_id: string
  readonly event_id: string
  readonly type: string
  readonly resource_id: string
}

/**
 * The oldest waiting events, up to `limit`, partners in turn: first the oldest of each, then the
 * second oldest. The cost does not depend on how many events wait. Requires `lockFeedPositions`.
 */
export function readWaiting(tx: Tx, limit: number): Promise<WaitingEvent[]> {
  return tx.all(sql<WaitingEvent>`
    with recursive partners_waiting (partner_id) as (
      (select partner_id from events_unplaced order by partner_id limit 1)
      union all
      select n.partner_id from partners_waiting p cross join lateral (
        select partner_id from events_unplaced where partner_id > p.partner_id
        order by partner_id limit 1) n)
    select e.partner_id, e.event_id, e.type, e.resource_id
    from partners_waiting p cross join lateral (
      select *, row_number() over (order by event_id) as turn from events_unplaced
      where partner_id = p.partner_id order by event_id limit ${limit}) e
    order by e.turn, e.event_id limit ${limit}`)
}

/** The id of the newest event that waits; null if none does. */
export async function readNewestWaiting(tx: Tx): Promise<string | null> {
  const row = await tx.one(sql<{ id: string | null }>`
    select (select event_id from events_unplaced order by event_id desc limit 1) as id`)
  return row.id
}

/** Whether this event or an older one still waits. */
export async function isWaitingUpTo(tx: Tx, event_id: string): Promise<boolean> {
  const waiting = await tx.maybe(sql`
    select from events_unplaced where event_id <= ${event_id} limit 1`)
  return waiting !== undefined
}

/** Assigns the next positions in list order, and returns them. Requires `lockFeedPositions`. */
export async function assignPositions(
  tx: Tx,
  events: readonly Pick<WaitingEvent, 'partner_id' | 'event_id'>[],
): Promise<bigint[]> {
  const placed = await tx.all(sql<{ position: bigint }>`
    with chosen as materialized (
      select u.partner_id, u.event_id, u.type
      from unnest(${events.map(e => e.partner_id)}::uuid[], ${events.map(e => e.event_id)}::uuid[])
          with ordinality as c (partner_id, event_id, place)
        join events_unplaced u on u.partner_id = c.partner_id and u.event_id = c.event_id
      order by c.place
    ), taken as (
      delete from events_unplaced u using chosen c
      where u.partner_id = c.partner_id and u.event_id = c.event_id
    ), placed as (
      insert into event_positions (partner_id, position, event_id, type)
      select partner_id, nextval('events_position'), event_id, type from chosen
      returning position
    )
    select position from placed order by position`)
  assert(placed.length === events.length, 'an event was placed by another transaction')
  return placed.map(({ position }) => position)
}
