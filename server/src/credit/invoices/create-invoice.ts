/** Creates an invoice: looks up its parties, stores its document and checks it. */
import type { Trigger } from '@headroom/contract'
import {
  declareCounterparty,
  lookUpParty,
  type Party,
  type PartyWithRegistryData,
} from '../../companies/counterparties/index.ts'
import type { Context } from '../../context.ts'
import { storeDocuments } from '../../integrations/documents/index.ts'
import { initialStatus, recordCreation } from '../../platform/db/move.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import type { Locale } from '../../platform/kit/money.ts'
import { checkInvoice, findingsOf } from './check-invoice.ts'
import type { ShownCurrency } from './extraction/extract.ts'
import { complete, type InvoiceFields, NO_FIELDS } from './read-invoice.ts'
import type { InvoiceDecision } from './rules.ts'
import { fieldColumns, insertInvoice } from './store.ts'

export interface NewInvoice {
  readonly fields: InvoiceFields
  readonly seller: PartyWithRegistryData | null
  readonly buyer: PartyWithRegistryData | null
  readonly is_draft: boolean
  readonly document: Buffer
  readonly document_is_invoice: boolean | null
  readonly document_total: bigint | null
  readonly document_currency: ShownCurrency | null
  readonly language: Locale | null
  readonly metadata: Record<string, unknown>
}

const RELATIONS = { seller: 'SUPPLIER', buyer: 'CLIENT' } as const

export async function lookUpParties(
  context: Context,
  partner_id: string,
  parties: { seller: Party | null | undefined; buyer: Party | null | undefined },
): Promise<{ seller: PartyWithRegistryData | null; buyer: PartyWithRegistryData | null }> {
  const [seller, buyer] = await Promise.all(
    [parties.seller, parties.buyer].map(party =>
      party ? lookUpParty(context, partner_id, party) : null,
    ),
  )
  return { seller: seller ?? null, buyer: buyer ?? null }
}

/** The counterparty id of one side of an invoice; creates the counterparty if it is new. */
export async function declareSide(
  tx: Tx,
  partner_id: string,
  side: 'seller' | 'buyer',
  known: PartyWithRegistryData | null,
): Promise<string | null> {
  if (!known) return null
  return (await declareCounterparty(tx, partner_id, known, [RELATIONS[side]])).row.id
}

/**
 * Inserts the invoice with its document and returns its id. A draft is TO_SUBMIT; any other invoice
 * is checked at once and becomes VERIFIED, TO_EDIT or DECLINED, or stays SUBMITTED until an
 * operator has reviewed it.
 */
export async function createInvoice(
  tx: Tx,
  partner_id: string,
  input: NewInvoice,
): Promise<string> {
  const id = tx.newId()
  const fields = complete({ ...NO_FIELDS, ...input.fields })
  const { is_draft, document_is_invoice, document_total, document_currency } = input
  const invoice = {
    id,
    partner_id,
    ...fields,
    seller_id: await declareSide(tx, partner_id, 'seller', input.seller),
    buyer_id: await declareSide(tx, partner_id, 'buyer', input.buyer),
    document_is_invoice,
    document_total,
    document_currency,
  }
  const decision = is_draft ? null : await checkInvoice(tx, invoice)
  const initial = initialStatus('invoice', triggersOf(decision))
  const found = decision ? findingsOf(decision) : { reason: null, to_edit: [] }
  await insertInvoice(tx, {
    ...invoice,
    ...fieldColumns(fields),
    status: initial.status,
    status_reason: found.reason,
    to_edit: JSON.stringify(found.to_edit),
    is_draft,
    document_id: await keepDocument(tx, partner_id, input),
    metadata: JSON.stringify(input.metadata),
    created_at: tx.now,
  })
  recordCreation(tx, [{ id, partner_id, initial, reason: found.reason }])
  return id
}

function triggersOf(decision: InvoiceDecision | null): Trigger<'invoice'>[] {
  if (!decision) return []
  return decision.trigger ? ['submit', decision.trigger] : ['submit']
}

async function keepDocument(tx: Tx, partner_id: string, input: NewInvoice): Promise<string> {
  const id = tx.newId()
  const number = input.fields.invoice_number
  await storeDocuments(tx, [
    {
      id,
      kind: 'INVOICE',
      partner_id,
      language: input.language ?? 'en',
      title: number ? `Invoice ${number}` : 'Invoice',
      content: input.document,
    },
  ])
  return id
}
