/** Which companies a number may refer to when filtering a list. */
import { expect, test } from 'vitest'
import { companyKeys } from '../../src/companies/borrowers/company-keys.ts'

test('every number of a company leads to it', () => {
  const key = companyKeys('732829320')
  expect(key).toContain('FR:732829320')
  expect(companyKeys('732 829 320 00074')).toEqual(['FR:732829320'])
  expect(companyKeys('FR44732829320')).toEqual(['FR:732829320'])
})

test('a number with two possible types may name two companies', () => {
  const kinds = companyKeys('0403019261').map(key => key.slice(0, 2))
  expect(new Set(kinds)).toEqual(new Set(['BE', 'DE']))
})

test('an invalid number names none', () => {
  expect(companyKeys('')).toEqual([])
  expect(companyKeys('hello')).toEqual([])
})
