/** Gives each product of a new borrower that has a monthly fee its subscription. */
import { sql } from 'kysely'
import { type Actor, birth, recordBirths } from '../db/move.ts'
import type { Tx } from '../db/transaction.ts'
import { insertSubscriptions } from './store.ts'

/** It costs nothing until it is activated. A product without a fee gets none. */
export async function openSubscriptions(
  tx: Tx,
  { borrower_id, partner_id }: { borrower_id: string; partner_id: string },
  actor: Actor,
): Promise<void> {
  const due = await tx.all(sql<{ id: string }>`
    select bp.id from borrower_products bp
    join products p on p.id = bp.product_id and p.monthly_fee > 0
    where bp.borrower_id = ${borrower_id} and bp.partner_id = ${partner_id}`)
  const born = birth('subscription', [])
  const rows = due.map(product => ({
    id: tx.newId(),
    partner_id,
    borrower_id,
    borrower_product_id: product.id,
    status: born.status,
    created_at: tx.now,
  }))
  const inserted = await insertSubscriptions(tx, rows)
  recordBirths(
    tx,
    actor,
    [...inserted].map(id => ({ id, partner_id, birth: born })),
  )
}
