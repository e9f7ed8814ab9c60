/** Concurrent callers share one lookup, which never begins before their call. */
import { expect, test } from 'vitest'
import { coalesceLookups } from '../../src/platform/kit/coalesce-lookups.ts'

function slowLookup() {
  const lookups: { keys: readonly string[]; answer(found: [string, string][]): void }[] = []
  const find = coalesceLookups<string>(
    keys =>
      new Promise(resolve => lookups.push({ keys, answer: found => resolve(new Map(found)) })),
  )
  return { lookups, find }
}

const turn = () => new Promise(resolve => setImmediate(resolve))

test('concurrent callers are answered by one lookup, each for its own key', async () => {
  const { lookups, find } = slowLookup()
  const requested = [find('a'), find('b'), find('a'), find('unknown')]
  await turn()
  expect(lookups.map(lookup => lookup.keys)).toEqual([['a', 'b', 'unknown']])
  lookups[0]!.answer([
    ['a', 'A'],
    ['b', 'B'],
  ])
  expect(await Promise.all(requested)).toEqual(['A', 'B', 'A', null])
})

test('a caller during a lookup gets the next one, which sees later changes', async () => {
  const { lookups, find } = slowLookup()
  const early = find('a')
  await turn()
  const late = [find('a'), find('b')]
  await turn()
  expect(lookups).toHaveLength(1)
  lookups[0]!.answer([['a', 'valid']])
  expect(await early).toBe('valid')
  await turn()
  expect(lookups[1]!.keys).toEqual(['a', 'b'])
  lookups[1]!.answer([])
  expect(await Promise.all(late)).toEqual([null, null])
})

test('a failed lookup fails only for its own callers', async () => {
  let fail = true
  const find = coalesceLookups<string>(async () => {
    if (fail) throw new Error('the database is away')
    return new Map([['a', 'A']])
  })
  const failed = await Promise.allSettled([find('a'), find('b')])
  expect(failed.map(f => f.status)).toEqual(['rejected', 'rejected'])
  fail = false
  expect(await find('a')).toBe('A')
})

test('lookups keep their minimum interval, and a failed one is followed by the next', async () => {
  const at: number[] = []
  const lookup = async () => {
    at.push(performance.now())
    if (at.length === 1) throw new Error('away')
    return new Map([['a', at.length]])
  }
  const find = coalesceLookups(lookup, 50)
  await expect(find('a')).rejects.toThrow('away')
  expect(await Promise.all(Array.from({ length: 20 }, () => find('a')))).toEqual(Array(20).fill(2))
  expect(at[1]! - at[0]!).toBeGreaterThanOrEqual(49)
})
