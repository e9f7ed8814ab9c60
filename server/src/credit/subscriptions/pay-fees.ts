/** Pays monthly fees with a transfer of their exact total, in place of their debits. */
import { type RawBuilder, sql } from 'kysely'
import { isSettled, type PaymentRow, syncCollections } from '../../money/payments/index.ts'
import { haveNames } from '../../platform/db/directory.ts'
import { haveKeys, ofEachPartner, type RowKey } from '../../platform/db/of-partner.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import type { Day } from '../../platform/kit/dates.ts'
import { isUuid } from '../../platform/kit/ids.ts'
import { settleFee } from './follow-payment.ts'
import { setPayments } from './store.ts'

export interface FeeReference {
  readonly id: string
  readonly partner_id: string
  readonly borrower_id: string
  /** DEBITED means that the fee's debit has been instructed. */
  readonly status: 'OWED' | 'DEBITED' | 'PAID'
  readonly amount: bigint
}

export function findFeesByReference(
  names: readonly string[],
): RawBuilder<FeeReference & { month: Day }> {
  const ids = names.filter(isUuid)
  const orId = sql`or ${ofEachPartner('f')} and f.id = any(${ids}::uuid[])`
  return sql`
    select f.id, f.partner_id, s.borrower_id, f.amount, f.month,
      case when ${isSettled('p')} then 'PAID'
        when p.status in ('INSTRUCTED', 'IN_TRANSIT') then 'DEBITED'
        else 'OWED' end as status
    from subscription_fees f
    join subscriptions s on s.partner_id = f.partner_id and s.id = f.subscription_id
    left join payments p on p.partner_id = f.partner_id and p.id = f.payment_id
    where ${haveNames('f', 'reference', names)} ${ids.length > 0 ? orId : sql``}`
}

/** Locks fees and their SCHEDULED debits. */
export async function lockFees(tx: Tx, fees: readonly RowKey[]): Promise<void> {
  if (fees.length === 0) return
  await tx.run(sql`
    select from subscription_fees where ${haveKeys(fees, 'subscription_fees')}
    order by id for no key update`)
  await tx.run(sql`
    select from payments where status = 'SCHEDULED' and (partner_id, id) in (
      select partner_id, payment_id from subscription_fees
      where ${haveKeys(fees, 'subscription_fees')})
    order by id for no key update`)
}

/**
 * Pays locked fees with a payment of their exact total. Their debits are canceled, or recalled if
 * already at the bank; a debit that settles anyway is refunded.
 */
export async function payFees(
  tx: Tx,
  ids: readonly string[],
  payment: PaymentRow,
  value_on: Day,
): Promise<void> {
  const debits = await tx.all(sql<PaymentRow>`
    select p.* from payments p
    join subscription_fees f on f.partner_id = p.partner_id and f.payment_id = p.id
    where f.partner_id = ${payment.partner_id} and f.id = any(${[...ids]}::uuid[]) order by p.id`)
  await syncCollections(
    tx,
    debits.map(debit => ({ owed: 0n, planned: [debit], plan: null })),
  )
  await setPayments(
    tx,
    ids.map(fee_id => ({ partner_id: payment.partner_id, fee_id, payment_id: payment.id })),
  )
  await settleFee(tx, { payment, value_on })
}
