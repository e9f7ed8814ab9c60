/** Changes, disables or enables a subscription. */
import type { Body, Webhook } from '@headroom/contract'
import { type Caller, recordAudit } from '../../platform/access/index.ts'
import { move } from '../../platform/db/move.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { lockWebhook, readWebhook, webhookView } from './queries.ts'
import { writeWebhook } from './store.ts'
import { scheduleHeads } from './store-deliveries.ts'

/**
 * Changes the fields in the body. While a subscription is disabled, it gets no new deliveries and
 * its unfinished ones wait. Throws `resource_unknown`.
 */
export async function updateWebhook(
  tx: Tx,
  caller: Caller,
  webhook_id: string,
  body: Body<'updateWebhook'>,
): Promise<Webhook> {
  const webhook = await lockWebhook(tx, caller.partner_id, webhook_id)
  const { status = webhook.status, ...fields } = body
  if (status !== webhook.status) {
    const trigger = status === 'ACTIVE' ? 'enable' : 'disable'
    await move(tx, 'webhook', [webhook], trigger)
    webhook.disabled_reason = status === 'ACTIVE' ? null : 'Disabled by its owner.'
  }
  await writeWebhook(tx, { ...webhook, ...fields })
  const changed = Object.keys(fields)
  if (changed.length > 0) {
    const { partner_id } = caller
    const what = { resource: 'webhook', resource_id: webhook_id, reason: changed.join(', ') }
    await recordAudit(tx, { act: 'change', partner_id, ...what })
  }
  if (status === 'ACTIVE' && webhook.status === 'DISABLED') await scheduleHeads(tx, webhook)
  return webhookView(await readWebhook(tx, caller.partner_id, webhook_id))
}
