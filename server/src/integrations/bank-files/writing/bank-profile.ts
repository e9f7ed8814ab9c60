/** What differs between banks in the files that they take, as data. */
import { assert } from '../../../platform/kit/assert.ts'
import { parisDay } from '../../../platform/kit/dates.ts'
import type { OrderFile, Party, Scheme } from './order-file.ts'
import { isOutsideEea } from './sepa-countries.ts'
import type { CharacterSet } from './sepa-text.ts'

export interface BankProfile {
  readonly transfers: 'pain.001.001.09' | 'pain.001.001.03'
  readonly debits: 'pain.008.001.08' | 'pain.008.001.02'
  /** Whether BICs of parties in the EEA are sent. Outside the EEA they always are. */
  readonly sends_bic: boolean
  /** Whether files of debits also identify who sends them, by the creditor identifier. */
  readonly identifies_initiator: boolean
  readonly characters: CharacterSet
  /** Whether the bank books a group as one entry; null leaves it to the agreement with the bank. */
  readonly batch_booking: boolean | null
  /** The sequence type of the first of several debits under a mandate. */
  readonly first_sequence_type: Readonly<Record<Scheme, 'FRST' | 'RCUR'>>
  /** TARGET days between the day on which a file is made and its earliest collection day. */
  readonly debit_lead_days: Readonly<Record<Scheme, number>>
  readonly offers_instant: boolean
  /** Whether the bank also reports what it accepts (pain.002), and not only what it rejects. */
  readonly reports_acceptance: boolean
  /** Whether files wait at the bank until a person authorizes them there. */
  readonly awaits_authorization: boolean
  /** Whether the bank takes recalls of orders in files (camt.055). */
  readonly takes_recalls: boolean
  readonly orders_max: number
  /** With `{message}`, `{day}` and `{id}`. */
  readonly file_name: `${string}{id}${string}`
}

const GENERIC: BankProfile = {
  transfers: 'pain.001.001.09',
  debits: 'pain.008.001.08',
  sends_bic: false,
  identifies_initiator: false,
  characters: 'EPC',
  batch_booking: false,
  first_sequence_type: { CORE: 'RCUR', B2B: 'RCUR' },
  debit_lead_days: { CORE: 1, B2B: 1 },
  offers_instant: true,
  reports_acceptance: false,
  awaits_authorization: false,
  takes_recalls: false,
  orders_max: 10_000,
  file_name: '{message}-{day}-{id}.xml',
}

/** The messages of 2009, which some banks still require. */
const OLDER: BankProfile = {
  ...GENERIC,
  transfers: 'pain.001.001.03',
  debits: 'pain.008.001.02',
}

export const BANK_PROFILES = {
  generic: GENERIC,
  /** For banks that want FRST on the first B2B debit. */
  'generic-b2b-first': { ...GENERIC, first_sequence_type: { CORE: 'RCUR', B2B: 'FRST' } },
  'generic-german': { ...GENERIC, characters: 'DK' },
  older: OLDER,
  'older-with-bic': { ...OLDER, sends_bic: true },
  /** For banks that know their client by the creditor identifier. */
  'older-identified': { ...OLDER, sends_bic: true, identifies_initiator: true },
} as const satisfies Record<string, BankProfile>

export type BankProfileName = keyof typeof BANK_PROFILES

/** The message that carries orders of this kind. */
export function messageOf(profile: BankProfile, kind: OrderFile['kind']) {
  return kind === 'TRANSFER' ? profile.transfers : profile.debits
}

/** The BIC that is sent for a party; null if none is. */
export function sentBic({ bic, iban }: Party, { sends_bic }: BankProfile): string | null {
  return sends_bic || isOutsideEea(iban) ? bic : null
}

/**
 * The name under which a file is delivered. Message ids that differ give names that differ. Throws
 * for an id with signs, which could become other names or folders.
 */
export function fileNameOf(file: OrderFile, profile: BankProfile): string {
  const { message_id, created_at, kind } = file
  assert(/^[A-Za-z0-9-]{1,35}$/.test(message_id), 'a message id has letters, digits and dashes')
  return profile.file_name
    .replace('{message}', messageOf(profile, kind))
    .replace('{day}', parisDay(created_at))
    .replace('{id}', message_id)
}
