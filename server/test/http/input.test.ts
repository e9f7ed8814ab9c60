/** Request parsing names every fault at once. Version 2023-09 is more lenient. */
import { type Operation, operations } from '@headroom/contract'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { readInput } from '../../src/platform/kit/input.ts'
import type { ProblemError } from '../../src/platform/kit/problem.ts'

const operation = {
  ...operations.createLoan,
  params: z.object({ thing_id: z.uuid() }),
  query: z.strictObject({ page_size: z.coerce.number().int().max(500).default(100) }),
  body: z.strictObject({
    amount: z.int().min(1),
    note: z.string().nullish(),
    payee: z.strictObject({ name: z.string() }).optional(),
    metadata: z.record(z.string(), z.unknown()).optional(),
  }),
  body_2023: undefined,
} satisfies Operation

const thing_id = '01890000-0000-7000-8000-000000000000'
const read = (part: object, version: '2026-07' | '2023-09' = '2026-07') =>
  readInput(operation, version, { params: { thing_id }, query: {}, body: { amount: 5 }, ...part })

function faults(part: object, version: '2026-07' | '2023-09' = '2026-07') {
  try {
    read(part, version)
  } catch (error) {
    return Object.fromEntries(
      (error as ProblemError).extras.invalid_params!.map(({ name, reason }) => [name, reason]),
    )
  }
  return {}
}

describe('readInput', () => {
  it('returns the parsed parts', () => {
    const { params, query, body, ignored } = read({ query: { page_size: '7' } })
    expect({ params, query, body, ignored }).toEqual({
      params: { thing_id },
      query: { page_size: 7 },
      body: { amount: 5 },
      ignored: [],
    })
  })

  it('reports every fault of path, query and body at once', () => {
    const body = { amount: 0, payee: { nam: 'x' }, typo: 1, note: 5 }
    const found = faults({ params: { thing_id: 'x' }, query: { page_size: '501', c: '1' }, body })
    expect(Object.keys(found).sort()).toEqual(
      ['amount', 'c', 'note', 'page_size', 'payee.nam', 'payee.name', 'thing_id', 'typo'].sort(),
    )
    expect(found.typo).toBe('is not a known field')
    expect(found['payee.name']).toBe('is required')
  })

  it('does not require a filter that is present but empty', () => {
    const sent = { params: {}, query: { loan_ids: '' }, body: undefined }
    const list = () => readInput(operations.listInstallments, '2026-07', sent)
    expect(list).toThrow('loan_ids.0: Invalid UUID')
  })

  it('reports a missing body, or one that is not an object', () => {
    expect(faults({ body: undefined })).toEqual({ body: 'is required' })
    expect(Object.keys(faults({ body: [1] }))).toEqual(['body'])
    expect(Object.keys(faults({ body: null }))).toEqual(['body'])
  })

  it.each([
    ['a NUL', { note: 'a\0b' }, 'note'],
    ['half a surrogate pair', { note: '\ud800' }, 'note'],
    ['a NUL in a name', { metadata: { 'a\0': 1 } }, 'metadata.a\0'],
    ['the prototype', { metadata: JSON.parse('{"__proto__":{"x":1}}') }, 'metadata.__proto__'],
    ['an inexact number', { metadata: { x: [2 ** 53] } }, 'metadata.x.0'],
    ['infinity', { metadata: { x: Number('1e999') } }, 'metadata.x'],
  ])('rejects %s anywhere', (_, fields, name) => {
    expect(Object.keys(faults({ body: { amount: 5, ...fields } }))).toEqual([name])
    expect(Object.keys(faults({ body: { amount: 5, ...fields } }, '2023-09'))).toEqual([name])
  })

  it('accepts only an absent or empty body where the operation has none', () => {
    const bare = { ...operation, body: undefined }
    const parse = (body: unknown) =>
      readInput(bare, '2026-07', { params: { thing_id }, query: {}, body })
    expect(parse(undefined).body).toBeUndefined()
    expect(parse({}).body).toBeUndefined()
    for (const body of [{ a: 1 }, [], null, 'x', 0]) expect(() => parse(body)).toThrow()
  })
})

describe('version 2023-09', () => {
  it('ignores unknown fields of body and query, and lists them', () => {
    const body = { amount: 5, old: 1, payee: { name: 'x', iban: 'y' } }
    const input = read({ query: { page_size: '7', sort: 'x' }, body }, '2023-09')
    expect(input.body).toEqual({ amount: 5, payee: { name: 'x' } })
    expect(input.query).toEqual({ page_size: 7 })
    expect(input.ignored.sort()).toEqual(['old', 'payee.iban', 'sort'])
    expect(body.old).toBe(1)
  })

  it('still reports all other faults', () => {
    expect(Object.keys(faults({ body: { amount: 0, old: 1, note: 5 } }, '2023-09'))).toEqual([
      'amount',
      'note',
    ])
  })

  it("reads an operation's older body, if it has one", () => {
    const body = {
      amount: 100,
      borrower: { identifier: '552100554' },
      loan_to: { account_number: 'FR7630006000011234567890189' },
      to_pay_at: '2026-08-03',
      to_repay_at: '2026-09-03',
    }
    const raw = { params: {}, query: {}, body }
    expect(() => readInput(operations.createLoan, '2026-07', raw)).toThrow('salt_id')
    expect(readInput(operations.createLoan, '2023-09', raw).body).toMatchObject({
      loan_type: 'WALLET_FINANCING',
      auto_validate: false,
      salt_id: null,
    })
  })
})
