/** Reads amounts, dates and numbers in the notations of several languages. Pure. */
import { type Day, day } from '../../../platform/kit/dates.ts'

const AMOUNT =
  /(?<![\d.,])(-?)(\d{1,3}(?:[ .,'’\u00a0\u202f]\d{3})+|\d+)(?:([.,])(\d{2}))?(?![\d]|[.,]\d|\s*%)/
const CURRENCY = /€|£|\bEUR\b|\bGBP\b/i

/**
 * An amount in cents: 1 234,56 and 1.234,56 and 1,234.56 and 1'234.56 and, next to a currency,
 * whole numbers. Percentages and bare whole numbers do not count.
 */
export function readAmount(text: string): bigint | null {
  const match = AMOUNT.exec(text)
  if (!match) return null
  const [, sign, whole = '', , decimals] = match
  if (decimals === undefined && !CURRENCY.test(text)) return null
  const digits = whole.replace(/\D/g, '')
  if (digits.length > 10) return null
  const cents = BigInt(digits) * 100n + BigInt(decimals ?? '0')
  return sign ? -cents : cents
}

const MONTHS = [
  ['janvier', 'januar', 'janner', 'enero', 'januari', 'january', 'janv', 'jan', 'ene'],
  ['fevrier', 'februar', 'febrero', 'februari', 'february', 'fevr', 'feb'],
  ['mars', 'marz', 'marzo', 'maart', 'march', 'mar', 'mrt'],
  ['avril', 'april', 'abril', 'avr', 'apr', 'abr'],
  ['mai', 'mayo', 'mei', 'may'],
  ['juin', 'juni', 'junio', 'june', 'jun'],
  ['juillet', 'juli', 'julio', 'july', 'juil', 'jul'],
  ['aout', 'august', 'agosto', 'augustus', 'aug', 'ago'],
  ['septembre', 'september', 'septiembre', 'sept', 'sep'],
  ['octobre', 'oktober', 'octubre', 'october', 'oct', 'okt'],
  ['novembre', 'november', 'noviembre', 'nov'],
  ['decembre', 'dezember', 'diciembre', 'december', 'dec', 'dez', 'dic'],
]
const monthOf = new Map(MONTHS.flatMap((names, i) => names.map(name => [name, i + 1] as const)))

const ISO = /\b(\d{4})-(\d{2})-(\d{2})\b/
const NUMERIC = /(?<!\d)(\d{1,2})([/.-])(\d{1,2})\2(\d{4}|\d{2})(?!\d)/
const DAY_FIRST =
  /(?<!\d)(\d{1,2})(?:er|\.|st|nd|rd|th)?\s+(?:de\s+)?([a-z]{3,10})\.?\s+(?:de\s+)?(\d{4})/
const MONTH_FIRST = /\b([a-z]{3,10})\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})/

/**
 * A date: 2026-07-21, 21/07/2026, 21.07.26, 21 juillet 2026, July 21, 2026. In numeric dates the
 * day comes first, unless only the other order is a date.
 */
export function readDay(text: string): Day | null {
  const iso = ISO.exec(text)
  if (iso) return dayOf(Number(iso[1]), Number(iso[2]), Number(iso[3]))
  const numeric = NUMERIC.exec(text)
  if (numeric) {
    const [first, second] = [Number(numeric[1]), Number(numeric[3])]
    const year = Number(numeric[4]) + (numeric[4]!.length === 2 ? 2000 : 0)
    return dayOf(year, second, first) ?? dayOf(year, first, second)
  }
  const words = text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
  const named = DAY_FIRST.exec(words)
  if (named) return dayOf(Number(named[3]), monthOf.get(named[2]!), Number(named[1]))
  const month = MONTH_FIRST.exec(words)
  return month && dayOf(Number(month[3]), monthOf.get(month[1]!), Number(month[2]))
}

function dayOf(year: number, month: number | undefined, date: number): Day | null {
  if (month === undefined || month < 1 || month > 12 || date < 1) return null
  const text = `${year}-${String(month).padStart(2, '0')}-${String(date).padStart(2, '0')}`
  const real = new Date(`${text}T00:00:00Z`)
  const exists = !Number.isNaN(real.getTime()) && real.toISOString().startsWith(text)
  return exists && year >= 2000 && year < 2100 ? day(text) : null
}

const NUMBER = /^(?:[#:°ºo.]\s*)*([A-Z0-9][A-Z0-9/._-]{0,39})(?=\s|$|[,;])/i

/** An invoice number: one word that contains a digit and is not a date. */
export function readNumber(text: string): string | null {
  const word = NUMBER.exec(text.trim())?.[1]?.replace(/[._/-]+$/, '')
  if (!word || !/\d/.test(word)) return null
  return readDay(text) && readDay(word) ? null : word
}
