/** Takes deliveries of disabled and deleted subscriptions out of the schedule. */
import { sql } from 'kysely'
import { move } from '../../platform/db/move.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { markCleared, tryFeedPositions } from './store.ts'
import { lockUnfinished, parkDisabled, unschedule } from './store-deliveries.ts'

const BATCH = 500

/**
 * Unschedules the unfinished deliveries of disabled subscriptions until the subscription is enabled
 * again, and abandons those of deleted subscriptions in batches. Returns whether there may be
 * another batch.
 */
export async function discardDeliveries(tx: Tx, now: Date): Promise<boolean> {
  const { deleted } = await tx.one(sql<{ deleted: boolean }>`
    select exists (select from webhooks
      where deleted_at is not null and cleared_at is null) as deleted`)
  const more = deleted && (await abandonDeleted(tx, now))
  await parkDisabled(tx, now)
  return more
}

async function abandonDeleted(tx: Tx, now: Date): Promise<boolean> {
  // A running `placeEvents` holds this lock and may still see a deleted subscription as active. Do
  // not wait for it: nothing is sent to a deleted subscription, so a later call can do this.
  if (!(await tryFeedPositions(tx))) return false
  const leftovers = await lockUnfinished(tx, now, BATCH)
  await move(tx, 'delivery', leftovers, 'give_up', 'the subscription was deleted')
  await unschedule(tx, leftovers)
  await markCleared(tx)
  return leftovers.length === BATCH
}
