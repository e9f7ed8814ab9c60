/** Which companies a number may name when a list is filtered by it. */
import { expect, test } from 'vitest'
import { companyKeys } from '../../src/companies/borrowers/company-keys.ts'

test('all numbers of a company lead to it', () => {
  const key = companyKeys('732829320')
  expect(key).toContain('FR:732829320')
  expect(companyKeys('732 829 320 00074')).toEqual(['FR:732829320'])
  expect(companyKeys('FR44732829320')).toEqual(['FR:732829320'])
})

test('a number of two kinds may name two companies', () => {
  const kinds = companyKeys('0403019261').map(key => key.slice(0, 2))
  expect(new Set(kinds)).toEqual(new Set(['BE', 'DE']))
})

test('what is no number names none', () => {
  expect(companyKeys('')).toEqual([])
  expect(companyKeys('hello')).toEqual([])
})
