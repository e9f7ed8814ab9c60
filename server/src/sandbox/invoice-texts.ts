/** Texts of a generated invoice, by language. */
import type { Locale } from '../platform/kit/money.ts'

export interface InvoiceTexts {
  readonly title: string
  readonly number: string
  readonly issued: string
  readonly due: string
  readonly seller: string
  readonly buyer: string
  readonly goods: string
  readonly net: string
  readonly tax: string
  readonly total: string
  readonly to_pay: string
  readonly page: string
}

export const INVOICE_TEXTS: Record<Locale, InvoiceTexts> = {
  fr: {
    title: 'Facture',
    number: 'Facture n°',
    issued: "Date d'émission",
    due: "Date d'échéance",
    seller: 'Vendeur',
    buyer: 'Client',
    goods: 'Marchandises',
    net: 'Total HT',
    tax: 'TVA',
    total: 'Total TTC',
    to_pay: 'Net à payer',
    page: 'Page {n} sur {m}',
  },
  de: {
    title: 'Rechnung',
    number: 'Rechnungsnummer',
    issued: 'Rechnungsdatum',
    due: 'Fällig am',
    seller: 'Verkäufer',
    buyer: 'Rechnung an',
    goods: 'Waren',
    net: 'Nettobetrag',
    tax: 'MwSt.',
    total: 'Gesamtbetrag',
    to_pay: 'Zu zahlen',
    page: 'Seite {n} von {m}',
  },
  es: {
    title: 'Factura',
    number: 'Factura n.º',
    issued: 'Fecha de emisión',
    due: 'Fecha de vencimiento',
    seller: 'Vendedor',
    buyer: 'Cliente',
    goods: 'Mercancías',
    net: 'Base imponible',
    tax: 'IVA',
    total: 'Total factura',
    to_pay: 'Total a pagar',
    page: 'Página {n} de {m}',
  },
  nl: {
    title: 'Factuur',
    number: 'Factuurnummer',
    issued: 'Factuurdatum',
    due: 'Vervaldatum',
    seller: 'Verkoper',
    buyer: 'Klant',
    goods: 'Goederen',
    net: 'Subtotaal',
    tax: 'BTW',
    total: 'Totaalbedrag',
    to_pay: 'Te betalen',
    page: 'Pagina {n} van {m}',
  },
  en: {
    title: 'Invoice',
    number: 'Invoice number',
    issued: 'Invoice date',
    due: 'Due date',
    seller: 'Seller',
    buyer: 'Bill to',
    goods: 'Goods',
    net: 'Net amount',
    tax: 'VAT',
    total: 'Total amount',
    to_pay: 'Amount due',
    page: 'Page {n} of {m}',
  },
}
