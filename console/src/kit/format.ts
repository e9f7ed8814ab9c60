/** Formats amounts and days in the user's language, and codes as English words. */
import dayjs from 'dayjs'

const language = navigator.language

/** Caches formatters, since creating one costs more than using it. */
function cached<Style extends object, Format>(make: (style: Style) => Format) {
  const made = new Map<string, Format>()
  return (style: Style): Format => {
    const name = JSON.stringify(style)
    const known = made.get(name) ?? make(style)
    made.set(name, known)
    return known
  }
}

const numbers = cached((style: Intl.NumberFormatOptions) => new Intl.NumberFormat(language, style))
const dates = cached(
  (style: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(language, style),
)
const names = cached((style: Intl.DisplayNamesOptions) => new Intl.DisplayNames(language, style))

/** Formats cents as an amount with its currency. */
export function money(cents: number | null | undefined, currency = 'EUR'): string {
  if (cents == null) return '–'
  return numbers({ style: 'currency', currency }).format(cents / 100)
}

/** Formats cents as a plain decimal for the CSV and inputs: 123456 becomes 1234.56. */
export function decimal(cents: number | null | undefined): string {
  return cents == null ? '' : (cents / 100).toFixed(2)
}

/** The user's thousands separator: 1,000 or 1.000 or 1 000. */
const GROUP = new Intl.NumberFormat(language, { useGrouping: true })
  .formatToParts(1_000_000)
  .find(({ type }) => type === 'group')?.value

/**
 * Parses a typed or pasted amount into cents; null if invalid. Cents follow a point or a comma.
 * Thousands may be grouped by spaces or apostrophes, or by points or commas: by either if cents
 * follow, else only by the separator of the user's language.
 */
export function cents(typed: string): number | null {
  const bare = typed.replace(/[\s€’']/g, '')
  const grouped = /^\d{1,3}(?:([.,])\d{3})(?:\1\d{3})*(?:(?!\1)[.,]\d{1,2})?$/.exec(bare)
  const isGroup = grouped && (grouped[1] === GROUP || /[.,]\d{1,2}$/.test(bare))
  const whole = isGroup ? bare.replaceAll(grouped[1]!, '') : bare
  const match = /^(\d{1,9})(?:[.,](\d{1,2}))?$/.exec(whole)
  return match ? Number(match[1]) * 100 + Number((match[2] ?? '').padEnd(2, '0')) : null
}

/** Abbreviates cents for a chart axis. */
export function shortMoney(cents: number, currency = 'EUR'): string {
  return numbers({ style: 'currency', currency, notation: 'compact' }).format(cents / 100)
}

export function count(n: number | null | undefined): string {
  return n == null ? '–' : numbers({}).format(n)
}

export function percent(share: number, digits = 1): string {
  return numbers({ style: 'percent', maximumFractionDigits: digits }).format(share)
}

/** Formats a `YYYY-MM-DD`; ignores a time after it. */
export function day(wire: string | null | undefined): string {
  if (!wire) return '–'
  const [year, month, date] = wire.slice(0, 10).split('-').map(Number)
  const format = dates({ dateStyle: 'medium', timeZone: 'UTC' })
  return format.format(Date.UTC(year!, month! - 1, date))
}

/** Formats a month, `YYYY-MM`. */
export function month(key: string): string {
  const [year, number] = key.split('-').map(Number)
  const format = dates({ month: 'short', year: 'numeric', timeZone: 'UTC' })
  return format.format(Date.UTC(year!, number! - 1, 1))
}

/** Formats a timestamp in the user's time zone. */
export function moment(wire: string | null | undefined): string {
  if (!wire) return '–'
  const format = dates({ dateStyle: 'medium', timeStyle: 'short' })
  return format.format(dayjs(wire).toDate())
}

/** Abbreviations that `words` writes in capitals. */
const SHORT = /\b(kyb|sdd|iban|bic|vat|siren|siret|nif|cif|kvk|bsn|sepa|id)\b/gi

/** Words for payment method codes that do not explain themselves. */
const METHODS: Readonly<Record<string, string>> = { SCT: 'Bank transfer', P2P: 'Wallet debit' }

/** Turns a code into words: `TO_REPAY_FEES` becomes "To repay fees". */
export function words(code: string | null | undefined): string {
  if (!code) return '–'
  if (METHODS[code]) return METHODS[code]
  const text = code.replaceAll('_', ' ').toLowerCase()
  const short = text.replace(SHORT, word => word.toUpperCase())
  return short.charAt(0).toUpperCase() + short.slice(1)
}

export function yesOrNo(value: boolean | null | undefined): string {
  return value == null ? '–' : value ? 'Yes' : 'No'
}

/** The name of a country in the user's language, by its two-letter code. */
export function regionName(code: string): string {
  return names({ type: 'region' }).of(code) ?? code
}

/** Puts a reason code, ours or a bank's, into words; returns free text unchanged. */
export function reasonWords(reason: string | null | undefined): string | null {
  return reason && /^([A-Z_]+|[a-z_]+)$/.test(reason) ? words(reason) : bankReason(reason)
}

/** The name of a language in the user's language, by its tag. */
export function languageName(tag: string): string {
  return names({ type: 'language' }).of(tag) ?? tag
}

/** ISO 20022 reason codes that are common in SEPA, in words. */
const BANK_REASONS: Readonly<Record<string, string>> = {
  AC01: 'Account number wrong',
  AC04: 'Account closed',
  AC06: 'Account blocked',
  AC13: 'Account of a consumer',
  AG01: 'No direct debits on this account',
  AM04: 'Not enough money',
  AM05: 'Sent twice',
  BE05: 'Creditor not known',
  MD01: 'No valid mandate',
  MD06: 'Refund asked for by the debtor',
  MD07: 'Debtor deceased',
  MS02: 'Refused by the debtor',
  MS03: 'The bank gives no reason',
  RR04: 'Regulatory reason',
  SL01: 'Service of the debtor’s bank',
}

/** A bank's reason with its code, such as "Account closed (AC04)"; returns other text unchanged. */
export function bankReason(code: string | null | undefined): string | null {
  if (!code) return null
  return BANK_REASONS[code] ? `${BANK_REASONS[code]} (${code})` : code
}

/** The last eight characters of an id: enough to tell rows apart in a list. */
export function shortId(id: string): string {
  return id.slice(-8)
}

/** The time of day to the second, for polled data. */
export function timeOfDay(at: Date): string {
  return new Intl.DateTimeFormat(language, { timeStyle: 'medium' }).format(at)
}
