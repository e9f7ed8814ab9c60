/** The only SQL that writes what a loan brought along: shares of invoices, installments, papers. */
import { type Insertable, sql } from 'kysely'
import { insertInto } from '../../../platform/db/insert.ts'
import type { DB } from '../../../platform/db/schema.ts'
import type { Tx } from '../../../platform/db/transaction.ts'

/** What loans finance of their invoices. */
export async function insertShares(
  tx: Tx,
  rows: readonly Insertable<DB['invoice_loans']>[],
): Promise<void> {
  if (rows.length > 0) await tx.run(insertInto('invoice_loans', rows))
}

/** Sets what a loan finances of each of its invoices, in cents, in the same order. */
export async function setShares(
  tx: Tx,
  loan_id: string,
  invoice_ids: readonly string[],
  amounts: readonly bigint[],
): Promise<void> {
  await tx.run(sql`
    update invoice_loans f set amount = n.amount
    from unnest(${invoice_ids}::uuid[], ${amounts}::bigint[]) as n (invoice_id, amount)
    where f.loan_id = ${loan_id} and f.invoice_id = n.invoice_id`)
}

/** The days on which loans are repaid in parts. */
export async function insertInstallments(
  tx: Tx,
  rows: readonly Insertable<DB['loan_installments']>[],
): Promise<void> {
  if (rows.length > 0) await tx.run(insertInto('loan_installments', rows))
}

/** What documents.store keeps the content of, as papers of their loans. */
export async function insertPapers(
  tx: Tx,
  rows: readonly Insertable<DB['loan_documents']>[],
): Promise<void> {
  if (rows.length > 0) await tx.run(insertInto('loan_documents', rows))
}
