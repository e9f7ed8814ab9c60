/** Records an update event for each product of the given borrowers. */
import { sql } from 'kysely'
import { haveKeys, type RowKey } from '../../platform/db/of-partner.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { recordEvent } from '../../platform/events/index.ts'

export async function recordProductEvents(tx: Tx, borrowers: readonly RowKey[]): Promise<void> {
  const products = await tx.all(sql<RowKey>`
    select partner_id, id from borrower_products
    where ${haveKeys(borrowers, 'borrower_products', 'borrower_id')} order by id`)
  for (const product of products) {
    recordEvent(tx, 'borrower_financial_product', product, 'BorrowerFinancialProductUpdated')
  }
}
