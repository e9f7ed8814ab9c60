/** Single fields of borrower requests: how they are read, and which faults are reported. */
import { CreateBorrowerBody } from '@headroom/contract'
import { describe, expect, test } from 'vitest'
import { FaultCollector } from '../../src/companies/borrowers/faults.ts'
import {
  readAccount,
  readAddress,
  readIdentifier,
  readLanguage,
  readPastMoment,
  readVatNumber,
} from '../../src/companies/borrowers/read-fields.ts'
import { countryCode, parseCompanyIdentifier, registerCountry } from '../../src/countries/index.ts'
import type { ProblemError } from '../../src/platform/kit/problem.ts'

const IBAN = 'FR7630006000011234567890189'
const NAMES = { iban: 'account_number', bic: 'bank_identifier' }

function read<T>(reader: (faults: FaultCollector) => T) {
  const faults = new FaultCollector()
  const value = reader(faults)
  return { value, faults: named(faults) }
}

function named(faults: FaultCollector): Record<string, string> {
  try {
    faults.throwAny()
    return {}
  } catch (error) {
    const { invalid_params = [] } = (error as ProblemError).extras
    return Object.fromEntries(invalid_params.map(param => [param.name, param.reason]))
  }
}

const identify = (body: object) =>
  read(faults => readIdentifier(CreateBorrowerBody.parse(body), faults))

function addressIn(country: string) {
  return { address_line_1: '1 rue', city: 'Town', postal_code: '1000', country }
}

test('country codes are read as alpha-2 or alpha-3, in any case, but never as names', () => {
  expect(['fr', 'FRA', ' Deu '].map(countryCode)).toEqual(['FR', 'FR', 'DE'])
  expect(['France', 'XX', 'EU', '', 'F'].map(countryCode)).toEqual([null, null, null, null, null])
})

test('companies of the French overseas departments are registered in France', () => {
  expect(['REU', 'GF', 'MAF', 'BE', 'ISL', 'nowhere'].map(registerCountry)).toEqual([
    'FR',
    'FR',
    'FR',
    'BE',
    null,
    null,
  ])
})

describe('the company number', () => {
  test('has its wrong digit named', () => {
    const { value, faults } = identify({ identifier: '404833047' })
    expect(value).toBeNull()
    expect(faults.identifier).toContain('check character 7 at position 9 should be 8')
  })

  test('must match the country of the address if its type is not given', () => {
    const sure = identify({ identifier: '732829320', address: addressIn('REU') })
    expect(sure.value).toMatchObject({ country: 'FR', identifier_type: 'siren' })
    const doubtful = identify({ identifier: '732829320', address: addressIn('NL') })
    expect(doubtful.faults.identifier).toContain('of FR, not of NL')
    const result = identify({
      identifier: '732829320',
      identifier_type: 'siren',
      address: addressIn('NL'),
    })
    expect(result.value).toMatchObject({ country: 'FR' })
  })

  test('lists the possible types if ambiguous', () => {
    const { faults } = identify({ identifier: '12345678901' })
    expect(faults.identifier).toContain('steuernummer')
  })
})

describe('the VAT number', () => {
  const french = parseCompanyIdentifier('732829320')
  const company = french.ok ? french : null

  test('must belong to the company', () => {
    const own = read(faults => readVatNumber('FR44 732 829 320', company, faults))
    expect(own).toEqual({ value: 'FR44732829320', faults: {} })
    const other = read(faults => readVatNumber('FR83404833048', company, faults))
    expect(other.faults.vat_number).toBe('belongs to another company than identifier')
  })

  test('has valid check digits, or a country whose rules we do not know', () => {
    const wrong = read(faults => readVatNumber('FR45732829320', company, faults))
    expect(wrong.faults.vat_number).toContain('should be 44')
    expect(read(faults => readVatNumber('GB123456789', company, faults))).toEqual({
      value: 'GB123456789',
      faults: {},
    })
  })
})

describe('the account', () => {
  test('is an IBAN, with or without a BIC', () => {
    const spaced = 'fr76 3000 6000 0112 3456 7890 189'
    const { value } = read(faults => readAccount({ iban: spaced }, NAMES, faults))
    expect(value).toEqual({ iban: IBAN, bic: null })
    const both = read(faults => readAccount({ iban: IBAN, bic: 'agrifrpp' }, NAMES, faults))
    expect(both.value).toEqual({ iban: IBAN, bic: 'AGRIFRPP' })
  })

  test('has its faults reported one by one', () => {
    const { faults } = read(f =>
      readAccount({ iban: 'FR7630006000011234567890188', bic: 'AGRI' }, NAMES, f),
    )
    expect(Object.keys(faults).sort()).toEqual(['account_number', 'bank_identifier'])
    const turkish = { iban: 'TR330006100519786457841326' }
    expect(read(f => readAccount(turkish, NAMES, f)).faults.account_number).toContain('SEPA')
    expect(read(f => readAccount({ bic: 'AGRIFRPP' }, NAMES, f)).faults).toEqual({
      account_number: 'is required with bank_identifier',
    })
  })
})

test('a language tag is reduced to a supported language', () => {
  expect(read(f => readLanguage('fr-BE', f)).value).toBe('fr')
  expect(read(f => readLanguage('DE', f)).value).toBe('de')
  expect(read(f => readLanguage('it', f)).faults.preferred_language).toBeDefined()
})

test('an address is complete, and its country a code', () => {
  const given = { city: 'Paris', country: 'fra', state: '' }
  expect(read(f => readAddress(given, 'address', f)).value).toEqual({
    address_line_1: null,
    address_line_2: null,
    city: 'Paris',
    country: 'FRA',
    postal_code: null,
    state: null,
  })
  const wrong = read(f => readAddress({ country: 'Frankreich' }, 'directors.0.address', f))
  expect(wrong.faults).toHaveProperty(['directors.0.address.country'])
})

describe('a past timestamp', () => {
  const business_now = new Date(Date.now() + 40 * 86_400_000)
  const at = (text: string, now: Date) => read(f => readPastMoment(text, 'signed_at', now, f))

  test('is UTC without an offset', () => {
    expect(at('2026-03-01T10:00:00', new Date()).value).toEqual(new Date('2026-03-01T10:00:00Z'))
    expect(at('2026-03-01T10:00:00+02:00', new Date()).value).toEqual(
      new Date('2026-03-01T08:00:00Z'),
    )
  })

  test('may be ahead of real time by as much as the business clock', () => {
    const soon = new Date(business_now.getTime() - 86_400_000).toISOString()
    expect(at(soon, business_now).faults).toEqual({})
    expect(at(soon, new Date()).faults).toEqual({ signed_at: 'is in the future' })
  })
})
