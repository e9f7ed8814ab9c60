/** The virtual accounts of single loans: IBANs of a range that the bank has given the lender. */
import { clearAlert, raiseAlert } from '../../../platform/alerts/index.ts'
import { type Database, transaction } from '../../../platform/db/transaction.ts'
import { ibanOf, parseIban } from '../../../platform/kit/iban.ts'
import { LENDER_ID } from '../../../platform/kit/ids.ts'
import { problem } from '../../../platform/kit/problem.ts'
import { OWN_TABLES } from './received-store.ts'

export interface VirtualIbans {
  /** The IBAN with this number, from 1. Throws `account_unavailable` if there is none. */
  ibanOf(number: number): string
  /** Raises an alert if this process had no IBAN to give, and clears it once it has one again. */
  alertIfUsedUp(database: Database): Promise<void>
}

/**
 * A range as it is set: an IBAN with `k` for its check digits, `n` for the digits of the number,
 * and `r` for national check digits, such as FRkk 3000 4000 019n nnnn nnnn nrr.
 */
interface Range {
  readonly country: string
  /** The account number, with `n` and `r`. */
  readonly pattern: string
  readonly capacity: number
}

const PATTERN = /^([A-Z]{2})kk(?=.*n)(?!.*r.*r.*r)([A-Z0-9nr]+)$/
/** The most digits of a number; larger ones would not be exact. */
const DIGITS_MAX = 15

/** Reads a range; a text says what is wrong with it. */
export function readRange(text: string): Range | string {
  const [, country, pattern] = PATTERN.exec(text.replace(/\s/g, '')) ?? []
  if (!country || !pattern) {
    return (
      'write an IBAN with kk for its check digits, n for each digit of the number, and rr for ' +
      'national check digits'
    )
  }
  const digits = pattern.split('n').length - 1
  if (digits > DIGITS_MAX) return `the number has at most ${DIGITS_MAX} digits`
  const range = { country, pattern, capacity: 10 ** digits - 1 }
  return composed(range, 1) ? range : 'this does not become a valid IBAN: check length and digits'
}

export function virtualIbans(range: Range | null): VirtualIbans {
  /** Whether the last number asked for had no IBAN; null if none was asked for since. */
  let is_used_up: boolean | null = null
  return {
    ibanOf: number => {
      const iban = range && number <= range.capacity ? composed(range, number) : null
      is_used_up = iban === null
      if (iban === null) throw problem('account_unavailable', detailOf(range))
      return iban
    },
    alertIfUsedUp: async database => {
      if (is_used_up === null) return
      const raise = is_used_up
      is_used_up = null
      await transaction(database, OWN_TABLES, tx =>
        raise
          ? raiseAlert(tx, 'virtual_ibans_used_up', LENDER_ID, detailOf(range))
          : clearAlert(tx, 'virtual_ibans_used_up', LENDER_ID),
      )
    },
  }
}

function detailOf(range: Range | null): string {
  return range
    ? `All ${range.capacity} virtual IBANs of the bank are in use.`
    : 'The bank has no virtual IBANs for single loans.'
}

/** The valid IBAN with this number; null if there is none. */
function composed({ country, pattern }: Range, number: number): string | null {
  const digits = pattern.split('n').length - 1
  const left = [...String(number).padStart(digits, '0')]
  const filled = pattern.replaceAll('n', () => left.shift()!)
  const checks = filled.split('r').length - 1
  for (let check = 0; check < 10 ** checks; check++) {
    const figures = [...String(check).padStart(checks, '0')]
    const iban = ibanOf(
      country,
      filled.replaceAll('r', () => figures.shift()!),
    )
    if (iban && parseIban(iban).ok) return iban
  }
  return null
}
