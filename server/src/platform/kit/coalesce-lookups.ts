/** Batches concurrent lookups by key into one. */
import { setTimeout as sleep } from 'node:timers/promises'

/** After this long, the next lookup no longer waits for the running one. */
const LONG_MS = 3_000

/**
 * Turns a lookup of many keys into a lookup of one key that batches concurrent calls. A call made
 * while a lookup is running joins the next one, so its result is never older than the call. An
 * error rejects every call in the batch. A lookup starts no sooner than `apart_ms` after the
 * previous one has ended or has taken `LONG_MS`.
 */
export function coalesceLookups<V>(
  look: (keys: readonly string[]) => Promise<ReadonlyMap<string, V>>,
  apart_ms = 0,
): (key: string) => Promise<V | null> {
  let waiting: { keys: Set<string>; found: Promise<ReadonlyMap<string, V>> } | null = null
  let last: Promise<void> = Promise.resolve()

  function gather() {
    const keys = new Set<string>()
    const begin = () => {
      waiting = null
      return look([...keys])
    }
    const found = last.then(begin)
    last = last.then(() => endOrLong(found))
    if (apart_ms > 0) last = last.then(() => sleep(apart_ms, undefined, { ref: false }))
    return { keys, found }
  }

  return async key => {
    waiting ??= gather()
    waiting.keys.add(key)
    return (await waiting.found).get(key) ?? null
  }
}

function endOrLong(found: Promise<unknown>): Promise<void> {
  return new Promise(resolve => {
    const timer = setTimeout(resolve, LONG_MS).unref()
    const end = () => {
      clearTimeout(timer)
      resolve()
    }
    found.then(end, end)
  })
}
