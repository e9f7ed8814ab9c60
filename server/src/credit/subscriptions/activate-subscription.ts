/** Starts the monthly fee of a subscription. */
import type { Answer } from '@headroom/contract'
import { sql } from 'kysely'
import { monthlyFeeOf } from '../../companies/borrowers/index.ts'
import { move } from '../../platform/db/move.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { wireDay } from '../../platform/kit/dates.ts'
import { toWire } from '../../platform/kit/money.ts'
import { problem } from '../../platform/kit/problem.ts'
import { type SubscriptionRow, setActivated } from './store.ts'

type View = Answer<'activateSubscription'>

/**
 * Activates a subscription and returns it; activating an active one has no effect. Throws
 * `resource_unknown`, or `direct_debit_missing` if the borrower has no method that can be debited.
 */
export async function activateSubscription(tx: Tx, partner_id: string, id: string): Promise<View> {
  const row = await tx.maybe(sql<SubscriptionRow & { ready: boolean; product_fee: bigint }>`
    select s.*, p.monthly_fee as product_fee,
      exists (select from repayment_methods m
        where m.partner_id = s.partner_id and m.borrower_id = s.borrower_id
          and m.payment_method <> 'SCT' and m.status = 'READY') as ready
    from subscriptions s
    join borrower_products bp on bp.partner_id = s.partner_id and bp.id = s.borrower_product_id
    join products p on p.id = bp.product_id
    where s.id = ${id} and s.partner_id = ${partner_id} for no key update of s`)
  if (!row) throw problem('resource_unknown')
  const monthly_fee = monthlyFeeOf(row.monthly_fee, { monthly_fee: row.product_fee })
  const view = { id, borrower_id: row.borrower_id, monthly_fee_cents: toWire(monthly_fee) }
  if (row.status === 'ACTIVE') {
    return { ...view, status: 'ACTIVE', activated_at: wireDay(row.activated_on ?? tx.today) }
  }
  if (!row.ready) throw problem('direct_debit_missing')
  await setActivated(tx, row, { on: tx.today, monthly_fee })
  await move(tx, 'subscription', [row], 'activate')
  return { ...view, status: 'ACTIVE', activated_at: wireDay(tx.today) }
}
