/** A new invoice before anything is written: its document is read, its parties are asked for. */
import type { CreateInvoiceBody, UploadedFile } from '@headroom/contract'
import { type Party, readParty } from '../../companies/counterparties/read-party.ts'
import type { Context } from '../../context.ts'
import { faultsIn, type InvalidParam, invalid } from '../../platform/kit/problem.ts'
import type { WellFormed } from '../../platform/kit/well-formed.ts'
import { refuseFaults } from './change-invoice.ts'
import { lookUpParties, type NewInvoice } from './create-invoice.ts'
import { NO_FIELDS, readInvoice, type ToAccount } from './read-invoice.ts'
import type { Extracted } from './reading/extract.ts'
import { readPdf } from './reading/read-pdf.ts'

/**
 * An invoice as the request describes it, ready to be inserted. Throws `request_invalid` with the
 * faults of its fields, or when the document is no PDF that can be read.
 */
export async function prepareInvoice(
  context: Context,
  partner_id: string,
  body: CreateInvoiceBody,
): Promise<NewInvoice> {
  const read = readInvoice(body)
  refuseFaults(read)
  const document = Buffer.from(body.document, 'base64')
  const told = await readPdf(partner_id, document, 'document')
  return {
    fields: { ...NO_FIELDS, ...read.fields },
    ...(await lookUpParties(context, partner_id, read)),
    is_draft: body.is_draft ?? false,
    document,
    document_is_invoice: told.is_invoice,
    document_total: told.total_amount,
    document_currency: told.currency,
    language: told.language,
    metadata: body.metadata ?? {},
  }
}

/** What is wrong with an invoice, and with its document where nothing was told of that yet. */
export async function newInvoiceFaults(
  partner_id: string,
  { document, ...fields }: WellFormed<CreateInvoiceBody>,
  document_told: boolean,
): Promise<InvalidParam[]> {
  const read = document && !document_told && Buffer.from(document, 'base64')
  const unread = read ? await faultsIn(() => readPdf(partner_id, read, 'document')) : []
  return [...readInvoice(fields).faults, ...unread]
}

export interface Upload {
  readonly file: UploadedFile
  readonly metadata: Record<string, unknown>
  /** Numbers of the companies, which go before what the PDF says. */
  readonly buyer: string | undefined
  readonly seller: string | undefined
}

/**
 * An invoice as its PDF shows it, ready to be inserted. Throws `request_invalid` when the file is
 * no PDF that can be read, or a number that was given is none of a company.
 */
export async function prepareUpload(
  context: Context,
  partner_id: string,
  upload: Upload,
): Promise<NewInvoice> {
  const given = { seller: partyNamed(upload, 'seller'), buyer: partyNamed(upload, 'buyer') }
  const document = Buffer.from(upload.file.content, 'base64')
  const told = await readPdf(partner_id, document, 'file')
  const { invoice_number, currency, issued_on, due_on, is_invoice, language } = told
  const { net_amount, tax_amount, total_amount, to_pay_amount } = told
  const parties = {
    seller: given.seller ?? partyIn(told, 'seller'),
    buyer: given.buyer ?? partyIn(told, 'buyer'),
  }
  const amounts = { net_amount, tax_amount, total_amount, to_pay_amount }
  return {
    fields: {
      invoice_number,
      // What is in another currency has no amounts: they are asked for.
      currency: currency === 'GBP' ? 'GBP' : 'EUR',
      issued_on,
      due_on,
      ...amounts,
      to_account: accountIn(told),
    },
    ...(await lookUpParties(context, partner_id, parties)),
    is_draft: false,
    document,
    document_is_invoice: is_invoice,
    document_total: total_amount,
    document_currency: currency,
    language,
    metadata: upload.metadata,
  }
}

/** What is wrong with an upload, and with its file where nothing was told of that yet. */
export async function uploadFaults(
  partner_id: string,
  upload: Partial<Upload>,
  file_told: boolean,
): Promise<InvalidParam[]> {
  const { content } = upload.file ?? {}
  const read = content && !file_told && Buffer.from(content, 'base64')
  return [
    ...(await faultsIn(() => partyNamed(upload, 'seller'))),
    ...(await faultsIn(() => partyNamed(upload, 'buyer'))),
    ...(read ? await faultsIn(() => readPdf(partner_id, read, 'file')) : []),
  ]
}

function partyNamed(upload: Partial<Upload>, side: 'buyer' | 'seller'): Party | null {
  const identifier = upload[side]
  if (identifier === undefined) return null
  const read = readParty({ identifier }, side)
  if (read.ok) return read.party
  throw invalid(read.faults.map(fault => ({ ...fault, name: side })))
}

function partyIn(told: Extracted, side: 'buyer' | 'seller'): Party | null {
  const read = readParty(told[side], side)
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
