/** Takes what is due under a lease, fairly between subscriptions. */
import type { Tx } from '../db/transaction.ts'
import { type Leased, leaseDue } from './store-deliveries.ts'

/** A process that dies loses its deliveries to others after this; longer than any attempt. */
const LEASE_MS = 60_000
/** One slow receiver must not take every place. */
const PLACES_PER_WEBHOOK = 8

/**
 * Leases up to `places` deliveries that are due at `now`: of each active subscription the longest
 * waiting, subscriptions in no fixed order, so that none can starve another.
 */
export function takeDue(tx: Tx, now: Date, places: number): Promise<Leased[]> {
  const until = new Date(now.getTime() + LEASE_MS)
  return leaseDue(tx, now, until, { all: places, of_webhook: PLACES_PER_WEBHOOK })
}
