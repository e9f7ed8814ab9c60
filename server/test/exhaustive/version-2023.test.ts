/**
 * What clients of version 2023-09 can rely on, for every operation with a body: unknown fields are
 * ignored at any depth, and reported.
 */
import { jsonSchema, type Operation, type OperationId, operations } from '@headroom/contract'
import { createClient } from '@headroom/sdk'
import { describe, expect, test } from 'vitest'
import { readInput } from '../../src/platform/kit/input.ts'
import { testApp } from '../support/app.ts'
import { hasRecord } from '../support/record.ts'
import type { Sample } from './record-making.ts'
import { samplesOf } from './record-samples.ts'
import { randomOf, validValue, type World } from './schema-values.ts'
import { placesIn, withUnknownFields } from './unknown-fields.ts'

const withBody = (Object.entries(operations) as [OperationId, Operation][]).filter(
  ([, operation]) => operation.body,
)
const bodyOf = (operation: Operation) => (operation.body_2023 ?? operation.body)!

/** Values that satisfy constraints beyond the schema's structure. */
const WORLD: World = {
  currency: ['EUR'],
  file: [{ filename: 'x.pdf', content: 'JVBERi0=' }],
  metadata: ['{}', { order: 1 }],
  path: ['/keys'],
  method: ['POST'],
  preferred_language: ['fr'],
}
const TRIES_MAX = 6_000
/** The least number of bodies to check, even if fewer reach every place. */
const ENOUGH = 20

describe.each(withBody)('%s', (id, operation) => {
  const schema = jsonSchema(bodyOf(operation), 'input')

  const read = (body: unknown, version: '2026-07' | '2023-09') =>
    readInput({ ...operation, params: undefined, query: undefined }, version, {
      params: {},
      query: {},
      body,
    })

  function* accepted(): Generator<unknown> {
    const random = randomOf(id.length * 7919)
    for (let n = 0; n < TRIES_MAX; n++) {
      const body = JSON.parse(JSON.stringify(validValue(schema, schema, random, WORLD) ?? null))
      if (bodyOf(operation).safeParse(body).success) yield body
    }
  }

  test('ignores unknown fields at any depth, and lists them', () => {
    const left = new Set(placesIn(schema))
    let tried = 0
    for (const body of accepted()) {
      const { value, names } = withUnknownFields(schema, body)
      const plain = read(body, '2023-09')
      const found = read(value, '2023-09')
      expect(found.body).toEqual(plain.body)
      expect(found.ignored.toSorted(), JSON.stringify(value)).toEqual(names.toSorted())
      expect(plain.ignored).toEqual([])
      if (names.length > 0) expect(() => read(value, '2026-07')).toThrow()
      for (const name of names) left.delete(name.replace(/\.\d+(?=\.|$)/g, '[]'))
      if (++tried >= ENOUGH && left.size === 0) break
    }
    expect(tried, 'bodies that are accepted').toBeGreaterThan(0)
    expect([...left], 'places that no body reached').toEqual([])
  })
})

test.skipIf(!hasRecord)(
  'every operation of the record with a body lists what it ignores (skipped without the record)',
  async () => {
    const app = await testApp({ work: false })
    const old = createClient({ ...app, version: '2023-09' })
    const samples = await samplesOf(app)
    // `noteBillSent` comes last: the sent bill is overdue, which blocks the partner's loans.
    const { noteBillSent, ...others } = samples
    for (const [id, sample] of Object.entries({ ...others, noteBillSent }) as [
      OperationId,
      Sample,
    ][]) {
      const { path = {}, body } = await sample.make('')
      const schema = jsonSchema(bodyOf(operations[id]), 'input')
      const { value, names } = withUnknownFields(schema, body)
      const input = { ...path, ...(value as object) }
      const { headers } = await old.call(id, input as never)
      const named = headers.get('x-ignored-fields')?.split(', ').sort()
      expect(named, id).toEqual(names.toSorted())
    }
  },
  240_000,
)
