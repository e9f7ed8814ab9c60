/** Identifiers of our own things: UUIDs of version 7, which sort by the time they were made. */
import { randomInt } from 'node:crypto'
import { v7 } from 'uuid'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

let lastMilliseconds = -1
let sequence = 0

/**
 * A new UUID of version 7 (RFC 9562) for the moment `now`, by default the real one. Those made
 * by one process for the same millisecond sort in the order of making.
 */
export function newId(now: Date = new Date()): string {
  const msecs = now.getTime()
  // Starts low enough to count up for a millisecond without passing 32 bits.
  sequence = msecs === lastMilliseconds ? sequence + 1 : randomInt(2 ** 31)
  lastMilliseconds = msecs
  return v7({ msecs, seq: sequence })
}

/** True for any text of the form 8-4-4-4-12 in hexadecimal, whatever version it claims. */
export function isUuid(text: string): boolean {
  return UUID.test(text)
}
