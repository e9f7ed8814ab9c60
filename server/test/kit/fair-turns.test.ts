/** Fair turns at a scarce resource: heavy users wait for their own work, and others do not wait. */
import { expect, test } from 'vitest'
import { FairTurns } from '../../src/platform/kit/fair-turns.ts'

/** Work that runs until released, and the order in which it began. */
function workshop(turns: FairTurns) {
  const begun: string[] = []
  const release: (() => void)[] = []
  const work = (owner: string, size = 0, signal?: AbortSignal) =>
    turns.run(
      owner,
      () => {
        begun.push(owner)
        return new Promise<void>(resolve => release.push(resolve))
      },
      { size, signal },
    )
  // Starting and ending work takes only promise callbacks, no timers.
  const settle = () => new Promise(resolve => setImmediate(resolve))
  const next = async () => {
    await settle()
    release.shift()!()
    await settle()
  }
  return { begun, work, next, settle }
}

test('owners are served in rotation, however much each requests', async () => {
  const { begun, work, next } = workshop(new FairTurns({ at_once: 1 }))
  const all = ['a', 'a', 'a', 'a', 'b', 'c', 'b'].map(owner => work(owner))
  for (let n = 0; n < all.length; n++) await next()
  expect(begun.join('')).toBe('abcabaa')
  await Promise.all(all)
})

test('one owner never has more turns than its share, even if others are free', async () => {
  const { begun, work, next, settle } = workshop(new FairTurns({ at_once: 4, each_at_once: 2 }))
  const all = ['a', 'a', 'a', 'b'].map(owner => work(owner))
  await settle()
  expect(begun.join('')).toBe('aab')
  await next()
  expect(begun.join('')).toBe('aaba')
  for (let n = 0; n < 3; n++) await next()
  await Promise.all(all)
})

test('only an owner with too much waiting is asked to retry', async () => {
  const turns = new FairTurns({ at_once: 1, each_waiting: 2, each_size: 10, all_size: 15 })
  const { work, next } = workshop(turns)
  const all = [work('a'), work('a', 6), work('a', 4)]
  const refusal = { code: 'not_ready', extras: { retry_after_seconds: 2 } }
  await expect(work('a')).rejects.toMatchObject(refusal)
  await expect(work('b', 11)).rejects.toMatchObject(refusal)
  await expect(work('b', 6)).rejects.toMatchObject(refusal)
  all.push(work('b', 5))
  for (let n = 0; n < all.length; n++) await next()
  await Promise.all(all)
  const again = work('a', 10)
  await next()
  await again
})

test('failed work releases its turn', async () => {
  const turns = new FairTurns({ at_once: 1 })
  await expect(turns.run('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(await turns.run('b', async () => 'done')).toBe('done')
})

test('work abandoned while it waits never begins, and no longer counts', async () => {
  const turns = new FairTurns({ at_once: 1, each_waiting: 1 })
  const { begun, work, next, settle } = workshop(turns)
  const first = work('a')
  const leaving = new AbortController()
  const left = work('b', 0, leaving.signal)
  leaving.abort(new Error('gone'))
  await expect(left).rejects.toThrow('gone')
  await expect(work('b', 0, leaving.signal)).rejects.toThrow('gone')
  const waiting = work('b')
  await next()
  expect(begun).toEqual(['a', 'b'])
  await next()
  await Promise.all([first, waiting])
  await settle()
  expect(begun).toEqual(['a', 'b'])
})

test('work that has begun is not abandoned', async () => {
  const { work, next } = workshop(new FairTurns({ at_once: 1 }))
  const leaving = new AbortController()
  const running = work('a', 0, leaving.signal)
  leaving.abort()
  await next()
  await running
})
