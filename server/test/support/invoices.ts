/** Invoices for tests: their PDF, and the request that declares one. */
import type { Input } from '@headroom/sdk'
import { drawPdf } from '../../src/integrations/documents/index.ts'
import { addDays } from '../../src/platform/kit/dates.ts'
import { FIRST_DAY } from './app.ts'

/** A PDF with these lines of text, as bytes. */
export function pdfOf(...lines: string[]): Promise<Buffer> {
  return drawPdf(null, {
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

/** A valid request to declare an invoice, with a new number each time. */
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
