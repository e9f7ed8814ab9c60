/** Describes the units and limits of request fields where the schema does not. */
import { operations } from '@headroom/contract'

export type Field = Record<string, unknown>

const CENTS = 'Integer cents (euros): 12345 is 123.45 €.'
const DAY = 'A day: YYYY-MM-DD, or a date-time that is read as its day in Europe/Paris.'

/** Descriptions by field name; the first match applies. */
const UNITS: readonly (readonly [RegExp, string])[] = [
  [
    /^to_repay_at$/,
    `The day of repayment, counted from to_pay_at: at most 45 days for WALLET_FINANCING,
1 to 120 for INVOICE_BASED_FINANCING. ${DAY}`,
  ],
  [/^to_pay_at$/, `The day of the payout: today, or later. ${DAY}`],
  [/^salt_id$/, 'A text of your own, unique for each request: the same one never lends twice.'],
  [/^auto_validate$/, 'True: approved without a second step. False: it waits for validateLoan.'],
  [/^wait_for_/, 'True: the answer waits until it is decided, 20 seconds at most.'],
  [/(^|_)(amount|balance|fees)$/, CENTS],
  [/^cursor$/, 'From next_page of the page before; left out for the first page.'],
  [/^page_size$/, 'Items on a page: 1 to 500, 100 by default.'],
  [/(_at|_date|^date|_after|_before|_on|^on|^from|^to|_from|_to)$/, DAY],
  [/^account_number$/, 'An IBAN, or the id of a wallet with account_number_type internal_id.'],
  [/^bank_identifier$/, 'A BIC.'],
  [/^identifier$/, 'A company number, e.g. a SIREN in France or a NIF in Spain.'],
  [/^(borrower|buyer|seller|guarantor)$/, 'A company: its number, or its id.'],
  [/^(country|country_of_residence|nationality)$/, 'An ISO 3166-1 code of three letters: FRA.'],
  [/^id$/, 'The ids of those to answer.'],
  [/base64$/, 'The file in base64, at most 10 MB.'],
]

/** Fields of these types, and lists of them, get a description; objects do not. */
const MEASURED = ['string', 'integer', 'number', 'boolean']

/** Describes the fields that match `UNITS`, and ids, unless they have a description. */
export function withUnits(schema: Field): Field {
  const described = Object.entries(schema).map(([key, value]) => {
    if (key !== 'properties') return [key, withUnitsBelow(value)]
    const fields = Object.entries(value as Record<string, Field>)
    return [key, Object.fromEntries(fields.map(([name, f]) => [name, describe(name, f)]))]
  })
  return Object.fromEntries(described)
}

function withUnitsBelow(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withUnitsBelow)
  return typeof value === 'object' && value !== null ? withUnits(value as Field) : value
}

function describe(name: string, field: Field): Field {
  const inner = withUnits(field)
  const [, unit] = UNITS.find(([pattern]) => pattern.test(name)) ?? []
  const text = unit ?? (isId(field) ? idText(name) : undefined)
  return text && !field.description && isMeasured(field) ? { ...inner, description: text } : inner
}

/** Describes what an id identifies and where to find it: `loan_id` comes from `listLoans`. */
function idText(name: string): string | undefined {
  const noun = /^(\w+?)_ids?$/.exec(name)?.[1]
  if (!noun) return undefined
  const words = noun.replaceAll('_', ' ')
  const many = `${noun}s`
    .replace(/ys$/, 'ies')
    .replace(/(^|_)([a-z])/g, (_, _gap, l) => l.toUpperCase())
  const found = `list${many}` in operations ? `list${many} answers it` : 'answered before'
  return `The id of ${/^[aeiou]/.test(words) ? 'an' : 'a'} ${words}: ${found}.`
}

function isId({ format, items, anyOf }: Field): boolean {
  if (format === 'uuid') return true
  return [items, anyOf].flat().some(inner => Boolean(inner) && isId(inner as Field))
}

function isMeasured({ type, anyOf, items, $ref }: Field): boolean {
  if (typeof $ref === 'string') return /\/(Day|DateTime)$/.test($ref)
  if (Array.isArray(anyOf)) return anyOf.some(isMeasured)
  if (type === 'array') return isMeasured((items ?? {}) as Field)
  return [type].flat().some(one => MEASURED.includes(String(one)))
}
