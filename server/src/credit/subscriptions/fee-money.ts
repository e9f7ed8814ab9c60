/** Reads the payments of monthly fees, with their outcomes. */
import { sql } from 'kysely'
import { isSettled } from '../../money/payments/index.ts'
import type { RowKey } from '../../platform/db/of-partner.ts'
import type { Tx } from '../../platform/db/transaction.ts'

/** One of a fee's payments, in any status. Each is for the whole fee. */
export interface FeePayment {
  readonly fee_id: string
  readonly id: string
  readonly current: boolean
  readonly debit: boolean
  readonly stands: boolean
  /** Whether its refund was paid and not returned. */
  readonly refunded: boolean
}

/** Locks the fees of a payment; returns all payments of each fee, oldest first. */
export async function lockFeeMoney(tx: Tx, { partner_id, id }: RowKey): Promise<FeePayment[][]> {
  const theirs = sql`(select fee_id from fee_payments
    where partner_id = ${partner_id} and payment_id = ${id})`
  // Transfers that pay fees take the same locks.
  await tx.run(sql`
    select from subscription_fees where partner_id = ${partner_id} and id in ${theirs}
    order by id for no key update`)
  const payments = await tx.all(sql<FeePayment>`
    select n.fee_id, p.id, f.payment_id is not distinct from p.id as current,
      p.payment_method <> 'SCT' as debit, ${isSettled('p')} as stands,
      exists (select from payments r
        where r.partner_id = p.partner_id and r.refunded_payment_id = p.id
          and ${isSettled('r')}) as refunded
    from fee_payments n join subscription_fees f on f.partner_id = n.partner_id and f.id = n.fee_id
    join payments p on p.partner_id = n.partner_id and p.id = n.payment_id
    where n.partner_id = ${partner_id} and n.fee_id in ${theirs} order by n.fee_id, p.id`)
  return [...Map.groupBy(payments, payment => payment.fee_id).values()]
}

/** How many times a fee has been paid, net of refunds. */
export function timesPaid(payments: readonly FeePayment[]): number {
  return payments.filter(p => p.stands).length - payments.filter(p => p.refunded).length
}
