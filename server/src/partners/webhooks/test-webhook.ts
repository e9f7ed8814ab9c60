/** Sends a test event to one subscription. */
import type { WebhookDelivery } from '@headroom/contract'
import type { Caller } from '../../platform/access/caller.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { insertEvents } from '../../platform/events/index.ts'
import { problem } from '../../platform/kit/problem.ts'
import { deliveryView, readDelivery, readWebhook, webhookView } from './queries.ts'
import { assignPositions, lockFeedPositions } from './store.ts'
import { insertDeliveries } from './store-deliveries.ts'

/**
 * Writes a `Webhook.TEST` event and returns its delivery, even if the subscription does not include
 * this type. Throws `delivery_unavailable` if the subscription is disabled.
 */
export async function testWebhook(
  tx: Tx,
  caller: Caller,
  webhook_id: string,
): Promise<WebhookDelivery> {
  // Taken before any row lock, in the same order as `placeEvents`.
  await lockFeedPositions(tx)
  const webhook = await readWebhook(tx, caller.partner_id, webhook_id)
  if (webhook.status !== 'ACTIVE') {
    throw problem('delivery_unavailable', 'The webhook is disabled: enable it first.')
  }
  const { partner_id } = caller
  const snapshot = { id: tx.newId(), partner_id, data: { ...webhookView(webhook) } }
  const event = { id: tx.newId(), type: 'Webhook.TEST', resource_id: webhook.id, overlay: {} }
  insertEvents(tx, [{ ...event, snapshot }])
  await tx.flush()
  const event_id = event.id
  const [position] = await assignPositions(tx, [{ partner_id, event_id }])
  const match = {
    partner_id,
    webhook_id,
    event_id,
    ordering_key: webhook.id,
    position: position!,
  }
  const [id] = await insertDeliveries(tx, [match])
  return deliveryView(await readDelivery(tx, webhook, id!))
}
