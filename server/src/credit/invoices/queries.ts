/** Reads invoices and builds their API views. */
import type { Invoice } from '@headroom/contract'
import { type RawBuilder, sql } from 'kysely'
import { documentAddress } from '../../integrations/documents/index.ts'
import { haveKeys, type RowKey } from '../../platform/db/of-partner.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import type { ResourceView } from '../../platform/events/record.ts'
import { wireDay } from '../../platform/kit/dates.ts'
import { toWire } from '../../platform/kit/money.ts'
import type { InvoiceRow } from './store.ts'

export type InvoiceViewRow = InvoiceRow & {
  seller: Invoice['seller']
  buyer: Invoice['buyer']
  loan_ids: string[]
}

/**
 * Whether a loan `l` counts as financing its invoices. A declined, canceled or deleted loan does
 * not count, not even while a reclaimed refund has reopened it (docs/decisions/0031).
 */
export const FINANCES = sql`loan_finances(l)`

function partyOf(side: 'seller' | 'buyer'): RawBuilder<unknown> {
  const id = sql.ref(`i.${side}_id`)
  return sql`(select jsonb_build_object('id', c.id, 'identifier', c.identifier,
      'identifier_type', c.identifier_type, 'name', c.name, 'vat_number', c.vat_number,
      'business_id', (select b.id from borrowers b
        where b.partner_id = c.partner_id and b.company_key = c.company_key))
    from counterparties c where c.partner_id = i.partner_id and c.id = ${id})`
}

/** All columns of an invoice's view, from `invoices i`. */
export function selectInvoices(
  where: RawBuilder<unknown>,
  key: RawBuilder<unknown> = sql`null as page_key`,
): RawBuilder<InvoiceViewRow> {
  return sql<InvoiceViewRow>`
    select i.*, ${partyOf('seller')} as seller, ${partyOf('buyer')} as buyer,
      array(select f.loan_id::text from invoice_loans f
        join loans l on l.partner_id = f.partner_id and l.id = f.loan_id
        where f.partner_id = i.partner_id and f.invoice_id = i.id and ${FINANCES}
        order by f.loan_id) as loan_ids, ${key}
    from invoices i where ${where}`
}

/** The view of an invoice. The URL of its document is valid only for a short time. */
export function invoiceView(tx: Tx, row: InvoiceViewRow): Invoice {
  const { net_amount: net, tax_amount: tax, total_amount: total, to_pay_amount: to_pay } = row
  const known = total === null ? 0n : total - (tax ?? 0n)
  return {
    id: row.id,
    invoice_number: row.invoice_number ?? '',
    status: row.status,
    status_reason: row.status_reason as Invoice['status_reason'],
    to_edit: [...row.to_edit],
    is_draft: row.is_draft,
    buyer: row.buyer,
    seller: row.seller,
    currency: row.currency as Invoice['currency'],
    net_amount: toWire(net ?? known),
    tax_amount: tax === null ? null : toWire(tax),
    total_amount: total === null ? null : toWire(total),
    to_pay_amount: to_pay === null ? null : toWire(to_pay),
    issued_at: row.issued_on && wireDay(row.issued_on),
    due_at: row.due_on && wireDay(row.due_on),
    document_url: row.document_id && documentAddress(tx.settings, row.document_id),
    loan_ids: row.loan_ids,
    to_account_details: row.to_account,
    metadata: row.metadata,
  }
}

export async function findInvoice(
  tx: Tx,
  partner_id: string,
  id: string,
): Promise<Invoice | undefined> {
  const row = await tx.maybe(selectInvoices(sql`i.partner_id = ${partner_id} and i.id = ${id}`))
  return row && invoiceView(tx, row)
}

export async function invoiceViews(
  tx: Tx,
  keys: readonly RowKey[],
): Promise<Map<string, ResourceView>> {
  const rows = await tx.all(selectInvoices(haveKeys(keys, 'i')))
  return new Map(
    rows.map(row => [row.id, { partner_id: row.partner_id, data: invoiceView(tx, row) }]),
  )
}

/** The use of an invoice by the loans that finance it (`FINANCES`). */
export interface Financing {
  /** Cents of loans that wait for the invoice's verification, none of them paid out. */
  readonly waiting: bigint
  /** Cents of the other loans. */
  readonly lent: bigint
  readonly borrower_ids: readonly string[]
}

export async function financingOf(tx: Tx, { partner_id, id }: RowKey): Promise<Financing> {
  return tx.one(sql<Financing>`
    select coalesce(sum(f.amount) filter (where l.status = 'PENDING_VALIDATION'), 0)::bigint
        as waiting,
      coalesce(sum(f.amount) filter (where l.status <> 'PENDING_VALIDATION'), 0)::bigint as lent,
      coalesce(array_agg(distinct l.borrower_id::text), '{}') as borrower_ids
    from invoice_loans f join loans l on l.partner_id = f.partner_id and l.id = f.loan_id
    where f.partner_id = ${partner_id} and f.invoice_id = ${id} and ${FINANCES}`)
}
