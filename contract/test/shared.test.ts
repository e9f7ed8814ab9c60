/** Days, timestamps and booleans as clients in different languages write them. */
import { describe, expect, it } from 'vitest'
import { DateTime, QueryBoolean, WireDay } from '../src/shared.ts'

const reasonOf = (schema: typeof WireDay | typeof DateTime, value: unknown) =>
  schema.safeParse(value).error?.issues.map(issue => issue.message)

describe('days and timestamps', () => {
  it.each([
    '0001-01-01',
    '0001-01-01T00:00:00',
    '9999-12-31',
    '9999-12-31T23:59:59+01:00',
    '2028-02-29T23:30:00.123456-01:00',
  ])('%s is valid', text => {
    expect(reasonOf(WireDay, text)).toBeUndefined()
    if (text.includes('T')) expect(reasonOf(DateTime, text)).toBeUndefined()
  })

  it.each([
    '0000-12-31',
    '0001-01-01T00:00:00+14:00',
    '9999-12-31T23:59:59Z',
    '9999-12-31T23:59:59',
  ])('%s has no day in Paris within the supported range', text => {
    expect(reasonOf(WireDay, text)).toEqual(['is not in the years 0001 to 9999'])
    if (text.includes('T')) expect(reasonOf(DateTime, text)).toBeDefined()
  })

  it.each(['2027-02-29', 'soon', 7, null])('%s is neither a date nor a date-time', value => {
    expect(reasonOf(WireDay, value)).toEqual(['is neither a date (YYYY-MM-DD) nor a date-time'])
  })
})

describe('booleans in a query', () => {
  it.each([
    ['true', true],
    ['True', true],
    ['1', true],
    ['false', false],
    ['FALSE', false],
    ['0', false],
  ])('%s is %s', (text, value) => {
    expect(QueryBoolean.parse(text)).toBe(value)
  })

  it('accept no other value, and may be omitted where optional', () => {
    for (const other of ['', 'yes', '2', ['true'], null]) {
      expect(QueryBoolean.safeParse(other).success).toBe(false)
    }
    expect(QueryBoolean.optional().parse(undefined)).toBeUndefined()
  })
})
