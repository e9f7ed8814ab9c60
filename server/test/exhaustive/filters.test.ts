/**
 * Every filter and order of every list of the contract, checked against the full list: the answer
 * has exactly the rows that match the filter. A parameter without an expectation is a failure.
 */
import { type Json, jsonSchema, type OperationId, operations } from '@headroom/contract'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { filtersByField, type ListOracle, type Row } from './filter-kinds.ts'
import { listOracles } from './filter-oracles.ts'
import { filterWorld, type Known } from './filter-world.ts'
import { forged } from './invalid-cursors.ts'
import { type Fields, listReader, type Reader, sameRow, walked } from './list-reader.ts'

/** Returns a function that replaces a reference with the named schema of the document. */
const resolver = ({ $defs }: Json) => {
  const defs = ($defs ?? {}) as Record<string, Json>
  return ({ $ref, ...own }: Json): Json =>
    typeof $ref === 'string' ? { ...defs[$ref.replace('#/$defs/', '')], ...own } : own
}

/** The schema of a list's rows; undefined unless the operation answers a page or a bare array. */
function rowsOf(id: OperationId): Json | undefined {
  const schema = jsonSchema(operations[id].answer, 'output')
  const resolve = resolver(schema)
  const answer = resolve(schema)
  const { data } = (answer.properties ?? {}) as Record<string, Json>
  const list = answer.type === 'array' ? answer : data
  return list?.type === 'array' ? resolve(list.items as Json) : undefined
}

const lists = (Object.keys(operations) as OperationId[]).filter(
  id => operations[id].method === 'GET' && rowsOf(id),
)

/** Parameters of paged lists, checked separately. */
const OF_PAGES = ['cursor', 'page_size']

function parametersOf(id: OperationId): Record<string, Json> {
  const operation = operations[id] as { query?: Parameters<typeof jsonSchema>[0] }
  if (!operation.query) return {}
  const schema = jsonSchema(operation.query, 'input')
  const resolve = resolver(schema)
  const entries = Object.entries((schema.properties ?? {}) as Record<string, Json>)
  const resolved = entries.map(([name, parameter]) => {
    const { items, ...one } = resolve(parameter)
    return [name, items ? { ...one, items: resolve(items as Json) } : one]
  })
  return Object.fromEntries(resolved)
}

/** Values that are invalid for a parameter of this schema. */
function badValues(schema: Json): string[][] {
  const { items, maxLength } = schema as { items?: Json; maxLength?: number }
  if (items) return [...badValues(items), Array.from({ length: 201 }, (_, n) => `x${n}`)]
  if (maxLength !== undefined && !schema.format) return [[''], ['x'.repeat(maxLength + 1)], ['\0']]
  if (schema.type === 'integer') return [['x'], ['1.5'], ['-1'], ['']]
  if (schema.enum || schema.format || schema.anyOf) return [['nope'], ['']]
  throw new Error(`nobody knows what is no ${JSON.stringify(schema)}`)
}

let known: Known
let oracles: Partial<Record<OperationId, ListOracle>>

beforeAll(async () => {
  known = await filterWorld()
  oracles = listOracles(known)
}, 240_000)

/**
 * The expectations for a list: its oracle, plus the filters that follow from its parameters' names.
 */
function oracleOf(id: OperationId) {
  const result = oracles[id] ?? {}
  const fields = (rowsOf(id)!.properties ?? {}) as Record<string, Json>
  return { ...result, filters: { ...filtersByField(parametersOf(id), fields), ...result.filters } }
}

/** Readers of a list: one for each known resource whose ID its path can contain. */
function readersOf(id: OperationId): Reader[] {
  const [, name] = /\{(\w+_id)\}/.exec(operations[id].path) ?? []
  const inputs = name ? known.ids[name]!.map(one => ({ [name]: one })) : [{}]
  return (oracles[id]?.inputs ?? inputs).map(input => listReader(known.app, id, input))
}

describe.each(lists)('%s', id => {
  const parameters = parametersOf(id)
  const own = Object.keys(parameters).filter(name => !OF_PAGES.includes(name))
  const paged = 'cursor' in parameters

  test('has an expectation for every parameter', () => {
    const { filters, views = {}, sorts } = oracleOf(id)
    const explained = [...Object.keys(filters), ...Object.keys(views)]
    expect(explained.concat(sorts ? 'sort_by' : []).sort()).toEqual(own.toSorted())
    const orders = (parameters.sort_by?.enum ?? []) as string[]
    const both = Object.keys(sorts ?? {}).flatMap(field => [`${field}:asc`, `${field}:desc`])
    expect(both.sort()).toEqual(orders.toSorted())
  })

  test('lists its rows in order, none twice', async () => {
    const { oldest_first, ordered_by = (row: Row) => row.id } = oracleOf(id)
    let most = 0
    for (const reader of readersOf(id)) {
      const { rows } = await reader.whole({})
      most = Math.max(most, rows.length)
      if (ordered_by) {
        const keys = rows.map(ordered_by)
        expect(keys).toEqual(oldest_first ? keys.toSorted() : keys.toSorted().reverse())
      }
      if (paged) expect(await walked(reader, {})).toEqual(rows.map(sameRow))
    }
    expect(most, 'rows in the richest list').toBeGreaterThan(id === 'findPublicData' ? 0 : 1)
  })

  test.skipIf(own.length === 0)(
    'finds exactly the matches of each filter',
    async () => {
      const { filters, views = {} } = oracleOf(id)
      const parted = new Set<string>()
      for (const reader of readersOf(id)) {
        const { rows } = await reader.whole({})
        for (const [name, filter] of Object.entries(filters)) {
          for (const requested of filter.queriesOf(rows)) {
            const found = await reader.whole({ [name]: requested })
            const expected = rows.filter(row => filter.fits(row, requested))
            expect(found.rows.map(sameRow), `${name}=${requested}`).toEqual(expected.map(sameRow))
            if (found.total !== null)
              expect(found.total, `${name}=${requested}`).toBe(expected.length)
            const some = expected.length > 0
            if (some && (expected.length < rows.length || id === 'findPublicData')) parted.add(name)
            if (paged && some) await walksAlong(reader, { [name]: requested }, expected)
          }
        }
        for (const [name, view] of Object.entries(views)) {
          for (const requested of ['true', 'false']) {
            const found = await reader.whole({ [name]: [requested] })
            const expected = rows.map(row => view(row, requested))
            expect(found.rows.map(unsigned), `${name}=${requested}`).toEqual(expected.map(unsigned))
          }
        }
      }
      const idle = Object.entries(filters).filter(([name, f]) => !parted.has(name) && !f.nothing)
      expect(
        idle.map(([name]) => name),
        'filters that part no list',
      ).toEqual([])
    },
    240_000,
  )

  test.skipIf(!('sort_by' in parameters))(
    'lists its rows in each order',
    async () => {
      for (const reader of readersOf(id)) {
        const { rows } = await reader.whole({})
        for (const [field, key] of Object.entries(oracleOf(id).sorts!)) {
          const full = (row: Row) => `${key(row)} ${row.id}`
          const sorted = rows.toSorted((a, b) => (full(a) < full(b) ? -1 : 1)).map(sameRow)
          expect(await walked(reader, { sort_by: [`${field}:asc`] })).toEqual(sorted)
          const down = { sort_by: [`${field}:desc`] }
          expect(await walked(reader, down)).toEqual(sorted.toReversed())
        }
      }
    },
    240_000,
  )

  test.skipIf(!paged)('never fails on an invalid cursor', async () => {
    const orders = [
      {},
      ...((parameters.sort_by?.enum ?? []) as string[]).map(o => ({ sort_by: [o] })),
    ]
    for (const query of orders) {
      const [reader] = readersOf(id)
      const { next_page } = await reader!.page({ ...query, page_size: ['1'] })
      const genuine = new URLSearchParams(next_page?.split('?')[1]).get('cursor')
      // A list with a single row has no cursor.
      if (genuine === null) continue
      const isServed = async (cursor: string) => {
        const { status } = await reader!.queriesOf({ ...query, cursor: [cursor] })
        expect([200, 422]).toContain(status)
      }
      await fc.assert(fc.asyncProperty(forged(genuine), isServed), { numRuns: 60 })
    }
  })

  test.skipIf(Object.keys(parameters).length === 0)('rejects bad values by name', async () => {
    const [reader] = readersOf(id)
    for (const [name, schema] of Object.entries(parameters)) {
      for (const bad of badValues(schema)) await refused(reader!, { [name]: bad }, name)
      const once = !schema.items
      if (once) await refused(reader!, { [name]: ['1', '2'] }, name)
    }
    await refused(reader!, { colour: ['red'] }, 'colour')
  })
})

/**
 * Reads the first two pages of one row each, and expects that the link between them keeps the
 * filters.
 */
async function walksAlong(reader: Reader, query: Fields, expected: readonly Row[]): Promise<void> {
  const first = await reader.page({ ...query, page_size: ['1'] })
  expect(first.data.map(sameRow)).toEqual(expected.slice(0, 1).map(sameRow))
  if (!first.next_page) return expect(expected.length).toBe(1)
  const second = await reader.follow(first.next_page)
  expect(second.data.map(sameRow)).toEqual(expected.slice(1, 2).map(sameRow))
}

async function refused(reader: Reader, query: Fields, name: string): Promise<void> {
  const { status, body } = await reader.queriesOf(query)
  const result = `${JSON.stringify(query).slice(0, 200)} ${JSON.stringify(body).slice(0, 300)}`
  expect(status, result).toBe(422)
  const named = body.invalid_params.map((fault: { name: string }) => fault.name)
  expect(
    named.some((at: string) => at === name || at.startsWith(`${name}.`)),
    result,
  ).toBe(true)
}

/** Signed links differ by the time of signing. */
const unsigned = (row: Row) =>
  JSON.parse(JSON.stringify(row).replace(/\?expires=\d+&signature=[\w-]+/g, ''))
