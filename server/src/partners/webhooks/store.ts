/**
 * The only SQL that writes subscriptions and the positions of events; deliveries have a separate
 * file.
 */
import { sql } from 'kysely'
import { lockExclusive, lockShared } from '../../platform/db/locks.ts'
import {
  type Actor,
  initialStatus,
  recordCreation,
  type StatusHistory,
} from '../../platform/db/move.ts'
import { haveKeys, type RowKey } from '../../platform/db/of-partner.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import type { WebhookRow } from './queries.ts'

export interface NewWebhook {
  partner_id: string
  name: string
  to_url: string
  event_types: readonly string[]
  /** Encrypts the secret for the given id. */
  seal: (id: string) => string
}

/** Inserts a subscription and returns its id. */
export async function insertWebhook(tx: Tx, actor: Actor, webhook: NewWebhook): Promise<string> {
  const id = tx.newId()
  const born: StatusHistory<'webhook'> = initialStatus('webhook', [])
  await tx.run(sql`
    insert into webhooks (id, partner_id, name, to_url, event_types, status, secret, created_at)
    values (${id}, ${webhook.partner_id}, ${webhook.name}, ${webhook.to_url},
      ${webhook.event_types}, ${born.status}, ${webhook.seal(id)}, ${tx.now})`)
  recordCreation(tx, actor, [{ id, partner_id: webhook.partner_id, birth: born }])
  return id
}

/** Writes the editable fields of a subscription, except its status. */
export async function writeWebhook(tx: Tx, webhook: WebhookRow): Promise<void> {
  await tx.run(sql`
    update webhooks set name = ${webhook.name}, to_url = ${webhook.to_url},
      event_types = ${webhook.event_types}, disabled_reason = ${webhook.disabled_reason}
    where id = ${webhook.id} and partner_id = ${webhook.partner_id}`)
}

/** Records why the service disabled these subscriptions. */
export async function writeDisabledReason(
  tx: Tx,
  webhooks: readonly RowKey[],
  reason: string,
): Promise<void> {
  await tx.run(sql`update webhooks set disabled_reason = ${reason}
    where ${haveKeys(webhooks, 'webhooks')}`)
}

/** Hides the subscription from all reads. */
export async function markDeleted(tx: Tx, webhook: WebhookRow): Promise<void> {
  await tx.run(sql`update webhooks set deleted_at = ${tx.now}
    where id = ${webhook.id} and partner_id = ${webhook.partner_id}`)
}

/**
 * Marks deleted subscriptions without unfinished deliveries; requires `lockFeedPositionsShared`.
 */
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

/** Keeps other transactions from placing events or settling deliveries until the commit. */
export async function lockFeedPositions(tx: Tx): Promise<void> {
  await lockExclusive(tx, 'placing')
}

/** Keeps other transactions from placing events until the commit. */
export async function lockFeedPositionsShared(tx: Tx): Promise<void> {
  await lockShared(tx, 'placing')
}

/** An event with its position in the feed. */
export interface PositionedEvent {
  readonly event_id: string
  readonly partner_id: string
  readonly type: string
  readonly resource_id: string
  readonly position: bigint
}

/**
 * Assigns positions to waiting events in order of id: the oldest up to `limit`, or the given one.
 * Requires `lockFeedPositions`.
 */
export async function assignPositions(
  tx: Tx,
  which: { limit: number } | { event_id: string },
): Promise<PositionedEvent[]> {
  const chosen =
    'limit' in which
      ? sql`order by event_id limit ${which.limit}`
      : sql`where event_id = ${which.event_id}`
  const placed = await tx.all(sql<PositionedEvent>`
    with chosen as materialized (
      select * from events_unplaced ${chosen}
    ), taken as (
      delete from events_unplaced where event_id = any (array(select event_id from chosen))
    ), placed as (
      insert into event_positions (partner_id, position, event_id, type)
      select partner_id, nextval('events_position'), event_id, type from chosen
      returning event_id, position
    )
    select c.*, p.position from chosen c join placed p using (event_id) order by p.position`)
  return placed
}
