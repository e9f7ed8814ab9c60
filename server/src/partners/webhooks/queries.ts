/** Reads subscriptions and deliveries and builds their API views. */
import type { Webhook, WebhookDelivery } from '@headroom/contract'
import { type RawBuilder, sql } from 'kysely'
import { newestFirst, type Page, type PageRequest, readPage } from '../../platform/db/page.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { problem } from '../../platform/kit/problem.ts'

export interface WebhookRow {
  id: string
  partner_id: string
  name: string
  to_url: string
  event_types: Webhook['event_types']
  status: Webhook['status']
  disabled_reason: string | null
  created_at: Date
}

export interface DeliveryRow {
  id: string
  partner_id: string
  webhook_id: string
  event_id: string
  event_type: WebhookDelivery['event_type']
  status: WebhookDelivery['status']
  attempts: WebhookDelivery['attempts']
  next_attempt_at: Date | null
  leased_until: Date | null
  created_at: Date
}

export function webhookView(row: WebhookRow): Webhook {
  const { id, name, to_url, event_types, status, disabled_reason } = row
  const created_at = row.created_at.toISOString()
  return { id, name, to_url, event_types, status, disabled_reason, created_at }
}

export function deliveryView(row: DeliveryRow): WebhookDelivery {
  const { id, webhook_id, event_id, event_type, status, attempts } = row
  const next_attempt_at = row.next_attempt_at?.toISOString() ?? null
  const created_at = row.created_at.toISOString()
  return { id, webhook_id, event_id, event_type, status, attempts, next_attempt_at, created_at }
}

/** A partner's subscription. Throws `resource_unknown`. */
export async function readWebhook(tx: Tx, partner_id: string, id: string): Promise<WebhookRow> {
  return found(await tx.maybe<WebhookRow>(sql`${one(partner_id, id)}`), 'webhook')
}

/** Like `readWebhook`, locked until the end of the transaction. */
export async function lockWebhook(tx: Tx, partner_id: string, id: string): Promise<WebhookRow> {
  // This lock mode still lets deliveries reference the row.
  const row = await tx.maybe<WebhookRow>(sql`${one(partner_id, id)} for no key update`)
  return found(row, 'webhook')
}

function one(partner_id: string, id: string): RawBuilder<unknown> {
  return sql`select * from webhooks
    where id = ${id} and partner_id = ${partner_id} and deleted_at is null`
}

/** The number of a partner's subscriptions; locks the partner, so that none is added meanwhile. */
export async function countWebhooks(tx: Tx, partner_id: string): Promise<number> {
  await tx.run(sql`select from partners where id = ${partner_id} for no key update`)
  const { n } = await tx.one(sql<{ n: number }>`
    select count(*)::int as n from webhooks
    where partner_id = ${partner_id} and deleted_at is null`)
  return n
}

export function pageOfWebhooks(
  tx: Tx,
  partner_id: string,
  request: PageRequest,
): Promise<Page<WebhookRow>> {
  return readPage(
    tx,
    request,
    newestFirst(),
    (where, key) => sql<WebhookRow>`
    select *, ${key} from webhooks
    where partner_id = ${partner_id} and deleted_at is null and ${where}`,
  )
}

const deliveryColumns = sql`d.*, e.type as event_type`

export function pageOfDeliveries(
  tx: Tx,
  webhook: WebhookRow,
  statuses: readonly string[] | undefined,
  request: PageRequest,
): Promise<Page<DeliveryRow>> {
  const wanted = statuses ? sql`d.status = any (${statuses}::text[])` : sql`true`
  return readPage(
    tx,
    request,
    newestFirst(sql.ref('d.id')),
    (where, key) => sql<DeliveryRow>`
    select ${deliveryColumns}, ${key} from webhook_deliveries d
    join events e on e.partner_id = d.partner_id and e.id = d.event_id
    where d.webhook_id = ${webhook.id} and d.partner_id = ${webhook.partner_id}
      and ${wanted} and ${where}`,
  )
}

/** A delivery of the subscription. Throws `resource_unknown`. */
export async function readDelivery(tx: Tx, webhook: WebhookRow, id: string): Promise<DeliveryRow> {
  return found(await tx.maybe<DeliveryRow>(sql`${oneDelivery(webhook, id)}`), 'delivery')
}

/** Like `readDelivery`, locked until the end of the transaction. */
export async function lockDelivery(tx: Tx, webhook: WebhookRow, id: string): Promise<DeliveryRow> {
  const row = await tx.maybe<DeliveryRow>(sql`${oneDelivery(webhook, id)} for no key update of d`)
  return found(row, 'delivery')
}

function oneDelivery(webhook: WebhookRow, id: string): RawBuilder<unknown> {
  return sql`select ${deliveryColumns} from webhook_deliveries d
    join events e on e.partner_id = d.partner_id and e.id = d.event_id
    where d.id = ${id} and d.webhook_id = ${webhook.id} and d.partner_id = ${webhook.partner_id}`
}

function found<Row>(row: Row | undefined, what: string): Row {
  if (!row) throw problem('resource_unknown', `There is no such ${what}, or it is not yours.`)
  return row
}
