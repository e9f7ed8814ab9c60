/** Lays out a generated invoice as a document in the seller's language. */
import { companyNumber } from '../countries/index.ts'
import type { PaperDocument } from '../integrations/documents/index.ts'
import { type Day, formatDay } from '../platform/kit/dates.ts'
import { printIban } from '../platform/kit/iban.ts'
import { formatMoney, type Locale } from '../platform/kit/money.ts'
import { INVOICE_TEXTS } from './invoice-texts.ts'

export interface PaperParty {
  readonly name: string
  readonly identifier: string
  readonly identifier_type: string
  readonly address: readonly string[]
}

export interface InvoiceOnPaper {
  readonly id: string
  readonly language: Locale
  readonly number: string
  readonly issued_on: Day
  readonly due_on: Day
  readonly seller: PaperParty
  readonly buyer: PaperParty
  /** In cents, like `tax`. */
  readonly net: bigint
  readonly tax: bigint
  readonly tax_percent: number
  readonly iban: string
  readonly bic: string
}

export function invoicePaper(invoice: InvoiceOnPaper): PaperDocument {
  const { language, seller, buyer, net, tax } = invoice
  const t = INVOICE_TEXTS[language]
  const money = (cents: bigint) => formatMoney(cents, 'EUR', language)
  return {
    id: invoice.id,
    title: `${t.title} ${invoice.number}`,
    language,
    issued_on: invoice.issued_on,
    letterhead: { name: seller.name, lines: [...seller.address] },
    imprint: seller.name,
    page_label: t.page,
    blocks: [
      { kind: 'title', text: t.title },
      {
        kind: 'facts',
        rows: [
          [t.number, invoice.number],
          [t.issued, formatDay(invoice.issued_on, language)],
          [t.due, formatDay(invoice.due_on, language)],
        ],
      },
      {
        kind: 'parties',
        columns: [
          { heading: t.seller, lines: linesOf(seller) },
          { heading: t.buyer, lines: linesOf(buyer) },
        ],
      },
      {
        kind: 'facts',
        amounts: true,
        rows: [
          [t.goods, money(net)],
          [t.net, money(net)],
          [`${t.tax} ${invoice.tax_percent} %`, money(tax)],
          [t.total, money(net + tax)],
          [t.to_pay, money(net + tax)],
        ],
      },
      {
        kind: 'facts',
        rows: [
          ['IBAN', printIban(invoice.iban)],
          ['BIC', invoice.bic],
        ],
      },
    ],
  }
}

function linesOf(party: PaperParty): string[] {
  const { identifier, identifier_type } = party
  const label = companyNumber(identifier_type)?.on_invoices?.label ?? ''
  return [party.name, ...party.address, `${label}${identifier}`]
}
