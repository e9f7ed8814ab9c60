/**
 * Prepares a new invoice before anything is written: reads its document and looks up its parties.
 */
import type { CreateInvoiceBody, UploadedFile } from '@headroom/contract'
import { type Party, readParty } from '../../companies/counterparties/read-party.ts'
import type { Context, Validation } from '../../context.ts'
import { findingsIn, invalid } from '../../platform/kit/problem.ts'
import type { WellFormed } from '../../platform/kit/well-formed.ts'
import { lookUpParties, type NewInvoice } from './create-invoice.ts'
import type { Extracted } from './extraction/extract.ts'
import { readPdf } from './extraction/read-pdf.ts'
import { type InvoiceFields, NO_FIELDS, readInvoice, type ToAccount } from './read-invoice.ts'

export interface DescribedInvoice {
  readonly fields: InvoiceFields
  readonly seller: Party | null
  readonly buyer: Party | null
  readonly document: Buffer
  readonly shown: Extracted
}

/** Returns the invoice that the request describes, with its PDF, or all errors. */
export async function readNewInvoice(
  partner_id: string,
  { document: base64, ...described }: WellFormed<CreateInvoiceBody>,
): Promise<Validation<DescribedInvoice>> {
  const { fields, seller = null, buyer = null, faults } = readInvoice(described)
  const pdf = await readDocument(partner_id, base64, 'document')
  return {
    faults: [...faults, ...pdf.faults],
    meaning: pdf.meaning && { ...pdf.meaning, fields: { ...NO_FIELDS, ...fields }, seller, buyer },
  }
}

async function readDocument(partner_id: string, base64: string | undefined, name: string) {
  if (base64 === undefined) return { faults: [], meaning: null }
  const document = Buffer.from(base64, 'base64')
  return findingsIn(async () => ({ document, shown: await readPdf(partner_id, document, name) }))
}

/** Looks up the parties in the registry; returns the invoice, ready to insert. */
export async function prepareInvoice(
  context: Context,
  partner_id: string,
  { fields, seller, buyer, document, shown }: DescribedInvoice,
  { is_draft = false, metadata }: Pick<CreateInvoiceBody, 'is_draft' | 'metadata'>,
): Promise<NewInvoice> {
  return {
    fields,
    ...(await lookUpParties(context, partner_id, { seller, buyer })),
    is_draft: is_draft ?? false,
    document,
    document_is_invoice: shown.is_invoice,
    document_total: shown.total_amount,
    document_currency: shown.currency,
    language: shown.language,
    metadata: metadata ?? {},
  }
}

/** A PDF, and company numbers that override those in the PDF. */
export interface Upload {
  readonly file?: UploadedFile | undefined
  readonly buyer?: string | undefined
  readonly seller?: string | undefined
}

/** Returns the invoice that the PDF describes, or all errors. */
export async function readUpload(
  partner_id: string,
  upload: Upload,
): Promise<Validation<DescribedInvoice>> {
  const seller = await findingsIn(() => partyNamed(upload, 'seller'))
  const buyer = await findingsIn(() => partyNamed(upload, 'buyer'))
  const pdf = await readDocument(partner_id, upload.file?.content, 'file')
  const faults = [...seller.faults, ...buyer.faults, ...pdf.faults]
  if (!pdf.meaning) return { faults, meaning: null }
  const { document, shown } = pdf.meaning
  const parties = {
    seller: seller.meaning ?? partyIn(shown, 'seller'),
    buyer: buyer.meaning ?? partyIn(shown, 'buyer'),
  }
  return { faults, meaning: { fields: fieldsShown(shown), ...parties, document, shown } }
}

function fieldsShown(shown: Extracted): InvoiceFields {
  const { invoice_number, currency, issued_on, due_on } = shown
  const { net_amount, tax_amount, total_amount, to_pay_amount } = shown
  return {
    invoice_number,
    // Amounts in other currencies are not extracted, so the partner has to enter them.
    currency: currency === 'GBP' ? 'GBP' : 'EUR',
    issued_on,
    due_on,
    net_amount,
    tax_amount,
    total_amount,
    to_pay_amount,
    to_account: accountIn(shown),
  }
}

function partyNamed(upload: Upload, side: 'buyer' | 'seller'): Party | null {
  const identifier = upload[side]
  if (identifier === undefined) return null
  const read = readParty({ identifier }, side)
  if (read.ok) return read.party
  throw invalid(read.faults.map(fault => ({ ...fault, name: side })))
}

function partyIn(shown: Extracted, side: 'buyer' | 'seller'): Party | null {
  const read = readParty(shown[side], side)
  return read.ok ? read.party : null
}

function accountIn({ iban, bic }: Extracted): ToAccount | null {
  if (iban === null) return null
  return {
    account_number: iban,
    account_number_type: 'iban',
    bank_identifier: bic ?? '',
    bank_identifier_type: bic ? 'bic' : 'undefined',
  }
}
