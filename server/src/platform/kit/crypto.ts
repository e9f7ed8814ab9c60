/** Hashes, tokens, signatures, encryption and canonical JSON. */
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  createSecretKey,
  hash,
  type KeyObject,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto'
import { assert } from './assert.ts'
import { yieldThread } from './pauses.ts'

/** The SHA-256 of a text (as UTF-8) or of bytes, in lowercase hexadecimal. */
export function sha256(data: string | Uint8Array): string {
  return hash('sha256', data, 'hex')
}

const BYTES_AT_ONCE = 1024 * 1024

/** The SHA-256 of a large file, yielding to other requests between chunks. */
export async function sha256InTurns(bytes: Uint8Array): Promise<string> {
  const digest = createHash('sha256')
  for (let from = 0; from < bytes.length; from += BYTES_AT_ONCE) {
    if (from > 0) await yieldThread()
    digest.update(bytes.subarray(from, from + BYTES_AT_ONCE))
  }
  return digest.digest('hex')
}

/** A random token of `bytes` random bytes in base64url. Use 32 for a key or secret. */
export function randomToken(bytes = 32): string {
  assert(bytes >= 16, 'fewer than 16 random bytes can be guessed')
  return randomBytes(bytes).toString('base64url')
}

/** A key from its hexadecimal form, in which a deployment stores its secret. */
export function hexKey(secret: string): KeyObject {
  return createSecretKey(secret, 'hex')
}

/** The HMAC-SHA256 of `text` under `key`, as base64url. */
export function hmacSign(text: string, key: string | KeyObject): string {
  return createHmac('sha256', key).update(text).digest('base64url')
}

/** True when `signature` matches `text` under `key`. Compares in constant time. */
export function hmacVerify(text: string, signature: string, key: string | KeyObject): boolean {
  return sameText(signature, hmacSign(text, key))
}

/** Compares two texts in constant time. */
export function sameText(a: string, b: string): boolean {
  // timingSafeEqual requires equal lengths, so compare the hashes.
  const digest = (text: string) => hash('sha256', text, 'buffer')
  return timingSafeEqual(digest(a), digest(b))
}

/**
 * Encrypts a text with AES-256-GCM under a 32-byte key. `context` (e.g. table and row) is not
 * stored, but decryption needs the same one, so a value cannot be moved to another row.
 */
export function encrypt(text: string, key: KeyObject, context = ''): string {
  const iv = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', checkedKey(key), iv).setAAD(Buffer.from(context))
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return `v1.${Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64url')}`
}

/** Decrypts the output of `encrypt`; throws if the text, key or context differs. */
export function decrypt(sealed: string, key: KeyObject, context = ''): string {
  assert(sealed.startsWith('v1.'), 'not an encrypted value of version 1')
  const bytes = Buffer.from(sealed.slice(3), 'base64url')
  assert(bytes.length >= 28, 'an encrypted value is cut short')
  const decipher = createDecipheriv('aes-256-gcm', checkedKey(key), bytes.subarray(0, 12), {
    authTagLength: 16,
  })
  decipher.setAAD(Buffer.from(context)).setAuthTag(bytes.subarray(12, 28))
  return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8')
}

function checkedKey(key: KeyObject): KeyObject {
  assert(key.symmetricKeySize === 32, 'AES-256 needs a key of 32 bytes')
  return key
}

/**
 * Serializes a JSON value independently of key order: keys sorted by UTF-16 code unit, no spaces
 * (RFC 8785). A bigint becomes a string of decimal digits, a Date its ISO form. Keys with undefined
 * values are omitted; NaN, infinities and functions throw.
 */
export function canonicalJson(value: unknown): string {
  if (typeof value === 'bigint') return `"${value}"`
  if (typeof value === 'number') {
    assert(Number.isFinite(value), `${value} is no JSON number`)
    return JSON.stringify(value)
  }
  if (value === null || typeof value !== 'object') {
    const text = JSON.stringify(value)
    assert(text !== undefined, `a ${typeof value} is no JSON value`)
    return text
  }
  if (Array.isArray(value)) {
    return `[${value.map(item => canonicalJson(item === undefined ? null : item)).join(',')}]`
  }
  if ('toJSON' in value && typeof value.toJSON === 'function') return canonicalJson(value.toJSON())
  const fields = sortedEntries(value).map(
    ([key, item]) => `${JSON.stringify(key)}:${canonicalJson(item)}`,
  )
  return `{${fields.join(',')}}`
}

/** Characters that are serialized and hashed in one go: a millisecond at most. */
const TEXT_AT_ONCE = 128 * 1024
/** The cost of a key or an item, in characters. */
const ITEM_WEIGHT = 32

/**
 * The SHA-256 of a value's canonical JSON. Yields to other requests while hashing a value with long
 * texts or many items, at any depth.
 */
export async function canonicalHash(value: unknown): Promise<string> {
  if (isLight(value)) return sha256(canonicalJson(value))
  const digest = createHash('sha256')
  let text = ''
  for (const piece of canonicalPieces(value)) {
    text += piece
    if (text.length < TEXT_AT_ONCE) continue
    digest.update(text)
    text = ''
    await yieldThread()
  }
  return digest.update(text).digest('hex')
}

/**
 * A value as JSON in UTF-8. Yields to other requests while serializing a long value, whose keys are
 * then sorted.
 */
export async function jsonInTurns(value: unknown): Promise<Buffer> {
  if (isLight(value)) return Buffer.from(JSON.stringify(value))
  const pieces: Buffer[] = []
  let text = ''
  for (const piece of canonicalPieces(value)) {
    text += piece
    if (text.length < TEXT_AT_ONCE) continue
    pieces.push(Buffer.from(text))
    text = ''
    await yieldThread()
  }
  return Buffer.concat([...pieces, Buffer.from(text)])
}

function isLight(value: unknown): boolean {
  return weightUpTo(value, TEXT_AT_ONCE) <= TEXT_AT_ONCE
}

/** The cost of serializing a value, in characters. Stops counting above `most`. */
function weightUpTo(value: unknown, most: number): number {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return 0
  let weight = 0
  for (const name in value) {
    weight += ITEM_WEIGHT + name.length
    if (weight > most) break
    weight += weightUpTo((value as Record<string, unknown>)[name], most - weight)
    if (weight > most) break
  }
  return weight
}

/** A text as JSON in pieces that never split a surrogate pair. */
function* textPieces(text: string): Generator<string> {
  yield '"'
  for (let from = 0; from < text.length; ) {
    const cut = from + TEXT_AT_ONCE
    const to = /[\ud800-\udbff]/.test(text[cut - 1] ?? '') ? cut + 1 : cut
    yield JSON.stringify(text.slice(from, to)).slice(1, -1)
    from = to
  }
  yield '"'
}

function* canonicalPieces(value: unknown): Generator<string> {
  if (isLight(value)) yield canonicalJson(value)
  else if (typeof value === 'string') yield* textPieces(value)
  else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      yield index === 0 ? '[' : ','
      yield* canonicalPieces(item ?? null)
    }
    yield ']'
  } else if ('toJSON' in (value as object)) yield canonicalJson(value)
  else {
    let before = '{'
    for (const [name, item] of sortedEntries(value as object)) {
      yield before
      yield* canonicalPieces(name)
      yield ':'
      yield* canonicalPieces(item)
      before = ','
    }
    yield '}'
  }
}

function sortedEntries(value: object): [string, unknown][] {
  const entries = Object.entries(value).filter(([, item]) => item !== undefined)
  return entries.sort(([a], [b]) => Number(a > b) - Number(a < b))
}
