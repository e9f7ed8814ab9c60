/** Queues a delivery to be sent again at once. */
import type { WebhookDelivery } from '@headroom/contract'
import type { Caller } from '../../platform/access/caller.ts'
import { move } from '../../platform/db/move.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { problem } from '../../platform/kit/problem.ts'
import {
  type DeliveryRow,
  deliveryView,
  lockDelivery,
  readDelivery,
  readWebhook,
} from './queries.ts'
import { requeueDelivery } from './store-deliveries.ts'

/**
 * Queues a delivery that FAILED, was DELIVERED or waits for its next attempt, and restarts its
 * schedule. Throws `delivery_unavailable` if the webhook is disabled, or if the delivery is being
 * sent or waits for an earlier one of the same resource.
 */
export async function retryDelivery(
  tx: Tx,
  caller: Caller,
  webhook_id: string,
  delivery_id: string,
): Promise<WebhookDelivery> {
  const webhook = await readWebhook(tx, caller.partner_id, webhook_id)
  const delivery = await lockDelivery(tx, webhook, delivery_id)
  const hindrance =
    webhook.status === 'ACTIVE'
      ? hindranceOf(delivery)
      : 'The webhook is disabled: enable it first.'
  if (hindrance) throw problem('delivery_unavailable', hindrance)
  if (delivery.status !== 'PENDING') {
    await move(tx, 'delivery', [delivery], 'retry')
  }
  await requeueDelivery(tx, delivery)
  return deliveryView(await readDelivery(tx, webhook, delivery_id))
}

function hindranceOf(delivery: DeliveryRow): string | null {
  if (delivery.status !== 'PENDING') return null
  if (delivery.leased_until && delivery.leased_until > new Date()) return 'It is being sent now.'
  if (delivery.next_attempt_at) return null
  return 'It waits for an earlier delivery about the same resource: retry that one.'
}
