/** Opens subscriptions for borrowers' products with a monthly fee. */
import { sql } from 'kysely'
import { initialStatus, recordCreation } from '../../platform/db/move.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { insertSubscriptions } from './store.ts'

interface Access {
  id: string
  borrower_id: string
  partner_id: string
  monthly_fee: bigint
}

/**
 * Opens subscriptions for a new borrower's products, or for all borrowers with access to a changed
 * product. A subscription is free until activated. A product without a fee gets none.
 */
export async function openSubscriptions(
  tx: Tx,
  of: { partner_id: string; borrower_id: string } | { product_id: string },
): Promise<void> {
  const condition =
    'borrower_id' in of
      ? sql`bp.partner_id = ${of.partner_id} and bp.borrower_id = ${of.borrower_id}`
      : sql`bp.product_id = ${of.product_id}`
  // The fee is read under the lock, so that no borrower is missed while a fee is being set.
  const access = await tx.all(sql<Access>`
    select bp.id, bp.borrower_id, bp.partner_id, p.monthly_fee from borrower_products bp
    join products p on p.id = bp.product_id
    where ${condition} and not exists (select from subscriptions s
      where s.partner_id = bp.partner_id and s.borrower_product_id = bp.id)
    order by bp.id for share of p`)
  const due = access.filter(one => one.monthly_fee > 0n)
  const initial = initialStatus('subscription', [])
  const rows = due.map(({ id: borrower_product_id, borrower_id, partner_id }) => ({
    id: tx.newId(),
    partner_id,
    borrower_id,
    borrower_product_id,
    status: initial.status,
    created_at: tx.now,
  }))
  const inserted = await insertSubscriptions(tx, rows)
  recordCreation(
    tx,
    rows
      .filter(row => inserted.has(row.id))
      .map(({ id, partner_id }) => ({ id, partner_id, initial })),
  )
}
