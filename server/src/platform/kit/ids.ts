/** Identifiers of our own things: UUIDs of version 7, which sort by the time they were made. */
import { randomInt, randomUUID } from 'node:crypto'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** The variant of RFC 9562 where it stands: the two bits before the last 14 of the sequence. */
const VARIANT = 0x8000

let lastMilliseconds = -1
let sequence = 0
/** The time as it is written into all ids of that millisecond. */
let written = ''

/**
 * A new UUID of version 7 (RFC 9562) for the moment `now`, by default the real one. Those made
 * by one process for the same millisecond sort in the order of making.
 */
export function newId(now: Date = new Date()): string {
  const milliseconds = now.getTime()
  if (milliseconds === lastMilliseconds) sequence += 1
  else {
    // Starts low enough to count up for a millisecond without passing 26 bits.
    sequence = randomInt(2 ** 25)
    lastMilliseconds = milliseconds
    const time = milliseconds.toString(16).padStart(12, '0')
    written = `${time.slice(0, 8)}-${time.slice(8)}-7`
  }
  const high = (sequence >>> 14).toString(16).padStart(3, '0')
  const low = (VARIANT | (sequence & 0x3fff)).toString(16)
  return `${written}${high}-${low}-${randomUUID().slice(-12)}`
}

/** True for any text of the form 8-4-4-4-12 in hexadecimal, whatever version it claims. */
export function isUuid(text: string): boolean {
  return UUID.test(text)
}
