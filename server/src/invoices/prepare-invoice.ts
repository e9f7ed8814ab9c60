/** A new invoice before anything is written: its document is read, its parties are asked for. */
import type { CreateInvoiceBody, UploadedFile } from '@headroom/contract'
import type { Context } from '../context.ts'
import { type Party, readParty } from '../counterparties/read-party.ts'
import { type InvalidParam, invalid } from '../kit/problem.ts'
import { refuseFaults } from './change-invoice.ts'
import { lookUpParties, type NewInvoice } from './create-invoice.ts'
import { NO_FIELDS, readInvoice, type ToAccount } from './read-invoice.ts'
import { type Extracted, extractInvoice } from './reading/extract.ts'
import { readPdf } from './reading/read-pdf.ts'

/**
 * An invoice as the request describes it, ready to be inserted. Throws `request_invalid` with the
 * faults of its fields, or when the document is no PDF that can be read.
 */
export async function prepareInvoice(
  context: Context,
  body: CreateInvoiceBody,
): Promise<NewInvoice> {
  const read = readInvoice(body)
  refuseFaults(read)
  const document = Buffer.from(body.document, 'base64')
  const { is_invoice, language } = extractInvoice(await readPdf(document, 'document'))
  return {
    fields: { ...NO_FIELDS, ...read.fields },
    ...(await lookUpParties(context, read)),
    is_draft: body.is_draft ?? false,
    document,
    document_is_invoice: is_invoice,
    language,
    metadata: body.metadata ?? {},
  }
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
export async function prepareUpload(context: Context, upload: Upload): Promise<NewInvoice> {
  const faults: InvalidParam[] = []
  const named = (side: 'buyer' | 'seller') => {
    if (upload[side] === undefined) return null
    const read = readParty({ identifier: upload[side] }, side)
    if (read.ok) return read.party
    faults.push(...read.faults.map(fault => ({ ...fault, name: side })))
    return null
  }
  const given = { seller: named('seller'), buyer: named('buyer') }
  if (faults.length > 0) throw invalid(...faults)
  const document = Buffer.from(upload.file.content, 'base64')
  const told = extractInvoice(await readPdf(document, 'file'))
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
      currency,
      issued_on,
      due_on,
      ...amounts,
      to_account: accountIn(told),
    },
    ...(await lookUpParties(context, parties)),
    is_draft: false,
    document,
    document_is_invoice: is_invoice,
    language,
    metadata: upload.metadata,
  }
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
