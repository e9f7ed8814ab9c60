/** Schemas shared by several resources: money, days, accounts, addresses, companies and pages. */
import { z } from 'zod'
import { IDENTIFIER_TYPES, type Language } from './countries.ts'

export const CURRENCIES = ['EUR', 'GBP'] as const

export const IdentifierType = z.enum(IDENTIFIER_TYPES).meta({ id: 'IdentifierType' })
export const IdentifierTypeOrName = z
  .enum([...IDENTIFIER_TYPES, 'name'])
  .meta({ id: 'IdentifierTypeOrName' })

/** Above any amount in use, and exact as a JSON number. */
const CENTS_MAX = 1_000_000_000_000

export const Cents = z.int().min(-CENTS_MAX).max(CENTS_MAX)
export const PositiveCents = z.int().min(1).max(CENTS_MAX)

export const Id = z.uuid()
export const Currency = z.enum(CURRENCIES)

/**
 * A string in a format, of at most `max` characters. The length is checked first, because a regular
 * expression is slow on several megabytes and may fail when it has to backtrack over them. Zod's
 * own check of a maximum counts the characters of a text of any length.
 */
export function limited(max: number, format: z.core.$ZodCheck<string>) {
  return z
    .string()
    .check(({ value, issues }) => {
      // A character has one or two UTF-16 units.
      if (value.length <= max || (value.length <= 2 * max && [...value].length <= max)) return
      issues.push({
        code: 'too_big',
        origin: 'string',
        maximum: max,
        inclusive: true,
        input: value,
        continue: false,
      })
    })
    .check(format)
    .meta({ maxLength: max })
}

/** The range of moments whose year is between 1 and 9999 both in UTC and in Paris. */
const FIRST_MOMENT = Date.parse('0001-01-01T00:00:00Z')
const LAST_MOMENT = Date.parse('9999-12-31T22:59:59.999Z')

function hasDay(text: string): boolean {
  const complete = !text.includes('T') || /(Z|[+-]\d{2}:\d{2})$/.test(text)
  const moment = Date.parse(complete ? text : `${text}Z`)
  return moment >= FIRST_MOMENT && moment <= LAST_MOMENT
}

const YEARS = 'is not in the years 0001 to 9999'
const DATE_LENGTH_MAX = 64
const PlainDate = limited(DATE_LENGTH_MAX, z.iso.date())
const AnyDateTime = limited(DATE_LENGTH_MAX, z.iso.datetime({ offset: true, local: true }))

/** A moment in a request: ISO 8601, with or without an offset. */
export const DateTime = AnyDateTime.refine(hasDay, YEARS).meta({
  id: 'DateTime',
  format: 'date-time',
})
/** A day: a plain date, or a date-time, read as its date in Europe/Paris. */
export const WireDay = z
  .union([PlainDate.refine(hasDay, YEARS), DateTime], {
    error: ({ input }) =>
      PlainDate.or(AnyDateTime).safeParse(input).success
        ? YEARS
        : 'is neither a date (YYYY-MM-DD) nor a date-time',
  })
  .meta({ id: 'Day' })
/** A moment in an answer: ISO 8601, UTC. */
export const Moment = z.iso.datetime()
/** A day in an answer: YYYY-MM-DDT00:00:00Z. */
export const DayAnswer = z.iso.datetime()

/**
 * Free text of `min` to `max` characters, without control characters other than tabs and line
 * breaks. PostgreSQL cannot store NUL.
 */
export function text(max: number, min = 1) {
  return z
    .string()
    .min(min)
    .max(max, { abort: true })
    .regex(/^[\P{Cc}\t\n\r]*$/u, 'has a control character')
    .refine(value => value.isWellFormed(), 'is not well-formed Unicode')
}

/**
 * For rules across an object's fields: checks them even if other fields are invalid, so that one
 * answer reports every fault. The rule must therefore expect fields of any type.
 */
export const evenWhenInvalid = {
  when: ({ value }: { value: unknown }) => typeof value === 'object' && value !== null,
}

export const Email = limited(254, z.email())

/** A text in each of the borrowers' languages. */
export const inEachLanguage = {
  de: z.string(),
  en: z.string(),
  es: z.string(),
  fr: z.string(),
  nl: z.string(),
} satisfies Record<Language, z.ZodString>

const NAMES_MAX = 50
const NAME_LENGTH_MAX = 100
const JSON_LENGTH_MAX = 16_384
const Name = text(NAME_LENGTH_MAX)

/**
 * A record of a partner's own data, with any keys. The size is checked first, so that the keys and
 * text of a large record are not checked one by one.
 */
export function ownData(names_max: number | null) {
  return z
    .record(z.string(), z.unknown())
    .superRefine((value, context) => {
      const names = Object.keys(value)
      const faults = [
        ...(names_max !== null && names.length > names_max
          ? [`has more than ${names_max} keys`]
          : []),
        ...(isLonger(value, JSON_LENGTH_MAX) ? ['is larger than 16 KB'] : []),
      ]
      for (const message of faults) context.addIssue({ code: 'custom', message })
      if (faults.length > 0) return
      if (JSON.stringify(value).includes('\\u0000')) {
        context.addIssue({ code: 'custom', message: 'has a NUL character' })
      }
      for (const name of names) {
        for (const { message } of Name.safeParse(name).error?.issues ?? []) {
          context.addIssue({ code: 'custom', message, path: [name] })
        }
      }
    })
    .meta({
      description: `The partner's own data, returned unchanged: at most 16 KB of JSON.`,
      propertyNames: { type: 'string', minLength: 1, maxLength: NAME_LENGTH_MAX },
      ...(names_max !== null && { maxProperties: names_max }),
    })
}

/** Whether a value has more than `max` characters as JSON. Stops counting above that. */
function isLonger(value: unknown, max: number): boolean {
  // Escapes only add to the count, so a long value is recognized without serializing it.
  return lengthUpTo(value, max) > max || JSON.stringify(value).length > max
}

/** The length of a value as JSON, without escapes. Stops counting above `max`. */
function lengthUpTo(value: unknown, max: number): number {
  if (typeof value === 'string') return value.length + 2
  if (typeof value !== 'object' || value === null) return String(value).length
  let length = 2
  for (const name in value) {
    const item = (value as Record<string, unknown>)[name]
    length += Array.isArray(value) ? 0 : name.length + 3
    length += lengthUpTo(item, max - length) + 1
    if (length > max + 1) break
  }
  // The last item has no comma.
  return length > 2 ? length - 1 : length
}

/** The partner's own data, stored and returned as is. */
export const Metadata = ownData(NAMES_MAX)

export const MetadataAnswer = z.record(z.string(), z.unknown())

/** The answer of an operation without content (204). */
export const NoContent = z.null()
export const Binary = z.any().meta({ type: 'string', format: 'binary' })
const NOT_BASE64 = /[^A-Za-z0-9+/_-]/

export function isBase64(text: string): boolean {
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0
  return !NOT_BASE64.test(text.slice(0, text.length - padding))
}

export const BASE64_LENGTH_MAX = 14_000_000

/** A file inside JSON, at most ten megabytes. */
export const Base64 = z
  .string()
  .min(1)
  .max(BASE64_LENGTH_MAX, { abort: true })
  // One regular expression for the whole text would backtrack through all of it on a bad character.
  .refine(isBase64, 'is not base64')
  .meta({ pattern: '^[A-Za-z0-9+/_-]*={0,2}$' })

export const AddressAnswer = z
  .object({
    address_line_1: z.string().nullable(),
    address_line_2: z.string().nullable(),
    city: z.string().nullable(),
    country: z.string().nullable(),
    postal_code: z.string().nullable(),
    state: z.string().nullable(),
  })
  .meta({ id: 'Address' })

/** An address in requests, possibly incomplete. */
export const Address = z
  .strictObject({
    address_line_1: text(200, 0).nullish(),
    address_line_2: text(200, 0).nullish(),
    city: text(100, 0).nullish(),
    country: text(100, 0).nullish(),
    postal_code: text(10, 0).nullish(),
    state: text(100, 0).nullish(),
  })
  .meta({ id: 'AddressCreation' })

export const ACCOUNT_NUMBER_TYPES = ['account_number', 'iban', 'internal_id'] as const
export const BANK_IDENTIFIER_TYPES = ['bic', 'name', 'routing_number', 'undefined'] as const

export const BusinessIdentifierRequired = z.strictObject({
  identifier: text(100),
  identifier_type: IdentifierTypeOrName,
})

export const BusinessIdentifier = z.strictObject({
  identifier: text(100),
  identifier_type: IdentifierTypeOrName.nullish(),
})

export const AccountCreation = z
  .strictObject({
    account_holder: BusinessIdentifierRequired.nullish(),
    account_number: text(64),
    account_number_type: z.enum(ACCOUNT_NUMBER_TYPES).default('iban'),
    bank_identifier: text(64).nullish(),
    bank_identifier_type: z.enum(BANK_IDENTIFIER_TYPES).default('bic'),
  })
  .meta({ id: 'AccountCreation' })

const ACCOUNT_SOURCES = [
  'AXONAUT_DEFACTO_API',
  'BRIDGE',
  'CEFIN_DEFACTO_API',
  'FINAPI',
  'IRMA_DEFACTO_API',
  'LEANO_DEFACTO_API',
  'LIBEO_DEFACTO_API',
  'PENNYLANE_DEFACTO_API',
  'PENNYLANE_REDSHIFT',
  'QONTO',
  'STEMSCAPE_DEFACTO_API',
  'SUPER_DEFACTO_API',
] as const

export const SourcedAccountCreation = AccountCreation.extend({
  source: z
    .strictObject({
      id: text(100),
      name: z.enum(ACCOUNT_SOURCES),
      datasource_unique_id: text(100).nullish(),
    })
    .nullish(),
}).meta({ id: 'SourcedAccountCreation' })

/** An account in answers, with its holder if known. */
export const AccountAnswer = z
  .object({
    account_holder: z
      .object({ identifier: z.string(), identifier_type: IdentifierTypeOrName })
      .nullable(),
    account_number: z.string(),
    account_number_type: z.enum(ACCOUNT_NUMBER_TYPES),
    bank_identifier: z.string().nullable(),
    bank_identifier_type: z.enum(BANK_IDENTIFIER_TYPES),
  })
  .meta({ id: 'Account' })

export const LightAccountDetails = z
  .object({
    account_number: z.string(),
    account_number_type: z.enum(ACCOUNT_NUMBER_TYPES),
    bank_identifier: z.string(),
    bank_identifier_type: z.enum(BANK_IDENTIFIER_TYPES),
  })
  .meta({ id: 'AccountDetails' })

/** A company, with its registry data where known. */
export const LightBusiness = z
  .object({
    id: Id.nullable(),
    identifier: z.string(),
    identifier_type: IdentifierTypeOrName.nullable(),
    name: z.string().nullable(),
    legal_form: z.string().nullable(),
    vat_number: z.string().nullable(),
    address: AddressAnswer.nullable(),
    activity_description: z.string().nullable(),
    activity_type: z.string().nullable(),
    nace_code: z.string().nullable(),
    capital: z.int().nullable(),
    share_capital: z.int().nullable(),
    creation_date: z.iso.date().nullable(),
    registration_body: z.string().nullable(),
    registration_date: z.iso.date().nullable(),
    registry_radiation_date: z.iso.date().nullable(),
    termination_date: z.iso.date().nullable(),
    is_active: z.boolean().nullable(),
    is_diffusible: z.boolean().nullable(),
    has_ongoing_insolvency_procedure: z.boolean().nullable(),
    last_insolvency_procedure_type: z.string().nullable(),
    last_insolvency_procedure_open_date: z.iso.date().nullable(),
    last_insolvency_procedure_closing_date: z.iso.date().nullable(),
  })
  .meta({ id: 'Business' })

export const PAGE_SIZE_DEFAULT = 100
export const PAGE_SIZE_MAX = 500

/** An integer in a query string, written in digits; an empty string, 1e2 and 0x1 are invalid. */
export function digits<T extends z.ZodType>(item: T) {
  return z.preprocess(
    value => (typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value),
    item,
  )
}

export const pageQuery = {
  cursor: z.string().min(1).max(500).optional(),
  page_size: digits(z.int().min(1).max(PAGE_SIZE_MAX).default(PAGE_SIZE_DEFAULT)),
}

/** A filter that may be repeated. Duplicate values count once. */
export function repeatable<T extends z.ZodType>(item: T) {
  return z.preprocess(
    v => (v === undefined ? v : Array.isArray(v) ? [...new Set(v)] : [v]),
    z.array(item).max(200).optional(),
  )
}

const QUERY_BOOLEANS: Record<string, 'true' | 'false'> = { 1: 'true', 0: 'false' }

/** A boolean in a query string: `true` or `false`, in any case, or 1 or 0. */
export const QueryBoolean = z.preprocess(
  value => {
    const text = typeof value === 'string' ? value.toLowerCase() : ''
    return QUERY_BOOLEANS[text] ?? (text || value)
  },
  z.enum(['true', 'false']).transform(value => value === 'true'),
)

/** The query of a signed address, which opens without a key until it expires. */
export const signedQuery = {
  expires: digits(z.int().min(0).max(9_999_999_999)),
  signature: z
    .string()
    .max(200)
    .regex(/^[A-Za-z0-9_-]+$/, 'is not a signature'),
}

export const References = z.array(text(140)).max(20)

export function page<T extends z.ZodType>(item: T) {
  return z.object({
    data: z.array(item),
    count: z.int(),
    page_size: z.int(),
    next_page: z.string().nullable(),
    previous_page: z.string().nullable(),
    total: z.int().nullable(),
  })
}

/** The body of every error: RFC 9457. */
export const ProblemBody = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    instance: z.string(),
    code: z.string(),
    invalid_params: z.array(z.object({ name: z.string(), reason: z.string() })),
    faults_count: z.int().optional(),
    request_id: z.string(),
  })
  .meta({ id: 'Problem' })
