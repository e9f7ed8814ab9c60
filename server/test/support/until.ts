/** Waits for background work by polling until a deadline, never for a fixed time. */
import { setTimeout as sleep } from 'node:timers/promises'

const POLL_MS = 10

/** Polls until the result is truthy, and returns it. Throws after `ms` milliseconds. */
export async function until<T>(
  look: () => T | Promise<T>,
  ms = 60_000,
): Promise<Exclude<T, undefined | null | false>> {
  const deadline = Date.now() + ms
  for (;;) {
    const found = await look()
    if (found) return found as Exclude<T, undefined | null | false>
    if (Date.now() > deadline) throw new Error(`it did not happen within ${ms} ms`)
    await sleep(POLL_MS)
  }
}
