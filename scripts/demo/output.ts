/** Prints the demo's chapters and steps, and checks its expectations. */
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'

/** Thrown when a result differs from the expected one: the demo then stops and fails. */
export class UnexpectedResult extends Error {
  override name = 'UnexpectedResult'
}

export function printChapter(title: string): void {
  console.log(`\n${title}\n${'─'.repeat(title.length)}`)
}

/** Prints a step, with its details on the lines below. */
export function printStep(step: string, ...details: string[]): void {
  console.log(`  ${step}`)
  for (const detail of details) console.log(`      ${detail}`)
}

/** Compares a result with the expected one; throws `UnexpectedResult` if they differ. */
export function expect<T>(what: string, found: T, wanted: T): void {
  if (isDeepStrictEqual(found, wanted)) return
  throw new UnexpectedResult(
    `${what}: ${JSON.stringify(found)} instead of ${JSON.stringify(wanted)}`,
  )
}

/** Formats cents: 123456 is 1,234.56 €. */
export function euros(cents: number): string {
  const whole = Math.floor(Math.abs(cents) / 100).toLocaleString('en-US')
  const rest = String(Math.abs(cents) % 100).padStart(2, '0')
  return `${cents < 0 ? '-' : ''}${whole}.${rest} €`
}

/** Formats a date of the API: 2027-01-15T00:00:00Z is 15 January 2027. */
export function inWords(wireDay: string | null): string {
  if (wireDay === null) return 'no day'
  const options = { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' } as const
  return new Date(wireDay).toLocaleDateString('en-GB', options)
}

const DEADLINE_MS = 20_000
const POLL_MS = 50

/** Polls until `read` returns a value; throws `UnexpectedResult` after a deadline. */
export async function until<T>(
  what: string,
  read: () => T | null | undefined | false | Promise<T | null | undefined | false>,
): Promise<T> {
  const deadline = performance.now() + DEADLINE_MS
  for (;;) {
    const found = await read()
    if (found) return found
    if (performance.now() > deadline) {
      throw new UnexpectedResult(`${what}: it did not happen within ${DEADLINE_MS / 1000} s`)
    }
    await sleep(POLL_MS)
  }
}
