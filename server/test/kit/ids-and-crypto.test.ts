/** IDs, assertions, and the wrappers around node:crypto. */
import { createSecretKey } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { assert, ImpossibleError } from '../../src/platform/kit/assert.ts'
import * as crypto from '../../src/platform/kit/crypto.ts'
import { isUuid, newId } from '../../src/platform/kit/ids.ts'
import { countTurns } from '../support/turns.ts'

const { canonicalHash, canonicalJson, decrypt, encrypt, hmacSign, hmacVerify, sha256 } = crypto
const key = createSecretKey(Buffer.alloc(32, 7))

test('an assertion throws an ImpossibleError with its message', () => {
  expect(() => assert(true, 'fine')).not.toThrow()
  expect(() => assert(0, 'the sky is down')).toThrow(new ImpossibleError('the sky is down'))
})

describe('ids', () => {
  test('sort by time, and by order of creation within a millisecond', () => {
    const now = new Date('2026-07-01T12:00:00Z')
    const ids = Array.from({ length: 5000 }, () => newId(now))
    expect(ids.toSorted()).toEqual(ids)
    expect(new Set(ids).size).toBe(5000)
    expect(newId(new Date('2026-07-01T12:00:00.001Z')) > ids.at(-1)!).toBe(true)
    expect(ids[0]).toMatch(/^019f1d8c-e200-7[0-9a-f]{3}-[89ab]/)
    expect(0x019f1d8ce200).toBe(now.getTime())
  })

  test('a UUID of any version is recognized by its format', () => {
    const right = [newId(), newId().toUpperCase(), '11111111-1111-1111-1111-111111111111']
    expect(right.every(isUuid)).toBe(true)
    const wrong = [
      '',
      'abc',
      `${newId()}0`,
      `{${newId()}}`,
      newId().replaceAll('-', ''),
      ` ${newId()}`,
    ]
    expect(wrong.some(isUuid)).toBe(false)
  })
})

describe('crypto', () => {
  test('known test vectors', () => {
    const abc = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'
    expect(crypto.sha256('abc')).toBe(abc)
    expect(crypto.sha256(Buffer.from('abc'))).toBe(abc)
    // RFC 4231, test case 2.
    const mac = '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843'
    const signed = hmacSign('what do ya want for nothing?', 'Jefe')
    expect(Buffer.from(signed, 'base64url').toString('hex')).toBe(mac)
  })

  test('tokens differ and are long enough', () => {
    expect(crypto.randomToken(32)).toMatch(/^[\w-]{43}$/)
    expect(crypto.randomToken()).not.toBe(crypto.randomToken())
    expect(() => crypto.randomToken(8)).toThrow(ImpossibleError)
  })

  test('a signature is valid only for its text and key', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (text, other) => {
        const signature = hmacSign(text, key)
        expect(hmacVerify(text, signature, key)).toBe(true)
        expect(hmacVerify(other, signature, key)).toBe(other === text)
        expect(hmacVerify(text, signature, 'another key')).toBe(false)
        expect(hmacVerify(text, signature.slice(1), key)).toBe(false)
      }),
    )
  })

  test('a ciphertext decrypts only unaltered, with the same key and context', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), text => {
        expect(decrypt(encrypt(text, key, 'a'), key, 'a')).toBe(text)
      }),
    )
    const sealed = encrypt('secret', key, 'a')
    expect(encrypt('secret', key, 'a')).not.toBe(sealed)
    expect(() => decrypt(sealed, key, 'b')).toThrow()
    expect(() => decrypt(sealed, createSecretKey(Buffer.alloc(32, 8)), 'a')).toThrow()
    const bytes = Buffer.from(sealed.slice(3), 'base64url')
    for (let i = 0; i < bytes.length; i += 1) {
      const spoilt = Buffer.from(bytes)
      spoilt[i]! ^= 1
      expect(() => decrypt(`v1.${spoilt.toString('base64url')}`, key, 'a')).toThrow()
    }
    expect(() => decrypt('v1.AAAA', key)).toThrow(ImpossibleError)
    expect(() => encrypt('secret', createSecretKey(Buffer.alloc(16)))).toThrow(ImpossibleError)
  })
})

describe('canonical JSON', () => {
  test('sorts keys, writes bigints as text, omits undefined', () => {
    const value = { b: 1n, a: [undefined, { d: new Date(0), c: null }], x: undefined, A: -0 }
    expect(canonicalJson(value)).toBe(
      '{"A":0,"a":[null,{"c":null,"d":"1970-01-01T00:00:00.000Z"}],"b":"1"}',
    )
    expect(canonicalJson(JSON.parse('{"__proto__":1,"a":2}'))).toBe('{"__proto__":1,"a":2}')
    for (const wrong of [Number.NaN, Number.POSITIVE_INFINITY, undefined, () => 1, Symbol('x')]) {
      expect(() => canonicalJson(wrong)).toThrow(ImpossibleError)
    }
  })

  test('has the same hash written at once or in pieces', async () => {
    const pairs = '\u{1f600}'.repeat(100_000)
    const long = { ab: ['x', `a${pairs}`, pairs, 'line\n"'.repeat(50_000)], a: [], b: {} }
    expect(await canonicalHash(long)).toBe(sha256(canonicalJson(long)))
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), async value => {
        expect(await canonicalHash(value)).toBe(sha256(canonicalJson(value)))
      }),
    )
  })

  test('is hashed in turns, whichever value is long', async () => {
    const file = Buffer.alloc(10_000_000, 0x5a).toString('base64')
    const items = Array.from({ length: 20_000 }, (_, n) => ({ n, name: '\u0001'.repeat(100) }))
    for (const value of [
      { body: { documents: [{ file }], deep: [[[[[[file]]]]]] } },
      { body: { deep: { deep: { deep: { deep: items } } } } },
      { [file]: 1 },
    ]) {
      expect(await canonicalHash(value)).toBe(sha256(canonicalJson(value)))
      expect(await countTurns(() => canonicalHash(value))).toBeGreaterThan(2)
    }
  })

  test('keeps the value and ignores key order', () => {
    fc.assert(
      fc.property(fc.jsonValue(), value => {
        const text = canonicalJson(value)
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)))
        expect(canonicalJson(reversed(value))).toBe(text)
      }),
    )
  })
})

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed)
  if (value === null || typeof value !== 'object') return value
  const entries = Object.entries(value).reverse()
  return Object.fromEntries(entries.map(([name, item]) => [name, reversed(item)]))
}
