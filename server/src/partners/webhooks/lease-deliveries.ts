/** Leases due deliveries, fairly among partners and their subscriptions. */
import type { Tx } from '../../platform/db/transaction.ts'
import { type Leased, leaseDue } from './store-deliveries.ts'

/**
 * How long a lease lasts: longer than any attempt. Once it expires, another process takes over the
 * deliveries of a process that died.
 */
const LEASE_MS = 60_000
/** Limited, so that one slow receiver cannot use up its partner's slots. */
const WEBHOOK_ATTEMPTS_AT_ONCE = 8
/** Limited, so that one partner cannot use up all slots. */
const PARTNER_ATTEMPTS_AT_ONCE = 16

/**
 * Leases up to `places` deliveries due at `now`: the longest waiting of each active subscription,
 * partners in turn and subscriptions in random order, so that none can starve another.
 */
export function leaseDeliveries(tx: Tx, now: Date, places: number): Promise<Leased[]> {
  const until = new Date(now.getTime() + LEASE_MS)
  const [of_partner, of_webhook] = [PARTNER_ATTEMPTS_AT_ONCE, WEBHOOK_ATTEMPTS_AT_ONCE]
  return leaseDue(tx, now, until, { all: places, of_partner, of_webhook })
}
