/** Takes what is due under a lease, fairly between subscriptions, and clears what is not to be sent. */
import { move } from '../db/move.ts'
import type { Tx } from '../db/transaction.ts'
import * as store from './store-deliveries.ts'

/** A process that dies loses its deliveries to others after this; longer than any attempt. */
export const LEASE_MS = 60_000
/** One slow receiver must not take every place. */
export const PLACES_PER_WEBHOOK = 4
const ABANDON_BATCH = 500

/**
 * Leases up to `places` deliveries that are due at `now`: of each active subscription the longest
 * waiting, subscriptions in no fixed order, so that none can starve another. Those of disabled
 * subscriptions are put aside until they are enabled, those of deleted ones given up in slices.
 */
export async function takeDue(tx: Tx, now: Date, places: number): Promise<store.Leased[]> {
  await store.parkDisabled(tx, now)
  const leftovers = await store.lockLeftovers(tx, now, ABANDON_BATCH)
  if (leftovers.length > 0) {
    await move(tx, 'service', 'delivery', leftovers, 'give_up', 'the subscription was deleted')
    await store.unschedule(tx, leftovers)
  }
  const until = new Date(now.getTime() + LEASE_MS)
  return store.leaseDue(tx, now, until, { all: places, of_webhook: PLACES_PER_WEBHOOK })
}
