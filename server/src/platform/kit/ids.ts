/** Our own identifiers: version 7 UUIDs, which sort by creation time. */
import { createHash, randomInt, randomUUID } from 'node:crypto'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** The `partner_id` of rows that belong to the lender. */
export const LENDER_ID = '00000000-0000-0000-0000-000000000000'

/** The partner's id as responses show it: null for the lender. */
export function namedPartner(partner_id: string): string | null {
  return partner_id === LENDER_ID ? null : partner_id
}

/** The reverse of `namedPartner`: the id as stored, `LENDER_ID` for null. */
export function storedPartner(named: string | null): string {
  return named ?? LENDER_ID
}

/** The variant bits of RFC 9562, placed above the low 14 bits of the sequence. */
const VARIANT = 0x8000

let lastMilliseconds = -1
let sequence = 0
let written = ''

/**
 * A new version 7 UUID (RFC 9562) for `now`, by default the real time. Ids created by one process
 * in the same millisecond sort in creation order.
 */
export function newId(now: Date = new Date()): string {
  const milliseconds = now.getTime()
  if (milliseconds === lastMilliseconds) sequence += 1
  else {
    // Starts low enough that a millisecond's count cannot exceed 26 bits.
    sequence = randomInt(2 ** 25)
    lastMilliseconds = milliseconds
    const time = milliseconds.toString(16).padStart(12, '0')
    written = `${time.slice(0, 8)}-${time.slice(8)}-7`
  }
  const high = (sequence >>> 14).toString(16).padStart(3, '0')
  const low = (VARIANT | (sequence & 0x3fff)).toString(16)
  return `${written}${high}-${low}-${randomUUID().slice(-12)}`
}

/**
 * The id of a bank account of the lender. It follows from the IBAN in canonical form, so that every
 * process and every database of a lender has the same one. A version 8 UUID.
 */
export function bankAccountId(iban: string): string {
  const hash = createHash('md5').update(iban).digest('hex')
  return hash.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-8$3-8$4-$5')
}

/** True for any hexadecimal text of the form 8-4-4-4-12, whatever its version. */
export function isUuid(text: string): boolean {
  return UUID.test(text)
}
