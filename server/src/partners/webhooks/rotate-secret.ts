/** Rotates the signing secret of a subscription. */
import type { WebhookWithSecret } from '@headroom/contract'
import { type Caller, recordAudit } from '../../platform/access/index.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { lockWebhook, webhookView } from './queries.ts'
import { ROTATION_OVERLAP_MS } from './rules.ts'
import { newSecret, sealSecret } from './secrets.ts'
import { replaceSecret } from './store.ts'

/**
 * Returns the new secret, which is shown only once. For a day, deliveries are signed with both
 * secrets, so that the receiver can switch without a gap.
 */
export async function rotateSecret(
  tx: Tx,
  caller: Caller,
  webhook_id: string,
): Promise<WebhookWithSecret> {
  const webhook = await lockWebhook(tx, caller.partner_id, webhook_id)
  const secret = newSecret()
  const sealed = sealSecret(tx.settings, webhook.id, secret)
  await replaceSecret(tx, webhook, sealed, new Date(Date.now() + ROTATION_OVERLAP_MS))
  const { partner_id } = caller
  const what = { resource: 'webhook', resource_id: webhook_id, partner_id }
  await recordAudit(tx, { act: 'rotate', ...what })
  return { ...webhookView(webhook), secret }
}
