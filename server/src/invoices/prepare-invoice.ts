/** A new invoice before anything is written: its document is read, its parties are asked for. */
import type { CreateInvoiceBody } from '@headroom/contract'
import type { Context } from '../context.ts'
import { refuseFaults } from './change-invoice.ts'
import { lookUpParties, type NewInvoice } from './create-invoice.ts'
import { NO_FIELDS, readInvoice } from './read-invoice.ts'
import { extractInvoice } from './reading/extract.ts'
import { readPdf } from './reading/read-pdf.ts'

type Given = Omit<CreateInvoiceBody, 'is_draft'> & Pick<CreateInvoiceBody, 'is_draft'>

/**
 * An invoice as the request describes it, ready to be inserted. Throws `request_invalid` with the
 * faults of its fields, or when the document is no PDF that can be read.
 */
export async function prepareInvoice(context: Context, body: Given): Promise<NewInvoice> {
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
