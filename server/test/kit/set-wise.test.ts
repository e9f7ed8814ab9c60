/** Helpers of set-wise runs: paging in parallel lanes, and lists of values as SQL parameters. */
import { describe, expect, test } from 'vitest'
import { arrayBinary, arrayCasts } from '../../src/platform/db/array-binary.ts'
import { arrayLiteral } from '../../src/platform/db/array-literal.ts'
import { BEFORE_ALL_IDS, inParallel, PARALLEL_PAGES } from '../../src/platform/db/slices.ts'
import { testDatabase } from '../support/database.ts'

const IDS = Array.from({ length: 4 * PARALLEL_PAGES - 1 }, (_, n) => String.fromCharCode(97 + n))
/** Two IDs per page and one on the last: twice as many pages as lanes. */
const pageAfter = async (after: string) => {
  const from = after === BEFORE_ALL_IDS ? 0 : IDS.indexOf(after) + 1
  return IDS.slice(from, from + 2)
}

describe('pages in lanes', () => {
  test('each page is processed once, several at a time', async () => {
    const seen: string[] = []
    let running = 0
    let most = 0
    await inParallel(BEFORE_ALL_IDS, pageAfter, async ids => {
      running += 1
      most = Math.max(most, running)
      await new Promise(resolve => setImmediate(resolve))
      seen.push(...ids)
      running -= 1
    })
    expect(seen.sort()).toEqual(IDS)
    expect(most).toBe(PARALLEL_PAGES)
  })

  test('after a failure no lane starts another page, and the error is reported', async () => {
    const seen: string[] = []
    const failing = inParallel(BEFORE_ALL_IDS, pageAfter, async ids => {
      if (ids.includes('a')) throw new Error('never mind')
      await new Promise(resolve => setImmediate(resolve))
      seen.push(...ids)
    })
    await expect(failing).rejects.toThrow('never mind')
    // The other lanes finish the pages they had started.
    expect(seen).toEqual(IDS.slice(2, 2 * PARALLEL_PAGES))
  })

  test('an unreadable page is reported', async () => {
    const failing = inParallel(
      BEFORE_ALL_IDS,
      async () => {
        throw new Error('gone')
      },
      async () => {},
    )
    await expect(failing).rejects.toThrow('gone')
  })
})

describe('lists of values', () => {
  const cases: [value: unknown, literal: unknown][] = [
    [['0a', 'b-c', null], '{0a,b-c,null}'],
    [[1n, -2n, null], '{1,-2,null}'],
    [
      ['null', 'a'],
      ['null', 'a'],
    ],
    [['NULL'], ['NULL']],
    [['a b'], ['a b']],
    [['a,b'], ['a,b']],
    [[''], ['']],
    [[0, -7, null], '{0,-7,null}'],
    [[0.5], [0.5]],
    [['ä'], ['ä']],
    [['a\n'], ['a\n']],
    [[], '{}'],
    [
      [true, 1],
      [true, 1],
    ],
    ['a', 'a'],
    [null, null],
  ]
  test('plain lists become one text parameter, all others are left to the driver', () => {
    for (const [value, literal] of cases) expect(arrayLiteral(value)).toEqual(literal)
  })
})

describe('lists in binary', () => {
  const ID = '01900000-0000-7000-8000-00000000ABcd'
  const lists: [type: string, values: (string | bigint | null)[]][] = [
    ['uuid', []],
    ['uuid', [ID.toLowerCase(), null, 'ffffffff-ffff-ffff-ffff-ffffffffffff']],
    ['bigint', []],
    ['bigint', [0n, 1n, -1n, null, 4294967295n, 4294967296n, -4294967296n, -4294967297n]],
    ['bigint', [BigInt(Number.MAX_SAFE_INTEGER), BigInt(Number.MIN_SAFE_INTEGER)]],
  ]
  test('the server reads the same values', async () => {
    const pool = await testDatabase('empty')
    for (const [type, values] of lists) {
      const [[index, element]] = arrayCasts(`select $1::${type}[]`) as [[number, never]]
      expect(index).toBe(0)
      const binary = arrayBinary(values, element)
      expect(binary).toBeInstanceOf(Buffer)
      const { rows } = await pool.query(
        `select v from unnest($1::${type}[]) with ordinality u (v, n) order by n`,
        [binary],
      )
      expect(rows.map(row => row.v)).toEqual(values)
    }
    const [[, element]] = arrayCasts('$1::uuid[]') as [[number, never]]
    const { rows } = await pool.query('select $1::uuid[] as ids', [arrayBinary([ID], element)])
    expect(rows[0].ids).toEqual([ID.toLowerCase()])
  })

  test('invalid values are left to the server to reject', () => {
    const wrong: Record<string, unknown[]> = {
      uuid: [
        '',
        'a',
        7,
        `${ID}0`,
        ID.replace('-', '0'),
        ID.replace('A', 'g'),
        ID.replace('A', 'ä'),
      ],
      bigint: ['1', 0.5, 2n ** 53n, Number.NaN, true, {}],
    }
    for (const [type, values] of Object.entries(wrong)) {
      const [[, element]] = arrayCasts(`$1::${type}[]`) as [[number, never]]
      for (const value of values) expect(arrayBinary([value], element)).toBeUndefined()
    }
    expect(arrayCasts('$1::text[], $2::uuid, $12::uuid[]').map(([index]) => index)).toEqual([11])
  })
})
