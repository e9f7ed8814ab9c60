/** Changes a partner makes to an existing invoice: edit, submit, delete. */
import type { PartyWithRegistryData } from '../../companies/counterparties/index.ts'
import { publishFact } from '../../facts.ts'
import { move } from '../../platform/db/move.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { problem } from '../../platform/kit/problem.ts'
import { missingFields, submitAndCheck } from './check-invoice.ts'
import { declareSide } from './create-invoice.ts'
import { financingOf } from './queries.ts'
import { complete, type InvoiceFields, type ReadInvoice } from './read-invoice.ts'
import { type InvoiceRow, lockInvoice, updateFields, updateFindings } from './store.ts'

const EDITABLE = ['TO_SUBMIT', 'TO_EDIT', 'VERIFIED']

/** An edit whose parties were looked up in the registry. Undefined leaves a field unchanged. */
export interface InvoiceEdit {
  readonly read: ReadInvoice
  readonly seller: PartyWithRegistryData | null
  readonly buyer: PartyWithRegistryData | null
  readonly metadata: Record<string, unknown> | undefined
}

/**
 * Applies an edit; a verified invoice is checked again. Throws `state_conflict` if the status
 * allows no change, a loan finances the invoice, or waiting loans request more than the new amount.
 * Metadata can change until the invoice is deleted.
 */
export async function updateInvoice(tx: Tx, invoice: InvoiceRow, edit: InvoiceEdit): Promise<void> {
  const { read } = edit
  const of_substance =
    Object.keys(read.fields).length > 0 || read.seller !== undefined || read.buyer !== undefined
  const allowed = of_substance ? EDITABLE.includes(invoice.status) : invoice.status !== 'DELETED'
  if (!allowed) {
    throw problem('state_conflict', `invoice is ${invoice.status}: it cannot be changed`)
  }
  if (of_substance) await refuseWhenFinanced(tx, invoice, 'changed', invoice.status === 'TO_EDIT')
  const { partner_id } = invoice
  const side = async (name: 'seller' | 'buyer') =>
    read[name] === undefined ? invoice[`${name}_id`] : declareSide(tx, partner_id, name, edit[name])
  const fields = fieldsAfter(invoice, read)
  const changed: InvoiceRow = {
    ...invoice,
    ...fields,
    seller_id: await side('seller'),
    buyer_id: await side('buyer'),
    metadata: edit.metadata ?? invoice.metadata,
  }
  await refuseBelowWaiting(tx, changed)
  await updateFields(tx, invoice, changed)
  if (!of_substance) return
  if (invoice.status === 'VERIFIED') await submitAndCheck(tx, changed, 'edit')
  if (invoice.status === 'TO_EDIT') {
    const to_edit = await missingFields(tx, changed)
    await updateFindings(tx, invoice, {
      reason: invoice.status_reason,
      to_edit,
      is_draft: false,
    })
  }
}

function fieldsAfter(invoice: InvoiceRow, { fields }: ReadInvoice): InvoiceFields {
  const { currency = invoice.currency, ...rest } = fields
  return complete({ ...invoice, ...rest, currency })
}

/**
 * Submits a draft or an invoice sent back for editing, and checks it. Loans that waited for the
 * edit are decided in the same commit, unless the invoice needs a review or further edits.
 */
export async function submitInvoice(tx: Tx, invoice: InvoiceRow): Promise<void> {
  const status = await submitAndCheck(tx, invoice, 'submit')
  if (status === 'SUBMITTED' || status === 'TO_EDIT') return
  const { id: invoice_id, partner_id } = invoice
  await publishFact(tx, 'invoice_reviewed', { invoice_id, partner_id })
}

/** Deletes an invoice, which stays readable. Throws `state_conflict` while a loan finances it. */
export async function deleteInvoice(tx: Tx, invoice: InvoiceRow): Promise<void> {
  await refuseWhenFinanced(tx, invoice, 'deleted')
  await move(tx, 'invoice', [invoice], 'delete')
}

/**
 * Throws `state_conflict` if loans finance the invoice. With `may_wait`, loans that wait for its
 * verification do not count.
 */
async function refuseWhenFinanced(
  tx: Tx,
  invoice: InvoiceRow,
  what: string,
  may_wait = false,
): Promise<void> {
  const { waiting, lent } = await financingOf(tx, invoice)
  if (lent === 0n && (waiting === 0n || may_wait)) return
  throw problem('state_conflict', `A loan finances this invoice: it cannot be ${what}.`)
}

/** Throws `state_conflict` if waiting loans request more than the edited amount. */
async function refuseBelowWaiting(tx: Tx, changed: InvoiceRow): Promise<void> {
  const { waiting } = await financingOf(tx, changed)
  const amount = changed.to_pay_amount ?? changed.total_amount ?? 0n
  if (waiting === 0n || amount >= waiting) return
  throw problem(
    'state_conflict',
    'Loans that wait for this invoice ask for more: cancel them first.',
  )
}

/** Locks and returns a partner's invoice. Throws `resource_unknown`. */
export async function lockPartnerInvoice(
  tx: Tx,
  partner_id: string,
  id: string,
): Promise<InvoiceRow> {
  const invoice = await lockInvoice(tx, partner_id, id)
  if (!invoice) throw problem('resource_unknown')
  return invoice
}
