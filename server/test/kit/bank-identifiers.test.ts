/** IBAN, BIC, creditor references, creditor identifiers and mandate references. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { creditorId, parseCreditorId } from '../../src/countries/index.ts'
import { ImpossibleError } from '../../src/platform/kit/assert.ts'
import {
  ibanOf,
  isCountry,
  isSepaCountry,
  parseBic,
  parseIban,
  printIban,
} from '../../src/platform/kit/iban.ts'
import { checkDigits, mod97 } from '../../src/platform/kit/mod97.ts'
import {
  findReferences,
  isRfReference,
  mandateReference,
  rfReference,
} from '../../src/platform/kit/reference.ts'

const reasonOf = (result: { ok: true } | { ok: false; reason: string }) =>
  result.ok ? 'passed' : result.reason

describe('IBAN', () => {
  test.each([
    ['FR7630006000011234567890189', 'FR'],
    ['FR1420041010050500013M02606', 'FR'],
    ['ES9121000418450200051332', 'ES'],
    ['DE89370400440532013000', 'DE'],
    ['NL91ABNA0417164300', 'NL'],
    ['BE68539007547034', 'BE'],
    ['BE43068999999501', 'BE'],
    ['IS140159260076545510730339', 'IS'],
    ['MC5811222000010123456789030', 'MC'],
  ])('%s is valid in %s', (iban, country) => {
    expect(parseIban(iban)).toEqual({ ok: true, iban, country })
    expect(parseIban(printIban(iban).toLowerCase())).toEqual({ ok: true, iban, country })
  })

  test.each([
    ['FR7630006000011234567890188', 'mod 97'],
    ['FR76300060000112345678901', 'has 27 characters, this has 25'],
    ['XX7630006000011234567890189', 'no country'],
    ['DE8937040044053201300A', 'where they do not belong'],
    ['7630006000011234567890189', 'two letters'],
    ['', 'two letters'],
    ['FR76 3000 6000 0112 3456 7890 18€', 'two letters'],
  ])('%s fails: %s', (text, reason) => {
    expect(reasonOf(parseIban(text))).toContain(reason)
  })

  test.each([
    ['FR', '30006000011234567890188', 'RIB key'],
    ['ES', '21000418460200051332', 'control digits'],
    ['BE', '539007547035', 'at the end'],
  ])('of %s has its inner check digits verified too', (country, inner, reason) => {
    const iban = `${country}${checkDigits(country, inner)}${inner}`
    expect(ibanOf(country, inner)).toBe(iban)
    expect(reasonOf(parseIban(iban))).toContain(reason)
  })

  test('check digits 00, 01 and 99 fail although the sum fits', () => {
    const equal: Record<string, string> = { 97: '00', 98: '01', '02': '99' }
    const seen = new Set<string>()
    for (let account = 0; seen.size < 3; account += 1) {
      const body = `37040044${String(account).padStart(10, '0')}`
      const right = checkDigits('DE', body)
      const twin = equal[right]
      if (!twin) continue
      expect(mod97(`${body}DE${twin}`)).toBe(1)
      expect(parseIban(`DE${right}${body}`).ok).toBe(true)
      expect(reasonOf(parseIban(`DE${twin}${body}`))).toContain('mod 97')
      seen.add(twin)
    }
    expect([...seen].sort()).toEqual(['00', '01', '99'])
  })

  test('no text throws, and no changed digit passes', () => {
    fc.assert(fc.property(fc.string(), text => parseIban(text).ok === false))
    const iban = 'FR7630006000011234567890189'
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 26 }), fc.integer({ min: 1, max: 9 }), (at, by) => {
        const digit = (Number(iban[at]) + by) % 10
        return !parseIban(iban.slice(0, at) + digit + iban.slice(at + 1)).ok
      }),
    )
  })
})

test('BIC', () => {
  expect(parseBic('bnpafrpp')).toEqual({ ok: true, bic: 'BNPAFRPP', country: 'FR' })
  expect(parseBic('DEUTDEFF500')).toMatchObject({ ok: true, country: 'DE' })
  expect(reasonOf(parseBic('BNPAFRP'))).toContain('4 letters')
  expect(reasonOf(parseBic('BNPAXXPP'))).toContain('no country')
})

describe('creditor references', () => {
  test('the published example', () => {
    expect(rfReference('539007547034')).toBe('RF18539007547034')
    expect(isRfReference('rf18 5390 0754 7034')).toBe(true)
    for (const wrong of ['RF19539007547034', 'RF18', 'RF1853900754703€', `RF18${'1'.repeat(22)}`]) {
      expect(isRfReference(wrong)).toBe(false)
    }
  })

  test('00, 01 and 99 are rejected although the sum fits', () => {
    const equal: Record<string, string> = { 97: '00', 98: '01', '02': '99' }
    const seen = new Set<string>()
    for (let seed = 1; seen.size < 3; seed += 1) {
      const right = checkDigits('RF', String(seed))
      const twin = equal[right]
      if (!twin) continue
      expect(mod97(`${seed}RF${twin}`)).toBe(1)
      expect(isRfReference(`RF${twin}${seed}`)).toBe(false)
      expect(isRfReference(`RF${right}${seed}`)).toBe(true)
      seen.add(twin)
    }
  })

  test('are generated from any seed, are short enough, and differ', () => {
    fc.assert(
      fc.property(fc.uuid(), fc.uuid(), (a, b) => {
        const reference = rfReference(a)
        expect(reference).toMatch(/^RF[0-9]{2}[A-Z0-9]{1,21}$/)
        expect(isRfReference(reference)).toBe(true)
        expect(rfReference(a)).toBe(reference)
        expect(rfReference(b) === reference).toBe(a === b)
      }),
    )
    expect(() => rfReference('--')).toThrow(ImpossibleError)
  })

  test('are found in free text, in any case and spacing', () => {
    const text = 'Invoice 7, rf18 5390 0754 7034 thanks; /RF18539007547034/ and RF18539007547035'
    expect(findReferences(text)).toEqual(['RF18539007547034'])
    expect(findReferences('REFRF18539007547034')).toEqual(['RF18539007547034'])
    expect(findReferences('R F18\n539007547034')).toEqual(['RF18539007547034'])
    expect(findReferences('RF18539007547034X nothing RF')).toEqual([])
    expect(findReferences('')).toEqual([])
  })

  test('are all found, however spaces split them', () => {
    const seeds = fc.array(fc.uuid(), { minLength: 1, maxLength: 3 })
    fc.assert(
      fc.property(seeds, fc.integer({ min: 1, max: 20 }), (ids, width) => {
        const references = ids.map(rfReference)
        const spaced = (one: string) => one.match(new RegExp(`.{1,${width}}`, 'g'))?.join(' ')
        const text = `pays ${references.map(spaced).join(', ')}.`
        expect(findReferences(text.toLowerCase())).toEqual(expect.arrayContaining(references))
      }),
    )
  })

  test('are searched in time proportional to the text', () => {
    // The shortest of several runs, because other work shares the processors.
    const searchMs = (length: number) => {
      const text = 'RF18 '.repeat(length) + ' '.repeat(5 * length)
      const runs = Array.from({ length: 5 }, () => {
        const started = performance.now()
        expect(findReferences(text).every(isRfReference)).toBe(true)
        return performance.now() - started
      })
      return Math.min(...runs)
    }
    // Eight times the text: a quadratic search would take 64 times as long.
    const short_ms = searchMs(2_500)
    expect(searchMs(20_000)).toBeLessThan(24 * short_ms)
  })
})

describe('creditor identifiers and mandates', () => {
  test.each(['DE98ZZZ09999999999', 'FR72ZZZ123456', 'NL79ZZZ999999990000', 'BE69ZZZ050D000000008'])(
    '%s is valid, whatever its business code',
    id => {
      expect(parseCreditorId(id)).toMatchObject({ ok: true, country: id.slice(0, 2) })
      expect(parseCreditorId(id.replace('ZZZ', 'A01')).ok).toBe(true)
    },
  )

  test.each([
    ['DE97ZZZ09999999999', 'mod 97'],
    ['DE98ZZZ0999999999', 'has 18 characters, this has 17'],
    ['98ZZZ09999999999', '2 letters'],
  ])('%s fails: %s', (id, reason) => {
    expect(reasonOf(parseCreditorId(id))).toContain(reason)
  })

  test('are generated with their check digits', () => {
    expect(creditorId('FR', '123456')).toBe('FR72ZZZ123456')
    expect(() => creditorId('FR', '12345')).toThrow(ImpossibleError)
  })

  test('a mandate reference is deterministic per seed and fits 35 characters', () => {
    fc.assert(
      fc.property(fc.uuid(), id => {
        expect(mandateReference(id)).toBe(id.replaceAll('-', '').toUpperCase())
        expect(mandateReference(`${id} of a long name`)).toMatch(/^[A-Z0-9]{32}$/)
      }),
    )
    expect(() => mandateReference('')).toThrow(ImpossibleError)
  })
})

test('SEPA reaches the countries of the EPC list, and no others', () => {
  // EPC409-09 of 2026: the EEA, and twelve others with IBANs of their own.
  const eea =
    'AT BE BG HR CY CZ DK EE FI FR DE GR HU IS IE IT LV LI LT LU MT NL NO PL PT RO SK SI ES SE'
  const others = 'AL AD GI MC MD ME MK SM CH GB VA RS'
  const expected = `${eea} ${others}`.split(' ').sort()
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
  const codes = letters.flatMap(first => letters.map(second => first + second))
  expect(codes.filter(isSepaCountry)).toEqual(expected)
  expect(codes.filter(isCountry)).toHaveLength(250)
  expect(isCountry('ZZ') || isCountry('EU') || isCountry('ch') || isCountry('constructor')).toBe(
    false,
  )
})
