/** Emits events when a borrower's products change. */
import { sql } from 'kysely'
import type { Tx } from '../../platform/db/transaction.ts'
import { recordEvent } from '../../platform/events/index.ts'

/** Notes an update event for every product of these borrowers. */
export async function recordProductEvents(tx: Tx, borrower_ids: readonly string[]): Promise<void> {
  const products = await tx.all(sql<{ id: string }>`
    select id from borrower_products where borrower_id = any(${borrower_ids}::uuid[])
    order by id`)
  for (const { id } of products) {
    recordEvent(tx, 'borrower_financial_product', id, 'BorrowerFinancialProductUpdated')
  }
}
