/** Extracts an invoice's data from its text: number, dates, amounts, account and parties. Pure. */
import { LANGUAGES } from '@headroom/contract/countries'
import { parseBic, parseIban } from '../../../platform/kit/iban.ts'
import { type Locale as Language, maxAmount } from '../../../platform/kit/money.ts'
import type { InvoiceFigures } from '../figures.ts'
import { type Cell, linesOf, plain, valueAt, valuesAt } from './layout.ts'
import { type FoundParty, partiesOf } from './parties.ts'
import { readAmount, readDay, readNumber } from './values.ts'
import { CURRENCIES, INVOICE_WORDS, LABELS } from './words.ts'

export type ShownCurrency = 'EUR' | 'GBP' | 'OTHER'

/** Null means not found. Amounts in cents. */
export interface Extracted extends Omit<InvoiceFigures, 'currency'> {
  /** Null if the document has no text, such as a scan. */
  readonly is_invoice: boolean | null
  readonly language: Language | null
  /** The currency that the text mentions; null if none. With `OTHER`, amounts are not read. */
  readonly currency: ShownCurrency | null
  readonly iban: string | null
  readonly bic: string | null
  readonly seller: FoundParty | null
  readonly buyer: FoundParty | null
}

export function extractInvoice(cells: readonly Cell[]): Extracted {
  const lines = linesOf(cells)
  const text = plain(cells.map(cell => cell.text).join(' '))
  const language = LANGUAGES.find(one => INVOICE_WORDS[one].test(text)) ?? null
  const iban = firstIban(lines)
  const currency = currencyOf(text)
  return {
    is_invoice: cells.length === 0 ? null : language !== null,
    language,
    invoice_number: valueAt(lines, LABELS.number, readNumber),
    currency,
    due_on: valueAt(lines, LABELS.due, readDay),
    issued_on: valueAt(lines, LABELS.issued, readDay) ?? valueAt(lines, LABELS.date, readDay),
    ...amountsOf(currency === 'OTHER' ? [] : lines),
    iban,
    bic: iban && valueAt(lines, LABELS.bic, readBic),
    ...partiesOf(lines),
  }
}

/** Euro takes precedence, because another currency may only appear in an exchange rate. */
function currencyOf(text: string): ShownCurrency | null {
  const found = CURRENCIES.find(([, pattern]) => pattern.test(text))
  return found?.[0] ?? null
}

function amountsOf(lines: readonly Cell[][]) {
  const to_pay = valueAt(lines, LABELS.to_pay, readAmount)
  const net = valueAt(lines, LABELS.net, readAmount)
  const taxes = valuesAt(lines, LABELS.tax, readAmount)
  const totals = valuesAt(lines, LABELS.total, readAmount)
  // Table columns can have the same heading as the total, so the largest value is taken.
  const total = totals.length > 0 ? totals.reduce((a, b) => maxAmount(b, a)) : to_pay
  const all = taxes.reduce((sum, one) => sum + one, 0n)
  const fitting = [all, ...taxes].find(tax => net !== null && total !== null && net + tax === total)
  const tax = fitting ?? taxes[0] ?? (net !== null && total !== null ? total - net : null)
  return {
    net_amount: net ?? (total !== null && tax !== null ? total - tax : null),
    tax_amount: tax,
    total_amount: total ?? (net !== null && tax !== null ? net + tax : null),
    to_pay_amount: to_pay,
  }
}

const IBAN_LIKE = /\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]){11,30}/g
const IBAN_MIN = 15

function firstIban(lines: readonly Cell[][]): string | null {
  for (const { text } of lines.flat()) {
    for (const [match] of text.matchAll(IBAN_LIKE)) {
      // Text that follows the IBAN may look like a part of it.
      const compact = match.replaceAll(' ', '')
      for (let length = compact.length; length >= IBAN_MIN; length--) {
        const parsed = parseIban(compact.slice(0, length))
        if (parsed.ok) return parsed.iban
      }
    }
  }
  return null
}

function readBic(text: string): string | null {
  const word = /^[A-Z]{6}[A-Z0-9]{2}(?:[A-Z0-9]{3})?\b/.exec(text.trim())?.[0]
  const parsed = word ? parseBic(word) : null
  return parsed?.ok ? parsed.bic : null
}
