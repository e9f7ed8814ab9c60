/** Sandbox data generators: valid identifiers, deterministic, and recognizable as generated. */
import { GENERATOR_COUNTRIES, type GeneratorCountry } from '@headroom/contract'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseCompanyIdentifier } from '../../../src/countries/index.ts'
import * as sandbox from '../../../src/integrations/adapters/sandbox/generators.ts'
import { ImpossibleError } from '../../../src/platform/kit/assert.ts'
import { parseBic, parseIban } from '../../../src/platform/kit/iban.ts'
import { checkDigits } from '../../../src/platform/kit/mod97.ts'

const { companyProfile, generateCompany, generateDirector, generateIban, ibanScenario } = sandbox
const country = fc.constantFrom(...GENERATOR_COUNTRIES)
const scenario = fc.constantFrom(...sandbox.IBAN_SCENARIOS)
const seed = fc.integer({ min: 0, max: 2_000_000_000 })

/** Two countries may use numbers of the same format. */
function keyOf(where: GeneratorCountry, number: number): string {
  const { country, identifier } = generateCompany(where, number)
  return `${country} ${identifier}`
}

describe('companies', () => {
  test('have numbers with valid check digits', () => {
    fc.assert(
      fc.property(country, seed, (where, number) => {
        const company = generateCompany(where, number)
        const { identifier, country } = company
        const parsed = parseCompanyIdentifier(identifier, undefined, country)
        expect(parsed).toMatchObject({ ok: true, ...company })
        expect(generateCompany(where, number)).toEqual(company)
      }),
    )
  })

  test('differ by seed and by country', () => {
    const companies = GENERATOR_COUNTRIES.flatMap(where =>
      Array.from({ length: 300 }, (_, number) => keyOf(where, number)),
    )
    expect(new Set(companies).size).toBe(companies.length)
  })

  test('are recognized by their full number in their own country only', () => {
    fc.assert(
      fc.property(country, seed, (where, number) => {
        const company = generateCompany(where, number)
        const profile = companyProfile(company.identifier, where)
        expect(companyProfile(company.identifier, where)).toEqual(profile)
        expect(profile.address.country).toBe(where)
        expect(profile.name.length).toBeGreaterThan(5)
        expect(profile.address.address_line_1).not.toContain('#')
        expect(profile.address.postal_code.length).toBeLessThanOrEqual(10)
        expect(profile.creation_date >= '1990-01-02' && profile.creation_date < '2021').toBe(true)
        expect(profile.share_capital > 0n && profile.revenue_cents > 0n).toBe(true)
        const vat = parseCompanyIdentifier(profile.vat_number ?? '', 'vat_number')
        expect(vat).toMatchObject({ ok: true, country: company.country })
      }),
    )
  })

  test('have the same data under all their numbers', () => {
    const story = companyProfile('732829320', 'FR')
    expect(companyProfile('73282932000074', 'FR')).toEqual(story)
    expect(companyProfile('FR44732829320', 'FR')).toEqual(story)
    expect(story.vat_number).toBe('FR44732829320')
    expect(companyProfile('BE0403019261', 'BE')).toEqual(companyProfile('0403019261', 'BE'))
    expect(companyProfile('ESB64717838', 'ES')).toEqual(companyProfile('B64717838', 'ES'))
    expect(companyProfile('404833048', 'FR')).not.toEqual(story)
  })

  test('have the legal form that their number encodes', () => {
    expect(companyProfile('Aachen HRA 11223', 'DE')).toMatchObject({
      legal_form: 'KG',
      address: { city: 'Aachen', postal_code: '52062' },
    })
    expect(companyProfile('Ulm VR 12', 'DE').legal_form).toBe('e.V.')
    expect(companyProfile('A58818501', 'ES').legal_form).toBe('S.A.')
    expect(companyProfile('54362315K', 'ES').legal_form).toBe('Autónomo')
    expect(companyProfile('111222333', 'NL')).toMatchObject({ address: { country: 'NLD' } })
  })
})

test('have directors with all the data a direct debit requires', () => {
  fc.assert(
    fc.property(country, seed, (where, number) => {
      const director = generateDirector(where, number)
      expect(generateDirector(where, number)).toEqual(director)
      expect(director.business_email).toMatch(/^[a-z]+\.[a-z]+@[a-z]+-[0-9]+\.example$/)
      expect(director.birth_date >= '1955-01-01' && director.birth_date < '2000').toBe(true)
      expect(director.address.country).toBe(where)
      expect([director.country_of_residence, director.role]).toEqual([where, 'DIRECTOR'])
    }),
  )
  expect(generateDirector('REU', 1).nationality).toBe('FRA')
  expect(generateDirector('ISL', 1).nationality).toBe('ISL')
})

describe('IBANs', () => {
  test('are valid and encode their scenario', () => {
    fc.assert(
      fc.property(country, scenario, seed, (where, what, number) => {
        const iban = generateIban(where, what, number)
        expect(parseIban(iban)).toMatchObject({ ok: true, iban })
        expect(ibanScenario(iban)).toBe(what)
        expect(ibanScenario(iban.toLowerCase().replace(/(.{4})/g, '$1 '))).toBe(what)
        expect(generateIban(where, what, number)).toBe(iban)
      }),
    )
  })

  test('differ by country, scenario and seed', () => {
    const ibans = GENERATOR_COUNTRIES.flatMap(where =>
      sandbox.IBAN_SCENARIOS.flatMap(what =>
        [0, 1, 2, 77, 999_999].map(number => generateIban(where, what, number)),
      ),
    )
    expect(new Set(ibans).size).toBe(ibans.length)
  })

  test('of ordinary banks have no scenario', () => {
    const ordinary = [
      'FR7630006000011234567890189',
      'ES9121000418450200051332',
      'DE89370400440532013000',
      'NL91ABNA0417164300',
      'BE68539007547034',
      'IS140159260076545510730339',
      'GB29NWBK60161331926819',
      '',
      'FR',
    ]
    expect(ordinary.map(ibanScenario)).toEqual(ordinary.map(() => null))
    fc.assert(fc.property(fc.string(), text => ibanScenario(text) === null))
  })

  test('with our bank code but an unknown digit pattern are not recognized', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[0-9]{10}$/), account => {
        const body = `99899891${account}`
        const iban = `DE${checkDigits('DE', body)}${body}`
        const made = generateIban('DEU', 'SUCCESS', Number(account.slice(0, 8)))
        expect(ibanScenario(iban)).toBe(iban === made ? 'SUCCESS' : null)
      }),
    )
  })

  test('of the lender have no scenario and never collide', () => {
    fc.assert(
      fc.property(seed, number => {
        const iban = sandbox.generateVirtualIban(number)
        expect(parseIban(iban)).toMatchObject({ ok: true, country: 'FR' })
        expect(ibanScenario(iban)).toBeNull()
      }),
    )
  })

  test('require integer seeds', () => {
    expect(() => generateIban('FRA', 'SUCCESS', -1)).toThrow(ImpossibleError)
    expect(() => generateCompany('FRA', 0.5)).toThrow(ImpossibleError)
  })

  test('have a BIC of their country', () => {
    for (const where of GENERATOR_COUNTRIES) {
      const iban = generateIban(where, 'SUCCESS', 1)
      expect(parseBic(sandbox.generateBic(where))).toMatchObject({ country: iban.slice(0, 2) })
    }
  })
})
