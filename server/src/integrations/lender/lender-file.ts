/** The lender's file: JSON with versions, each with the day from which it is in force. */
import { z } from 'zod'
import { parseCreditorId } from '../../countries/index.ts'
import type { AdapterNames, LenderVersion } from '../../platform/db/settings.ts'
import { canonicalJson, sha256 } from '../../platform/kit/crypto.ts'
import { type Day, day, isPlainDate } from '../../platform/kit/dates.ts'
import { isCountry, isSepaCountry, parseBic, parseIban } from '../../platform/kit/iban.ts'
import { isMailAddress } from '../../platform/kit/mail-address.ts'
import { liveAdapters, type Purpose } from '../adapters/by-purpose.ts'

/** A version as read from the file, with what is stored of it. */
export interface FileVersion extends LenderVersion {
  /** As the file has it. */
  readonly content: string
  /** Equal for contents that differ in white space or in the order of fields only. */
  readonly hash: string
}

/** What was read from a file: its versions, the oldest first, or its faults. */
export interface LenderFile {
  /** Empty if there are faults. */
  readonly versions: readonly FileVersion[]
  /** Days of stored versions that the file takes back before they are in force. */
  readonly withdrawn: readonly Day[]
  /** Each begins with the path of the field. */
  readonly faults: readonly string[]
  /** The adapters that the version in force names, as far as they can be read. */
  readonly adapters: Partial<AdapterNames>
}

/** The longest name that payment files carry. */
const NAME_MAX = 70
const text = (max: number) =>
  z.string('is a text').trim().min(1, 'is empty').max(max, `has at most ${max} characters`)

type Result<T> = { ok: false; reason: string } | ({ ok: true } & T)

/** A text that `parse` accepts, in its canonical form. */
function parsed<T>(parse: (value: string) => Result<T>, textOf: (result: T) => string) {
  return z.string('is a text').transform((value, context) => {
    const result = parse(value)
    if (result.ok) return textOf(result)
    context.addIssue({ code: 'custom', message: result.reason })
    return z.NEVER
  })
}

const Iban = parsed(parseIban, ({ iban }) => iban).refine(
  iban => isSepaCountry(iban.slice(0, 2)),
  'accounts of this country are outside SEPA',
)
const Account = z.strictObject({ iban: Iban, bic: parsed(parseBic, ({ bic }) => bic) })

const knownAdapter = (purpose: Purpose) => {
  const names = liveAdapters(purpose)
  return z.enum(names, { error: () => `is one of: ${names.join(', ')}` })
}

const FileDay = z
  .string('is a day like 2027-01-31')
  .refine(isDay, 'is a day like 2027-01-31')
  .transform(day)

function knownBank(names: readonly string[]) {
  const error = names.length
    ? `is one of: ${names.join(', ')}`
    : 'no bank adapter of this version is for live deployments: ask for one, or write it'
  return z.string(error).refine(name => names.includes(name), error)
}

function schemaOf(banks: readonly string[]) {
  const Version = z.strictObject({
    in_force_from: FileDay,
    name: text(NAME_MAX),
    legal_form: text(100),
    registration: text(200),
    address: z.strictObject({
      street: text(NAME_MAX),
      postal_code: text(16),
      town: text(35),
      country: z.string('is a text').refine(isCountry, 'is a country code like FR'),
    }),
    email: z.string('is a text').refine(isMailAddress, 'is not an e-mail address'),
    creditor_identifier: parsed(parseCreditorId, ({ creditor_id }) => creditor_id),
    accounts: z.strictObject({
      collection: Account,
      funding: Account,
      capital: z
        .array(z.strictObject({ iban: Iban }))
        .min(1, 'names at least one account, or no transfer counts as capital'),
    }),
    signatories: z
      .array(z.strictObject({ name: text(NAME_MAX), title: text(NAME_MAX) }))
      .min(1, 'names at least one person who signs'),
    adapters: z.strictObject({
      bank: knownBank(banks),
      cards: knownAdapter('cards'),
      mail: knownAdapter('mail'),
      registry: knownAdapter('registry'),
      screening: knownAdapter('screening'),
    }),
  })
  return z.strictObject({
    versions: z.array(Version, 'is a list').min(1, 'has at least one version'),
    withdrawn: z.array(FileDay, 'is a list of days').optional(),
  })
}

type Written = z.output<ReturnType<typeof schemaOf>>['versions'][number]

function isDay(value: string): boolean {
  const [year, month, date] = value.split('-').map(Number)
  if (!isPlainDate(value)) return false
  return new Date(Date.UTC(year!, month! - 1, date)).toISOString().startsWith(value)
}

/**
 * Reads the text of a lender's file and names all its faults. `banks` are the bank adapters that a
 * live deployment may use.
 */
export function readLenderText(text: string, banks: readonly string[], today: Day): LenderFile {
  const raw = parseJson(text)
  if (raw === undefined) return faulty(['the file is not JSON'], {})
  const adapters = adaptersInForce(raw, today)
  const result = schemaOf(banks).safeParse(raw, { reportInput: true })
  if (!result.success) return faulty(result.error.issues.flatMap(describe), adapters)
  const { versions } = raw as { versions: unknown[] }
  const read = result.data.versions
    .map((version, index) => fileVersion(version, versions[index]))
    .sort((a, b) => (a.in_force_from < b.in_force_from ? -1 : 1))
  const days = read.map(version => version.in_force_from)
  const withdrawn = result.data.withdrawn ?? []
  const faults = [
    ...days
      .filter((one, index) => days.indexOf(one) !== index)
      .map(one => `versions: two are in force from ${one}`),
    ...withdrawn
      .filter(one => days.includes(one))
      .map(one => `withdrawn: ${one} is also the day of a version: leave one out`),
    ...capitalFaults(result.data.versions),
  ]
  return faults.length > 0
    ? faulty(faults, adapters)
    : { versions: read, withdrawn, faults, adapters }
}

/**
 * Money that moves between collection and funding account would count as new capital each time, if
 * one of them, of any version, were also named as a source of capital.
 */
function capitalFaults(versions: readonly Written[]): string[] {
  const own = new Set(
    versions.flatMap(({ accounts }) => [accounts.collection.iban, accounts.funding.iban]),
  )
  return versions.flatMap(({ accounts }, index) =>
    accounts.capital.flatMap(({ iban }, place) =>
      own.has(iban)
        ? [
            `versions[${index}].accounts.capital[${place}].iban: is also a collection or funding ` +
              'account, from which no capital comes',
          ]
        : [],
    ),
  )
}

function faulty(faults: readonly string[], adapters: Partial<AdapterNames>): LenderFile {
  return { versions: [], withdrawn: [], faults, adapters }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function describe(issue: z.core.$ZodIssue): string[] {
  const path = (keys: readonly PropertyKey[]) =>
    keys
      .map(key => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`))
      .join('')
      .slice(1)
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map(key => `${path([...issue.path, key])} is not a known field`)
  }
  const where = path(issue.path) || 'the file'
  const missing = issue.code === 'invalid_type' && issue.input === undefined
  return [`${where}: ${missing ? 'is needed' : issue.message}`]
}

function fileVersion(written: Written, raw: unknown): FileVersion {
  const { in_force_from, accounts, adapters, ...lender } = written
  const { collection, funding, capital } = accounts
  return {
    in_force_from,
    adapters,
    lender: {
      ...lender,
      collection_iban: collection.iban,
      collection_bic: collection.bic,
      funding_iban: funding.iban,
      funding_bic: funding.bic,
      capital_ibans: capital.map(({ iban }) => iban),
    },
    content: JSON.stringify(raw, null, 2),
    hash: sha256(canonicalJson(raw)),
  }
}

/**
 * The adapters of the version in force, so that their settings are checked despite other faults.
 */
function adaptersInForce(raw: unknown, today: Day): Partial<AdapterNames> {
  const list = Lax.safeParse(raw).data?.versions ?? []
  const reached = list.filter(version => version.in_force_from <= today)
  const newest = (reached.length > 0 ? reached : list).toSorted((a, b) =>
    a.in_force_from < b.in_force_from ? -1 : 1,
  )
  return newest.at(-1)?.adapters ?? {}
}

const name = z.string().optional().catch(undefined)
const Lax = z.object({
  versions: z.array(
    z.object({
      in_force_from: z.string().catch('9999-12-31'),
      adapters: z
        .object({ bank: name, cards: name, mail: name, registry: name, screening: name })
        .catch({}),
    }),
  ),
})
