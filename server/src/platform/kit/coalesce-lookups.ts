/** Batches concurrent lookups by key into one. */
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Turns a lookup of many keys into a lookup of one key that batches concurrent calls. A call made
 * while a lookup is running joins the next one, so its result is never older than the call. An
 * error rejects every call in the batch. Lookups start at least `apart_ms` after the previous one
 * ends.
 */
export function coalesceLookups<V>(
  look: (keys: readonly string[]) => Promise<ReadonlyMap<string, V>>,
  apart_ms = 0,
): (key: string) => Promise<V | null> {
  let waiting: { keys: Set<string>; found: Promise<ReadonlyMap<string, V>> } | null = null
  let last: Promise<unknown> = Promise.resolve()

  function gather() {
    const keys = new Set<string>()
    const begin = () => {
      waiting = null
      return look([...keys])
    }
    const found = last.then(begin)
    last = found.catch(() => {})
    if (apart_ms > 0) last = last.then(() => sleep(apart_ms, null, { ref: false }))
    return { keys, found }
  }

  return async key => {
    waiting ??= gather()
    waiting.keys.add(key)
    return (await waiting.found).get(key) ?? null
  }
}
