/** The only SQL that writes invoices (except status: db/move.ts). */
import { type Insertable, type Selectable, sql } from 'kysely'
import type { RowKey } from '../../platform/db/of-partner.ts'
import type { DB } from '../../platform/db/schema.ts'
import { queryBuilder, type Tx } from '../../platform/db/transaction.ts'
import type { InvalidParam } from '../../platform/kit/problem.ts'
import type { InvoiceFields, ToAccount } from './read-invoice.ts'

export type InvoiceRow = Omit<Selectable<DB['invoices']>, 'to_account' | 'to_edit' | 'metadata'> & {
  to_account: ToAccount | null
  to_edit: readonly InvalidParam[]
  metadata: Record<string, unknown>
}

export async function insertInvoice(tx: Tx, row: Insertable<DB['invoices']>): Promise<void> {
  await tx.run(queryBuilder.insertInto('invoices').values(row))
}

export async function lockInvoice(
  tx: Tx,
  partner_id: string,
  id: string,
): Promise<InvoiceRow | undefined> {
  return tx.maybe(sql<InvoiceRow>`
    select * from invoices where partner_id = ${partner_id} and id = ${id} for update`)
}

export type InvoiceChange = InvoiceFields & {
  readonly seller_id: string | null
  readonly buyer_id: string | null
  readonly metadata: Record<string, unknown>
}

export async function updateFields(
  tx: Tx,
  { partner_id, id }: RowKey,
  change: InvoiceChange,
): Promise<void> {
  await tx.run(
    queryBuilder
      .updateTable('invoices')
      .set({
        ...fieldColumns(change),
        seller_id: change.seller_id,
        buyer_id: change.buyer_id,
        metadata: JSON.stringify(change.metadata),
      })
      .where('partner_id', '=', partner_id)
      .where('id', '=', id),
  )
}

/** Stores the findings of a check or a review; the caller moves the status. */
export async function updateFindings(
  tx: Tx,
  { partner_id, id }: RowKey,
  found: { reason: string | null; to_edit: readonly InvalidParam[]; is_draft: boolean },
): Promise<void> {
  await tx.run(
    queryBuilder
      .updateTable('invoices')
      .set({
        status_reason: found.reason,
        to_edit: JSON.stringify(found.to_edit),
        is_draft: found.is_draft,
      })
      .where('partner_id', '=', partner_id)
      .where('id', '=', id),
  )
}

export function fieldColumns(fields: InvoiceFields) {
  return {
    invoice_number: fields.invoice_number,
    currency: fields.currency,
    issued_on: fields.issued_on,
    due_on: fields.due_on,
    net_amount: fields.net_amount,
    tax_amount: fields.tax_amount,
    total_amount: fields.total_amount,
    to_pay_amount: fields.to_pay_amount,
    to_account: fields.to_account && JSON.stringify(fields.to_account),
  }
}
