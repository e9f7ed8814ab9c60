/** Replaces the signing secret of a subscription. */
import type { WebhookWithSecret } from '@headroom/contract'
import type { Caller } from '../access/caller.ts'
import type { Tx } from '../db/transaction.ts'
import { lockWebhook, webhookView } from './queries.ts'
import { ROTATION_OVERLAP_MS } from './rules.ts'
import { newSecret, sealSecret } from './secrets.ts'
import { replaceSecret } from './store.ts'

/**
 * Answers the new secret, shown this once. For a day deliveries carry a signature by each of the
 * two, so that the receiver can change over without a gap.
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
  return { ...webhookView(webhook), secret }
}
