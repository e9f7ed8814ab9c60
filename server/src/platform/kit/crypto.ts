/** Hashes, tokens, signatures and encryption: thin, safe forms of node:crypto. */
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
import { pause } from './pauses.ts'

/** The SHA-256 of a text (as UTF-8) or of bytes, in lower-case hexadecimal. */
export function sha256(data: string | Uint8Array): string {
  return hash('sha256', data, 'hex')
}

const BYTES_AT_ONCE = 1024 * 1024

/** The same of a file, in turns with other requests. */
export async function sha256InTurns(bytes: Uint8Array): Promise<string> {
  const digest = createHash('sha256')
  for (let from = 0; from < bytes.length; from += BYTES_AT_ONCE) {
    if (from > 0) await pause()
    digest.update(bytes.subarray(from, from + BYTES_AT_ONCE))
  }
  return digest.digest('hex')
}

/** `bytes` random bytes as base64url; 32 for a key or a secret. */
export function randomToken(bytes = 32): string {
  assert(bytes >= 16, 'fewer than 16 random bytes can be guessed')
  return randomBytes(bytes).toString('base64url')
}

/** A key that is written in hexadecimal, as a deployment keeps its secret. */
export function hexKey(secret: string): KeyObject {
  return createSecretKey(secret, 'hex')
}

/** The HMAC-SHA256 of `text` under `key`, as base64url. */
export function hmacSign(text: string, key: string | KeyObject): string {
  return createHmac('sha256', key).update(text).digest('base64url')
}

/** True when `signature` is that of `text` under `key`; takes the same time whatever differs. */
export function hmacVerify(text: string, signature: string, key: string | KeyObject): boolean {
  return sameText(signature, hmacSign(text, key))
}

/** Compares two texts in a time that does not tell where they differ. */
export function sameText(a: string, b: string): boolean {
  // Equal lengths are demanded by timingSafeEqual, so the hashes are compared.
  const digest = (text: string) => hash('sha256', text, 'buffer')
  return timingSafeEqual(digest(a), digest(b))
}

/**
 * Encrypts a text with AES-256-GCM under a key of 32 bytes. `context` (e.g. table and row) is not
 * kept, but must be the same to decrypt, so that a value cannot be moved elsewhere.
 */
export function encrypt(text: string, key: KeyObject, context = ''): string {
  const iv = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', checkedKey(key), iv).setAAD(Buffer.from(context))
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return `v1.${Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64url')}`
}

/** Reads what `encrypt` wrote; throws when text, key or context is not the same. */
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
 * A JSON value as one text, whatever the order of its keys: sorted by UTF-16 unit, no spaces
 * (as RFC 8785). A bigint becomes the text of its decimal digits, a Date its ISO form; a key
 * whose value is undefined is left out; NaN, infinities and functions throw.
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

/** Levels that `canonicalHash` takes apart; below them a value is written in one go. */
const LEVELS_APART = 3
const TEXT_AT_ONCE = 64 * 1024

/** The SHA-256 of a value's canonical JSON; a long one is hashed in turns with other requests. */
export async function canonicalHash(value: unknown): Promise<string> {
  const digest = createHash('sha256')
  let text = ''
  for (const piece of canonicalPieces(value, LEVELS_APART)) {
    text += piece
    if (text.length < TEXT_AT_ONCE) continue
    digest.update(text)
    text = ''
    await pause()
  }
  return digest.update(text).digest('hex')
}

/** A text as JSON in pieces; a pair of surrogates stays together. */
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

/** `canonicalJson` in pieces. */
function* canonicalPieces(value: unknown, levels: number): Generator<string> {
  if (typeof value === 'string' && value.length > TEXT_AT_ONCE) {
    yield* textPieces(value)
    return
  }
  const isPlain = typeof value === 'object' && value !== null && !('toJSON' in value)
  if (!isPlain || levels === 0) {
    yield canonicalJson(value)
    return
  }
  const isList = Array.isArray(value)
  const entries = isList ? value.map(item => ['', item ?? null] as const) : sortedEntries(value)
  let before = isList ? '[' : '{'
  for (const [key, item] of entries) {
    yield isList ? before : `${before}${JSON.stringify(key)}:`
    yield* canonicalPieces(item, levels - 1)
    before = ','
  }
  if (entries.length === 0) yield before
  yield isList ? ']' : '}'
}

function sortedEntries(value: object): [string, unknown][] {
  const entries = Object.entries(value).filter(([, item]) => item !== undefined)
  return entries.sort(([a], [b]) => Number(a > b) - Number(a < b))
}
