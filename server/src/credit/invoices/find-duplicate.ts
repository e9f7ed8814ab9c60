/** Finds the existing invoice when a partner submits it again. */
import { sql } from 'kysely'
import { lockNames } from '../../platform/db/locks.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import type { NewInvoice } from './create-invoice.ts'

/** Serializes requests about one seller's invoice number. */
export async function lockInvoiceNumber(tx: Tx, seller_key: string, number: string): Promise<void> {
  await lockNames(tx, 'invoice', [`${seller_key} ${number.toUpperCase()}`])
}

/**
 * The id of the partner's own invoice to reuse: one with the same parties, number, dates, currency,
 * total and amount to pay. Null if there is none. With `names_account`, the account must match too.
 * A new invoice with the same seller and number is declined as a duplicate when checked.
 */
export async function findDuplicateInvoice(
  tx: Tx,
  partner_id: string,
  { fields, seller, buyer }: NewInvoice,
  names_account: boolean,
): Promise<string | null> {
  const { invoice_number: number, total_amount: total } = fields
  if (!seller || !buyer || number === null) return null
  await lockInvoiceNumber(tx, seller.party.company_key, number)
  const found = await tx.maybe(sql<{ id: string }>`
    select i.id from invoices i
    join counterparties s on s.partner_id = i.partner_id and s.id = i.seller_id
    join counterparties b on b.partner_id = i.partner_id and b.id = i.buyer_id
    where i.partner_id = ${partner_id} and i.status in ('SUBMITTED', 'VERIFIED', 'PAID')
      and upper(i.invoice_number) = upper(${number})
      and s.company_key = ${seller.party.company_key}
      and b.company_key = ${buyer.party.company_key}
      and i.currency = ${fields.currency} and i.issued_on = ${fields.issued_on}
      and i.due_on = ${fields.due_on} and i.total_amount = ${total}
      and coalesce(i.to_pay_amount, i.total_amount) = ${fields.to_pay_amount ?? total}
      and (not ${names_account}::boolean
        or i.to_account->>'account_number' = ${fields.to_account?.account_number ?? null}::text)
    limit 1`)
  return found?.id ?? null
}
