/** Company identifiers: test vectors of the rules, inferred types, and identity of companies. */
import { COUNTRIES, IDENTIFIER_TYPES } from '@headroom/contract'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { frenchVatOf } from '../../src/countries/fr/numbers.ts'
import {
  COUNTRY,
  type CountryCode,
  type IdentifierType,
  parseCompanyIdentifier,
} from '../../src/countries/index.ts'

const digits = (length: number) =>
  fc.stringMatching(new RegExp(`^[0-9]{${length}}$`)).filter(text => !/^0+$/.test(text))

function reasonOf(identifier: string, type?: IdentifierType, country?: CountryCode): string {
  const result = parseCompanyIdentifier(identifier, type, country)
  if (result.ok) throw new Error(`${identifier} passed as ${result.identifier_type}`)
  return result.reason
}

function keyOf(identifier: string, type?: IdentifierType): string {
  const result = parseCompanyIdentifier(identifier, type)
  if (!result.ok) throw new Error(`${identifier}: ${result.reason}`)
  return result.company_key
}

describe('valid numbers, with and without their type', () => {
  test.each<[string, IdentifierType, CountryCode, string?]>([
    ['732829320', 'siren', 'FR'],
    ['404833048', 'siren', 'FR'],
    ['732 829 320', 'siren', 'FR', '732829320'],
    ['73282932000074', 'siret', 'FR'],
    ['732 829 320 00074', 'siret', 'FR', '73282932000074'],
    ['35600000000048', 'siret', 'FR'],
    ['35600000000001', 'siret', 'FR'],
    ['FR44732829320', 'vat_number', 'FR'],
    ['fr 44 732 829 320', 'vat_number', 'FR', 'FR44732829320'],
    ['B64717838', 'nif', 'ES'],
    ['J99216582', 'nif', 'ES'],
    ['j-99216582', 'nif', 'ES', 'J99216582'],
    ['54362315K', 'nif', 'ES'],
    ['X2482300W', 'nif', 'ES'],
    ['ESB64717838', 'vat_number', 'ES'],
    ['12345678', 'kvk', 'NL'],
    ['NL004495445B01', 'vat_number', 'NL'],
    ['NL 0044.95.445.B.01', 'vat_number', 'NL', 'NL004495445B01'],
    ['0403019261', 'belgium_registration_number', 'BE'],
    ['0403.019.261', 'belgium_registration_number', 'BE', '0403019261'],
    ['BE 0403.019.261', 'vat_number', 'BE', 'BE0403019261'],
    ['DE136695976', 'vat_number', 'DE'],
    ['DE 136 695 976', 'vat_number', 'DE', 'DE136695976'],
    ['Aachen HRA 11223', 'hr_nummer', 'DE'],
  ])('%s is a %s of %s', (typed, identifier_type, country, identifier = typed) => {
    const expected = { ok: true, identifier, identifier_type, country }
    expect(parseCompanyIdentifier(typed)).toMatchObject(expected)
    expect(parseCompanyIdentifier(typed, identifier_type, country)).toMatchObject(expected)
  })

  test("a company NIF may be declared as a cif, a person's or foreigner's may not", () => {
    expect(parseCompanyIdentifier('B64717838', 'cif')).toMatchObject({ identifier_type: 'cif' })
    expect(reasonOf('54362315K', 'cif')).toContain('a cif names a company')
  })

  test('a bsn and a steuernummer are valid if declared', () => {
    expect(keyOf('111222333', 'bsn')).toBe('NL:bsn:111222333')
    expect(keyOf('004495445', 'bsn')).toBe(keyOf('04495445', 'bsn'))
    for (const right of ['93/815/08152', '181/815/08155', '2893081508152']) {
      const identifier = right.replaceAll('/', '')
      expect(parseCompanyIdentifier(right, 'steuernummer')).toMatchObject({ ok: true, identifier })
    }
  })
})

describe('faults name the digit or rule', () => {
  test.each<[string, IdentifierType | undefined, string]>([
    ['404833047', 'siren', 'check character 7 at position 9 should be 8'],
    ['73282932000075', 'siret', 'check character 5 at position 14 should be 4'],
    ['73282932100073', 'siret', 'of a siren: check character 1 at position 9 should be 0'],
    ['35600000000002', 'siret', 'digit sum divisible by 5'],
    ['FR45732829320', undefined, 'check characters 45 at positions 3 to 4 should be 44'],
    ['FR44732829321', undefined, 'of a siren: check character 1 at position 9 should be 0'],
    ['FRIO732829320', undefined, 'not I, O'],
    ['FR99000000001', undefined, 'Monaco'],
    ['J99216583', undefined, 'check character 3 at position 9 should be 2 or B'],
    ['54362315A', undefined, 'check character A at position 9 should be K'],
    ['1234567', 'kvk', 'has 8 digits, this has 7'],
    ['NL004495446B01', undefined, 'fails the 11-test'],
    ['NL004495445B00', undefined, 'B01 to B99'],
    ['NL4495445B01', undefined, 'NL, 9 digits, B'],
    ['0123456789', 'belgium_registration_number', 'at positions 9 to 10 should be 49'],
    ['2403019261', 'belgium_registration_number', 'begins with 0 or 1, not 2'],
    ['403019261', 'belgium_registration_number', 'has 10 digits, this has 9'],
    ['BE0403019262', undefined, 'at positions 9 to 10 should be 61'],
    ['11223', 'hr_nummer', 'a court, one of HRA'],
    ['HRB 11223', undefined, 'unique only with its court'],
    ['HRB 123 FL', undefined, 'unique only with its court'],
    ['Aachen HRX 11223', 'hr_nummer', 'a court, one of HRA'],
    ['Aachen HRB 0', 'hr_nummer', 'number 0'],
    ['DE136695978', undefined, 'check character 8 at position 11 should be 6'],
    ['DE036695976', undefined, 'does not begin with 0'],
    ['DE13669597', undefined, 'has 9 digits, this has 8'],
    ['123456789', 'steuernummer', '10, 11 or 13 digits'],
    ['111222334', 'bsn', '11-test'],
    ['000000000', 'siren', 'all zeros'],
    ['73282932A', 'siren', 'digits only, not "A"'],
    ['136695976', 'vat_number', 'needs its country prefix'],
    ['004495445B01', undefined, 'needs its country prefix'],
    ['IT00743110157', undefined, 'beginning with IT are not served'],
    ['', undefined, 'not empty'],
    ['1'.repeat(101), undefined, '100 characters'],
    ['Acme Ltd', undefined, 'cannot be inferred'],
  ])('%s as %s: %s', (identifier, type, reason) => {
    expect(reasonOf(identifier, type)).toContain(reason)
  })

  test('an identifier of another country than the one given', () => {
    expect(reasonOf('732829320', 'siren', 'DE')).toBe('this siren is of FR, not of DE')
    expect(reasonOf('12345678', undefined, 'FR')).toBe('this kvk is of NL, not of FR')
  })

  test('a number that could only be a bsn or a steuernummer needs its type', () => {
    const requested = (text: string) => {
      const result = parseCompanyIdentifier(text)
      return result.ok ? 'passed' : result.ambiguous
    }
    expect(requested('111222333')).toEqual(['siren', 'bsn'])
    expect(requested('9381508152')).toEqual(['belgium_registration_number', 'steuernummer'])
    expect(requested('18181508155')).toEqual(['steuernummer'])
    expect(requested('2893081508152')).toEqual(['steuernummer'])
    expect(requested('404833047')).toBeUndefined()
  })

  test('no text is valid in two ways or throws', () => {
    const types = fc.option(fc.constantFrom(...IDENTIFIER_TYPES), { nil: undefined })
    const text = fc.oneof(fc.string({ unit: 'binary' }), fc.stringMatching(/^[A-Z0-9 .-]{0,20}$/))
    fc.assert(
      fc.property(text, types, (identifier, type) => {
        const result = parseCompanyIdentifier(identifier, type)
        if (!result.ok) {
          expect(result.reason.length).toBeGreaterThan(10)
          return
        }
        if (type) expect(result.identifier_type).toBe(type)
        expect(result.identifier_type === 'bsn' && !type).toBe(false)
        const again = parseCompanyIdentifier(result.identifier, result.identifier_type)
        expect(again).toEqual(result)
      }),
    )
  })
})

describe('check digits', () => {
  test('exactly one last digit makes a siren, and one last pair a Belgian number', () => {
    fc.assert(
      fc.property(digits(8), body => {
        const passing = Array.from('0123456789').filter(
          last => parseCompanyIdentifier(body + last, 'siren').ok,
        )
        expect(passing).toHaveLength(body.startsWith('000') ? 0 : 1)
      }),
    )
  })

  test('a Belgian remainder of 0 is written 97', () => {
    const front = String(97 * 104_000).padStart(8, '0')
    expect(front).toBe('10088000')
    expect(parseCompanyIdentifier(`${front}97`).ok).toBe(true)
    expect(parseCompanyIdentifier(`${front}00`, 'belgium_registration_number').ok).toBe(false)
  })

  test('one changed digit never passes', () => {
    const samples: [string, IdentifierType][] = [
      ['732829320', 'siren'],
      ['73282932000074', 'siret'],
      ['FR44732829320', 'vat_number'],
      ['0403019261', 'belgium_registration_number'],
      ['DE136695976', 'vat_number'],
      ['B64717838', 'nif'],
      ['54362315K', 'nif'],
      ['111222333', 'bsn'],
    ]
    for (const [sample, type] of samples) {
      for (let i = 0; i < sample.length; i += 1) {
        if (!/[0-9]/.test(sample[i]!)) continue
        for (const other of '0123456789') {
          if (other === sample[i]) continue
          const changed = sample.slice(0, i) + other + sample.slice(i + 1)
          expect(parseCompanyIdentifier(changed, type).ok, changed).toBe(false)
        }
      }
    }
  })
})

describe('company identity', () => {
  test('SIREN, SIRET and French VAT number', () => {
    const keys = ['732829320', '73282932000074', 'FR44732829320'].map(one => keyOf(one))
    expect(new Set(keys).size).toBe(1)
    expect(frenchVatOf('732829320')).toBe('FR44732829320')
    expect(keyOf('35600000000001')).toBe(keyOf('356000000'))
  })

  test('the Belgian number and VAT number, the Spanish NIF and VAT number', () => {
    expect(keyOf('BE0403019261')).toBe(keyOf('0403.019.261'))
    expect(keyOf('ESB64717838')).toBe(keyOf('B64717838'))
    expect(keyOf('B64717838')).toBe(keyOf('B64717838', 'cif'))
    expect(keyOf('B6471783H')).toBe(keyOf('B64717838'))
  })

  test('a register entry, however its court is written', () => {
    const ways = [
      'München HRB 123',
      'MUENCHEN hrb 00123',
      'Amtsgericht München, HRB 123',
      'HRB 123, AG München',
      'HRB 123 München',
      'München HRB Nr. 123',
    ]
    expect(new Set(ways.map(way => keyOf(way))).size).toBe(1)
    expect(parseCompanyIdentifier('MÜNCHEN hrb 00123')).toMatchObject({
      identifier: 'München HRB 123',
    })
    expect(keyOf('Berlin (Charlottenburg) HRB 158855 B')).toBe(keyOf('Charlottenburg HRB 158855'))
    expect(keyOf('Kiel HRB 123 FL')).not.toBe(keyOf('Kiel HRB 123'))
    expect(keyOf('Aachen HRA 123')).not.toBe(keyOf('Aachen HRB 123'))
    expect(keyOf('Aachen HRA 123')).not.toBe(keyOf('Ulm HRA 123'))
  })

  test('numbers that cannot be derived from each other stay separate', () => {
    expect(keyOf('NL004495445B01')).not.toBe(keyOf('04495445'))
    expect(keyOf('111222333', 'bsn')).not.toBe(keyOf('11122233'))
    expect(keyOf('DE136695976')).not.toBe(keyOf('1366959760', 'steuernummer'))
  })
})

test('each type of number belongs to one country, except the VAT number', () => {
  const types = COUNTRIES.flatMap(code => Object.keys(COUNTRY[code].numbers.types))
  expect([...types, 'vat_number'].sort()).toEqual([...IDENTIFIER_TYPES])
})
