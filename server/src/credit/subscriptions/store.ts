/** The only SQL that writes the tables of subscriptions. Status changes are in db/move.ts. */
import { type Insertable, type Selectable, sql } from 'kysely'
import { enterNames } from '../../platform/db/directory.ts'
import { insertInto } from '../../platform/db/insert.ts'
import type { RowKey } from '../../platform/db/of-partner.ts'
import type { DB } from '../../platform/db/schema.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import type { Day } from '../../platform/kit/dates.ts'

export type SubscriptionRow = Selectable<DB['subscriptions']>

/** Inserts subscriptions, at most one per borrower and product; returns the ids of the new ones. */
export async function insertSubscriptions(
  tx: Tx,
  rows: readonly Insertable<DB['subscriptions']>[],
): Promise<Set<string>> {
  if (rows.length === 0) return new Set()
  const inserted = await tx.all(sql<{ id: string }>`
    ${insertInto('subscriptions', rows)}
    on conflict (partner_id, borrower_product_id) where borrower_product_id is not null
    do nothing returning id`)
  return new Set(inserted.map(row => row.id))
}

/** Fixes `monthly_fee`, in cents, so that later changes of the product's price do not apply. */
export async function setActivated(
  tx: Tx,
  { partner_id, id }: RowKey,
  { on, monthly_fee }: { on: Day; monthly_fee: bigint },
): Promise<void> {
  await tx.run(sql`
    update subscriptions set activated_on = ${on}, monthly_fee = ${monthly_fee}
    where partner_id = ${partner_id} and id = ${id}`)
}

/** Inserts the fees of a month; returns the ids of those that were new. */
export async function insertFees(
  tx: Tx,
  rows: readonly Insertable<DB['subscription_fees']>[],
): Promise<Set<string>> {
  if (rows.length === 0) return new Set()
  const inserted = await tx.all(sql<{ id: string }>`
    ${insertInto('subscription_fees', rows)}
    on conflict (partner_id, subscription_id, month) where subscription_id is not null
    do nothing returning id`)
  const fresh = new Set(inserted.map(row => row.id))
  const entered = rows.filter(row => fresh.has(row.id))
  enterNames(tx, 'reference', entered, row => row.reference)
  return fresh
}

/**
 * Sets or clears the current payments of fees; earlier payments stay recorded. A payment is linked
 * to its fees in the transaction that plans or receives it, so its first event shows them.
 */
export async function setPayments(
  tx: Tx,
  planned: readonly { partner_id: string; fee_id: string; payment_id: string | null }[],
): Promise<void> {
  if (planned.length === 0) return
  await tx.run(sql`
    with changed as (
      update subscription_fees f set payment_id = n.payment_id
      from unnest(${planned.map(p => p.partner_id)}::uuid[],
          ${planned.map(p => p.fee_id)}::uuid[], ${planned.map(p => p.payment_id)}::uuid[])
        as n (partner_id, id, payment_id)
      where f.partner_id = n.partner_id and f.id = n.id returning f.*)
    insert into fee_payments (payment_id, fee_id, subscription_id, partner_id, amount)
    select payment_id, id, subscription_id, partner_id, amount from changed
    where payment_id is not null on conflict do nothing`)
}
