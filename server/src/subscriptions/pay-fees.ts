/** Pays monthly fees by a transfer of exactly what they ask for, instead of their debits. */
import { sql } from 'kysely'
import { type Actor, move } from '../db/move.ts'
import type { Tx } from '../db/transaction.ts'
import type { Day } from '../kit/dates.ts'
import { isUuid } from '../kit/ids.ts'
import type { PaymentRow } from '../payments/index.ts'
import { settleFee } from './follow-payment.ts'
import { setPayments } from './store.ts'

/** A fee by the reference that it is transferred with. */
export interface FeeNamed {
  readonly id: string
  readonly partner_id: string
  readonly borrower_id: string
  /** DEBITED: the bank has its debit. */
  readonly status: 'OWED' | 'DEBITED' | 'PAID'
  readonly amount: bigint
}

/** Fees by their references or ids, the oldest first. */
export async function findFees(tx: Tx, names: readonly string[]): Promise<FeeNamed[]> {
  if (names.length === 0) return []
  return tx.all(sql<FeeNamed>`
    select f.id, f.partner_id, s.borrower_id, f.amount,
      case when p.status = 'PAID' and not exists (select from payments c
            where c.charged_back_payment_id = p.id) then 'PAID'
        when p.status in ('INSTRUCTED', 'IN_TRANSIT') then 'DEBITED'
        else 'OWED' end as status
    from subscription_fees f join subscriptions s on s.id = f.subscription_id
    left join payments p on p.id = f.payment_id
    where f.id = any(${names.filter(isUuid)}::uuid[]) or f.reference = any(${[...names]}::text[])
    order by f.month, f.id`)
}

/** Locks fees and the debits that are to collect them. */
export async function lockFees(tx: Tx, ids: readonly string[]): Promise<PaymentRow[]> {
  if (ids.length === 0) return []
  await tx.run(sql`
    select from subscription_fees where id = any(${[...ids]}::uuid[])
    order by id for no key update`)
  return tx.all(sql<PaymentRow>`
    select p.* from payments p join subscription_fees f on f.payment_id = p.id
    where f.id = any(${[...ids]}::uuid[]) and p.status = 'SCHEDULED'
    order by p.id for no key update of p`)
}

/** The fees are locked, and the payment is of what they ask for together. */
export async function payFees(
  tx: Tx,
  actor: Actor,
  ids: readonly string[],
  payment: PaymentRow,
  value_on: Day,
): Promise<void> {
  await move(tx, actor, 'payment', await lockFees(tx, ids), 'cancel', 'paid by transfer')
  await setPayments(
    tx,
    ids.map(fee_id => ({ fee_id, payment_id: payment.id })),
  )
  await settleFee(tx, { payment, value_on })
}
