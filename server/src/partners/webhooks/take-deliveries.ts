/** Takes what is due under a lease, fairly between partners and their subscriptions. */
import type { Tx } from '../../platform/db/transaction.ts'
import { type Leased, leaseDue } from './store-deliveries.ts'

/** A process that dies loses its deliveries to others after this; longer than any attempt. */
const LEASE_MS = 60_000
/** One slow receiver must not take every place of its partner, nor one partner those of others. */
const PLACES_PER_WEBHOOK = 8
const PLACES_PER_PARTNER = 16

/**
 * Leases up to `places` deliveries that are due at `now`: of each active subscription the longest
 * waiting, partners in turn and subscriptions in no fixed order, so that none can starve another.
 */
export function takeDue(tx: Tx, now: Date, places: number): Promise<Leased[]> {
  const until = new Date(now.getTime() + LEASE_MS)
  const [of_partner, of_webhook] = [PLACES_PER_PARTNER, PLACES_PER_WEBHOOK]
  return leaseDue(tx, now, until, { all: places, of_partner, of_webhook })
}
