/** Looks that many ask for at the same time, as one. */
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Makes of a look for many keys one for single keys. A look begins after everybody it answers has
 * asked, so it finds what was true then or later; who asks while one is under way waits for the
 * next. A look that fails fails for all whom it would have answered. With `apart_ms` a look begins
 * no sooner than so long after the one before.
 */
export function shareLooks<V>(
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
