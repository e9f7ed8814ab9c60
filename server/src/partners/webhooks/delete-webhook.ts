/** Deletes a subscription. */
import { type Caller, recordAudit } from '../../platform/access/index.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { lockWebhook } from './queries.ts'
import { markDeleted } from './store.ts'

/**
 * Deletes a subscription. From the commit on, it cannot be read and none of its deliveries is
 * leased. Its row is kept and marked as deleted.
 */
export async function deleteWebhook(tx: Tx, caller: Caller, webhook_id: string): Promise<void> {
  const { partner_id } = caller
  await markDeleted(tx, await lockWebhook(tx, partner_id, webhook_id))
  const what = { resource: 'webhook', resource_id: webhook_id, partner_id }
  await recordAudit(tx, { act: 'delete', ...what })
}
