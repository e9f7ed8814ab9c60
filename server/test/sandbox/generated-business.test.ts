/** A generated company is a complete request body for creating a borrower. */
import { CreateBorrowerBody, GENERATOR_COUNTRIES } from '@headroom/contract'
import { expect, test } from 'vitest'
import { parseCompanyIdentifier } from '../../src/countries/index.ts'
import { ibanScenario } from '../../src/integrations/adapters/sandbox/generators.ts'
import { parseBic, parseIban } from '../../src/platform/kit/iban.ts'
import { businessOf } from '../../src/sandbox/generators.ts'

const COUNTRIES = GENERATOR_COUNTRIES.filter(country => country !== 'ISL')

test.each(COUNTRIES)('%s: valid, with everything a direct debit requires', country => {
  for (let seed = 0; seed < 20; seed++) {
    const business = businessOf(country, seed, seed)
    expect(CreateBorrowerBody.parse(business)).toEqual(business)
    expect(parseCompanyIdentifier(business.identifier, business.identifier_type).ok).toBe(true)
    expect(parseIban(business.account_number).ok).toBe(true)
    expect(ibanScenario(business.account_number)).toBe('SUCCESS')
    expect(parseBic(business.bank_identifier).ok).toBe(true)
    const [director] = business.directors
    expect(director?.birth_date).toMatch(/^\d{4}-\d{2}-\d{2}$/)
    expect(director?.nationality).toBeTruthy()
    expect(director?.address?.country).toBeTruthy()
    expect(director?.business_email).toContain('@')
  }
})

test('other seeds give other companies', () => {
  const numbers = Array.from({ length: 50 }, (_, seed) => businessOf('FRA', seed, seed).identifier)
  expect(new Set(numbers).size).toBe(50)
})
