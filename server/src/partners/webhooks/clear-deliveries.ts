/** Puts aside what is not to be sent: deliveries of disabled and of deleted subscriptions. */
import { sql } from 'kysely'
import { move } from '../../platform/db/move.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { lockSettling, markCleared } from './store.ts'
import { lockLeftovers, parkDisabled, unschedule } from './store-deliveries.ts'

const BATCH = 500

/**
 * Unfinished deliveries of disabled subscriptions wait, without a date, until those are enabled
 * again; those of deleted subscriptions are given up, a slice at a time.
 */
export async function clearAway(tx: Tx, now: Date): Promise<void> {
  const { deleted } = await tx.one(sql<{ deleted: boolean }>`
    select exists (select from webhooks
      where deleted_at is not null and cleared_at is null) as deleted`)
  if (deleted) await abandonDeleted(tx, now)
  await parkDisabled(tx, now)
}

async function abandonDeleted(tx: Tx, now: Date): Promise<void> {
  // A placer that still took one for active comes first: nothing turns up after the clearing.
  await lockSettling(tx)
  const leftovers = await lockLeftovers(tx, now, BATCH)
  await move(tx, 'service', 'delivery', leftovers, 'give_up', 'the subscription was deleted')
  await unschedule(tx, leftovers)
  await markCleared(tx)
}
