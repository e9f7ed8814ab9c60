/** Ends a subscription. */
import type { Caller } from '../access/caller.ts'
import type { Tx } from '../db/transaction.ts'
import { lockWebhook } from './queries.ts'
import { markDeleted } from './store.ts'

/** From the commit on nothing more is sent to it, and it is 404. Its record stays. */
export async function deleteWebhook(tx: Tx, caller: Caller, webhook_id: string): Promise<void> {
  await markDeleted(tx, await lockWebhook(tx, caller.partner_id, webhook_id))
}
