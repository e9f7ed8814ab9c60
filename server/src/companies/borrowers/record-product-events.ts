/** Records an update event for each product of the given borrowers. */
import { sql } from 'kysely'
import type { RowKey } from '../../platform/db/of-partner.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { recordEvent } from '../../platform/events/index.ts'

export async function recordProductEvents(tx: Tx, borrower_ids: readonly string[]): Promise<void> {
  const products = await tx.all(sql<RowKey>`
    select partner_id, id from borrower_products where borrower_id = any(${borrower_ids}::uuid[])
    order by id`)
  for (const product of products) {
    recordEvent(tx, 'borrower_financial_product', product, 'BorrowerFinancialProductUpdated')
  }
}
