/** The only SQL that writes a loan's shares of invoices, its installments and its documents. */
import { type Insertable, sql } from 'kysely'
import { insertInto } from '../../../platform/db/insert.ts'
import type { RowKey } from '../../../platform/db/of-partner.ts'
import type { DB } from '../../../platform/db/schema.ts'
import type { Tx } from '../../../platform/db/transaction.ts'

export async function insertShares(
  tx: Tx,
  rows: readonly Insertable<DB['invoice_loans']>[],
): Promise<void> {
  if (rows.length > 0) await tx.run(insertInto('invoice_loans', rows))
}

/**
 * Sets the cents that a loan finances of each invoice; `amounts` follow the order of `invoice_ids`.
 */
export async function setShares(
  tx: Tx,
  loan: RowKey,
  invoice_ids: readonly string[],
  amounts: readonly bigint[],
): Promise<void> {
  await tx.run(sql`
    update invoice_loans f set amount = n.amount
    from unnest(${invoice_ids}::uuid[], ${amounts}::bigint[]) as n (invoice_id, amount)
    where f.partner_id = ${loan.partner_id} and f.loan_id = ${loan.id}
      and f.invoice_id = n.invoice_id`)
}

export async function insertInstallments(
  tx: Tx,
  rows: readonly Insertable<DB['loan_installments']>[],
): Promise<void> {
  if (rows.length > 0) await tx.run(insertInto('loan_installments', rows))
}

/** Links stored documents to their loans. */
export async function insertPapers(
  tx: Tx,
  rows: readonly Insertable<DB['loan_documents']>[],
): Promise<void> {
  if (rows.length > 0) await tx.run(insertInto('loan_documents', rows))
}
