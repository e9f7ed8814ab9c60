/**
 * Check digits agree with the stdnum library, and rejecting a number is as cheap as accepting it.
 */
import fc from 'fast-check'
import * as BE from 'stdnum/lib/cjs/be/index.js'
import * as DE from 'stdnum/lib/cjs/de/index.js'
import * as ES from 'stdnum/lib/cjs/es/index.js'
import * as FR from 'stdnum/lib/cjs/fr/index.js'
import * as NL from 'stdnum/lib/cjs/nl/index.js'
import { expect, test } from 'vitest'
import { type IdentifierType, parseCompanyIdentifier } from '../../src/countries/index.ts'

interface Library {
  readonly validate: (number: string) => { readonly isValid: boolean }
}

/**
 * Formats in which the check digits alone decide. Numbers that only stdnum accepts are left out.
 */
const FORMS: [IdentifierType, RegExp, Library][] = [
  ['siren', /^[1-9][0-9]{8}$/, FR.siren],
  ['siret', /^732829320[0-9]{5}$/, FR.siret],
  ['siret', /^356000000[0-9]{5}$/, FR.siret],
  ['siret', /^3560000000004[0-9]$/, FR.siret],
  ['vat_number', /^FR[0-9A-HJ-NP-Z]{2}(732829320|404833048|356000000)$/, FR.tva],
  ['vat_number', /^FR[0-9]{2}[1-9][0-9]{8}$/, FR.tva],
  ['vat_number', /^DE[1-9][0-9]{8}$/, DE.vat],
  ['vat_number', /^NL[1-9][0-9]{8}B(0[1-9]|[1-9][0-9])$/, NL.btw],
  ['belgium_registration_number', /^[01][1-9][0-9]{8}$/, BE.vat],
  ['bsn', /^[1-9][0-9]{8}$/, NL.bsn],
  ['nif', /^[ABCDEFGHJNPQRSUVW][1-9][0-9]{6}[0-9A-J]$/, ES.nif],
  ['nif', /^([1-9][0-9]{7}|[XYZKLM][1-9][0-9]{6})[A-Z]$/, ES.nif],
]

test.each(FORMS)('%s like %s: valid exactly when stdnum says so', (type, form, library) => {
  fc.assert(
    fc.property(fc.stringMatching(form), number => {
      expect(parseCompanyIdentifier(number, type).ok).toBe(library.validate(number).isValid)
    }),
    { numRuns: 500 },
  )
})

test.each(FORMS)('%s like %s: the digits named by a rejection are right', (type, form, library) => {
  fc.assert(
    fc.property(fc.stringMatching(form), number => {
      const result = parseCompanyIdentifier(number, type)
      if (result.ok) return
      const named = /^a .*at positions? (\d+)(?: to \d+)? should be (.*)$/.exec(result.reason)
      // A fault in the inner siren is reported first, and some rules name no correct digit.
      if (!named || result.reason.includes('of a siren')) return
      const from = Number(named[1]) - 1
      for (const right of named[2]!.split(' or ')) {
        const mended = number.slice(0, from) + right + number.slice(from + right.length)
        expect(library.validate(mended).isValid, mended).toBe(true)
        expect(parseCompanyIdentifier(mended, type).ok).toBe(true)
      }
    }),
    { numRuns: 200 },
  )
})

test('a thousand wrong numbers of each kind take milliseconds', () => {
  const wrong: [string, IdentifierType][] = [
    ['FR00404833048', 'vat_number'],
    ['732829321', 'siren'],
    ['73282932000075', 'siret'],
    ['0123456780', 'belgium_registration_number'],
    ['12345678A', 'nif'],
    ['A1234567B', 'cif'],
    ['DE123456789', 'vat_number'],
    ['123456789', 'bsn'],
    // A single character that normalizes to 18.
    ['\ufdfa'.repeat(100), 'hr_nummer'],
  ]
  for (const [number, type] of wrong) {
    expect(parseCompanyIdentifier(number, type).ok).toBe(false)
    const before = process.threadCpuUsage()
    for (let n = 0; n < 1_000; n++) parseCompanyIdentifier(number, type)
    const { user, system } = process.threadCpuUsage(before)
    // Trying all digits would take at least 100 ms.
    expect((user + system) / 1_000, number).toBeLessThan(60)
  }
})
