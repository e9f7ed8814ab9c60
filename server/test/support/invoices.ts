/** Builds PDFs of invoices, and requests that declare them. */
import { deflateSync } from 'node:zlib'
import type { Input } from '@headroom/sdk'
import { drawPdf } from '../../src/integrations/documents/index.ts'
import { addDays } from '../../src/platform/kit/dates.ts'
import { LENDER_ID } from '../../src/platform/kit/ids.ts'
import { FIRST_DAY } from './app.ts'

/** A PDF with these lines of text. */
export function pdfOf(...lines: string[]): Promise<Buffer> {
  return drawPdf(LENDER_ID, {
    id: 'test',
    title: 'Test',
    language: 'fr',
    issued_on: FIRST_DAY,
    letterhead: { name: 'ACME SAS', lines: [] },
    imprint: 'ACME SAS',
    page_label: '{n}/{m}',
    blocks: lines.map(text => ({ kind: 'paragraph', text })),
  })
}

let last = 0
const pdf = pdfOf('Facture')

/** A valid request to declare an invoice, with a new invoice number on each call. */
export async function validInvoice(
  changes: Partial<Input<'createInvoice'>> = {},
): Promise<Input<'createInvoice'>> {
  const today = FIRST_DAY
  return {
    seller: { identifier: '732829320', identifier_type: 'siren' },
    buyer: { identifier: '404833048', identifier_type: 'siren' },
    invoice_number: `F-${++last}`,
    currency: 'EUR',
    issued_at: addDays(today, -5),
    due_at: addDays(today, 40),
    net_amount: 100_000,
    tax_amount: 20_000,
    total_amount: 120_000,
    document: (await pdf).toString('base64'),
    ...changes,
  }
}

/** A one-page PDF with this content stream, in which the font `F1` is Helvetica. */
export function pdfWith(content: string | Buffer): Buffer {
  const packed = deflateSync(content)
  const head = `%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources 5 0 R>>endobj
5 0 obj<</Font<</F1<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>endobj
4 0 obj<</Length ${packed.length}/Filter/FlateDecode>>stream
`
  const tail = '\nendstream endobj\ntrailer<</Root 1 0 R>>\n%%EOF'
  return Buffer.concat([Buffer.from(head), packed, Buffer.from(tail)])
}

/** A PDF that takes longer to read than the service's time limit allows. */
export function endlessPdf(): Buffer {
  return pdfWith('BT /F1 9 Tf (Facture) Tj ET\n'.repeat(2_000_000))
}
