/** Parses JSON bodies strictly: refuses repeated names, which parsers read differently. */
import { isAscii } from 'node:buffer'
import { BODY_DEPTH_MAX, type BodyLimits } from '@headroom/contract'
import { yieldThread } from '../../platform/kit/pauses.ts'
import { type ProblemError, problem } from '../../platform/kit/problem.ts'

type Items = Pick<BodyLimits, 'items'>

/**
 * Steps between pauses: a millisecond at most. Each token, each quote examined, and each
 * `CHARACTERS_A_STEP` characters count as a step.
 */
const STEPS_AT_ONCE = 2_000
const CHARACTERS_A_STEP = 100
/** Characters of a string with escapes that `JSON.parse` reads in one go. */
const ESCAPED_AT_ONCE = 256 * 1024
const BACKSLASHES_AT_ONCE = 256 * 1024

/**
 * Parses JSON in UTF-8; undefined for an empty body. Throws `body_malformed` for invalid JSON, for
 * a name repeated in an object and for too many levels. Throws `body_too_large` at the first key or
 * array item beyond `items`, without parsing the rest. Yields to other requests while parsing long
 * texts.
 */
export async function readJson(bytes: Buffer, { items }: Items): Promise<unknown> {
  if (bytes.length === 0) return undefined
  const reader = new Reader(await decode(bytes), items)
  while (!reader.read(STEPS_AT_ONCE)) await yieldThread()
  return reader.value
}

/** Bytes that are decoded in one go: a millisecond at most. */
const DECODED_AT_ONCE = 256 * 1024

async function decode(bytes: Buffer): Promise<string> {
  // Most bodies, and all base64 files, are ASCII, which is copied in a fraction of the time.
  if (isAscii(bytes)) return bytes.toString('latin1')
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const stream = bytes.length > DECODED_AT_ONCE
  const pieces: string[] = []
  try {
    for (let from = 0; from < bytes.length; from += DECODED_AT_ONCE) {
      if (from > 0) await yieldThread()
      pieces.push(decoder.decode(bytes.subarray(from, from + DECODED_AT_ONCE), { stream }))
    }
    if (stream) pieces.push(decoder.decode())
  } catch {
    throw malformed('is not UTF-8')
  }
  return pieces.length === 1 ? pieces[0]! : pieces.join('')
}

function malformed(reason: string): ProblemError {
  const invalid_params = [{ name: 'body', reason }]
  return problem('body_malformed', `The body ${reason}.`, { invalid_params })
}

/** Matches a token: a bracket, colon, comma or quote, a number, or a word. */
const TOKEN = /([{}[\]:,"])|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)|(true|false|null)/y
/** Matches backslashes and control characters. `JSON.parse` reads the strings that contain any. */
const ESCAPE_OR_CONTROL = /[\\\p{Cc}]/u
/** Longer strings are read in steps. */
const PLAIN_LENGTH_MAX = 200
const NAME_SHOWN_MAX = 100
/** Names per object: far more than any operation has, and few enough to check quickly. */
const NAMES_MAX = 10_000
const WORDS: Record<string, unknown> = { true: true, false: false, null: null }

type Open =
  | { readonly array: unknown[] }
  | { readonly object: Record<string, unknown>; name: string | null; names: number }

/** A string being parsed in several steps: first to find its end, then to read its escapes. */
interface OpenString {
  readonly start: number
  /** A quote that may close the string, and the first of the backslashes counted before it. */
  quote: { readonly at: number; first: number } | null
  end: number | null
  /** The position searched or read up to. */
  at: number
  is_plain: boolean
  readonly pieces: string[]
}

/**
 * Parses a text in one pass to the value that JSON.parse would return. Counts keys and array items
 * as it goes, so it stops at the first one beyond `items_max`.
 */
class Reader {
  value: unknown
  readonly #text: string
  readonly #items_max: number
  #at = 0
  #items = 0
  readonly #open: Open[] = []
  #string: OpenString | null = null
  #steps = 0
  #expected: 'value' | 'value or ]' | 'name' | 'name or }' | ':' | ', or end' | 'end' = 'value'

  constructor(text: string, items_max: number) {
    this.#text = text
    this.#items_max = items_max
  }

  read(steps: number): boolean {
    for (this.#steps = steps; this.#steps > 0; this.#steps--) {
      if (this.#string) this.#readString(this.#string)
      else if (!this.#skipSpace()) continue
      else if (this.#expected === 'end') return this.#end()
      else this.#next()
    }
    return false
  }

  #end(): true {
    if (this.#at < this.#text.length) throw this.#unexpected(this.#at)
    return true
  }

  /** False when there may be more whitespace to skip. */
  #skipSpace(): boolean {
    const to = this.#at + STEPS_AT_ONCE
    while (this.#at < to && ' \t\n\r'.includes(this.#text[this.#at] ?? 'x')) this.#at++
    const is_over = this.#at < to
    if (!is_over) this.#steps = 0
    return is_over
  }

  #next(): void {
    TOKEN.lastIndex = this.#at
    const found = TOKEN.exec(this.#text)
    if (!found) throw this.#unexpected(this.#at)
    this.#at = TOKEN.lastIndex
    const [, mark, number, word] = found
    if (number !== undefined) this.#take(Number(number))
    else if (word !== undefined) this.#take(WORDS[word])
    else if (mark === '"') this.#beginString(this.#at - 1)
    else if (mark === '{') this.#begin({ object: {}, name: null, names: 0 }, 'name or }')
    else if (mark === '[') this.#begin({ array: [] }, 'value or ]')
    else if (mark === '}' || mark === ']') this.#close(mark)
    else this.#separate(mark!)
  }

  /** Reads a short string without escapes at once. Other strings are read in steps. */
  #beginString(start: number): void {
    const end = this.#text.indexOf('"', start + 1)
    if (end >= 0 && end - start < PLAIN_LENGTH_MAX) {
      const plain = this.#text.slice(start + 1, end)
      if (!ESCAPE_OR_CONTROL.test(plain)) {
        this.#at = end + 1
        this.#takeString(plain)
        return
      }
    }
    this.#string = { start, quote: null, end: null, at: start + 1, is_plain: true, pieces: [] }
  }

  /** Finds the end first, one quote per step, then reads the content, one piece per step. */
  #readString(string: OpenString): void {
    if (string.end === null) {
      this.#findEnd(string)
      return
    }
    const to = this.#pieceEnd(string.at, string.end)
    this.#spend(to - string.at)
    const piece = this.#text.slice(string.at, to)
    const is_plain = !ESCAPE_OR_CONTROL.test(piece)
    string.is_plain &&= is_plain
    string.pieces.push(is_plain ? piece : this.#unescaped(piece, string.start))
    string.at = to
    if (to < string.end) return
    this.#string = null
    this.#at = string.end + 1
    // Reuses the original text, so that a base64 file is not copied.
    const plain = string.is_plain && this.#text.slice(string.start + 1, string.end)
    this.#takeString(plain === false ? string.pieces.join('') : plain)
  }

  #unescaped(piece: string, start: number): string {
    try {
      return JSON.parse(`"${piece}"`) as string
    } catch {
      throw this.#unexpected(start)
    }
  }

  /** A quote after an odd number of backslashes, possibly very many, belongs to the string. */
  #findEnd(string: OpenString): void {
    if (!string.quote) {
      const at = this.#text.indexOf('"', string.at)
      if (at < 0) throw this.#unexpected(this.#text.length)
      this.#spend(at - string.at)
      string.quote = { at, first: at }
    }
    const { quote } = string
    const after = Math.max(string.start, quote.first - BACKSLASHES_AT_ONCE)
    const counted = backslashesBefore(this.#text, quote.first, after)
    this.#spend(counted)
    quote.first -= counted
    if (counted > 0 && quote.first === after + 1 && after > string.start) return
    string.quote = null
    if ((quote.at - quote.first) % 2 === 0) {
      string.end = quote.at
      string.at = string.start + 1
    } else string.at = quote.at + 1
  }

  /** The end of the piece that starts at `from`; never inside an escape. */
  #pieceEnd(from: number, end: number): number {
    const cut = from + ESCAPED_AT_ONCE
    if (cut >= end) return end
    // A piece must not end after an escaping backslash or inside \uXXXX.
    for (let at = cut; at > cut - 6; at--) {
      if (this.#text[at - 1] !== '\\') continue
      const is_escape = backslashesBefore(this.#text, at, from - 1) % 2 === 1
      const length = this.#text[at] === 'u' ? 5 : 1
      return is_escape && at + length > cut ? Math.min(at + length, end) : cut
    }
    return cut
  }

  #spend(characters: number): void {
    this.#steps -= Math.floor(characters / CHARACTERS_A_STEP)
  }

  #takeString(text: string): void {
    if (!this.#expected.startsWith('name')) {
      this.#take(text)
      return
    }
    const inner = this.#open.at(-1) as { object: object; name: string | null; names: number }
    if (Object.hasOwn(inner.object, text)) {
      const shown = JSON.stringify(text.slice(0, NAME_SHOWN_MAX).toWellFormed())
      throw malformed(`has a name that occurs twice in one object: ${shown}`)
    }
    this.#count()
    inner.names++
    if (inner.names > NAMES_MAX) throw tooMany(NAMES_MAX, 'keys in one object')
    inner.name = text
    this.#expected = ':'
  }

  #begin(container: Open, expected: 'name or }' | 'value or ]'): void {
    this.#expectValue()
    this.#open.push(container)
    if (this.#open.length > BODY_DEPTH_MAX) {
      throw malformed(`has more than ${BODY_DEPTH_MAX} levels`)
    }
    this.#expected = expected
  }

  #close(mark: string): void {
    const inner = this.#open.at(-1)
    const ends = this.#expected === ', or end' || this.#expected.endsWith(`or ${mark}`)
    const fits = inner && (mark === ']') === 'array' in inner
    if (!ends || !fits) throw this.#unexpected(this.#at - 1)
    this.#open.pop()
    this.#put('array' in inner ? inner.array : inner.object)
  }

  #separate(mark: string): void {
    const inner = this.#open.at(-1)
    if (mark === ':' && this.#expected === ':') this.#expected = 'value'
    else if (mark === ',' && this.#expected === ', or end' && inner) {
      this.#expected = 'array' in inner ? 'value' : 'name'
    } else throw this.#unexpected(this.#at - 1)
  }

  #take(value: unknown): void {
    this.#expectValue()
    this.#put(value)
  }

  #expectValue(): void {
    if (!this.#expected.startsWith('value')) throw this.#unexpected(this.#at - 1)
    const inner = this.#open.at(-1)
    if (inner && 'array' in inner) this.#count()
  }

  #put(value: unknown): void {
    const inner = this.#open.at(-1)
    this.#expected = inner ? ', or end' : 'end'
    if (!inner) this.value = value
    else if ('array' in inner) inner.array.push(value)
    else if (inner.name !== '__proto__') inner.object[inner.name!] = value
    else {
      const own = { value, enumerable: true, writable: true, configurable: true }
      Object.defineProperty(inner.object, inner.name, own)
    }
  }

  #count(): void {
    this.#items++
    if (this.#items <= this.#items_max) return
    throw tooMany(this.#items_max, 'keys and array items')
  }

  #unexpected(at: number): ProblemError {
    const what = at < this.#text.length ? JSON.stringify(this.#text[at]) : 'its end'
    return malformed(`is not JSON: ${what} is not expected at position ${at}`)
  }
}

function tooMany(most: number, of_what: string): ProblemError {
  const limit = `${most.toLocaleString('en')} ${of_what}`
  return problem('body_too_large', `The body has more than ${limit}: send less at once.`)
}

const BACKSLASH = 0x5c

/** The number of consecutive backslashes before `place`, ignoring any up to `after`. */
function backslashesBefore(text: string, place: number, after: number): number {
  let first = place
  while (first - 1 > after && text.charCodeAt(first - 1) === BACKSLASH) first--
  return place - first
}
