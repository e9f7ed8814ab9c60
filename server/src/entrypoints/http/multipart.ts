/** Parses form bodies: text fields and at most one file. */
import { Bytes } from '../../platform/kit/bytes.ts'
import {
  type InvalidParam,
  invalid,
  type ProblemError,
  problem,
} from '../../platform/kit/problem.ts'

const PARTS_MAX = 20
const HEAD_BYTES_MAX = 8 * 1024
const FIELD_BYTES_MAX = 64 * 1024
const HEAD_END = Buffer.from('\r\n\r\n')

/** The fields of a form without files. Throws `request_invalid` if names repeat or are too many. */
export function readFields(bytes: Buffer): Record<string, string> {
  const text = bytes.toString('utf8')
  if (text.split('&', PARTS_MAX + 1).length > PARTS_MAX) throw invalid(TOO_MANY)
  const pairs = [...new URLSearchParams(text)]
  const fields = new Map(pairs)
  if (fields.size < pairs.length) {
    const twice = pairs.find(([name], at) => pairs.findIndex(([other]) => other === name) < at)!
    throw invalid({ name: twice[0], reason: 'is there more than once' })
  }
  return Object.fromEntries(fields)
}

const TOO_MANY = { name: 'body', reason: `has over ${PARTS_MAX} parts` }

interface Part {
  readonly name: string
  readonly filename: string | null
  readonly bytes: Bytes
}

/**
 * Parses a multipart form chunk by chunk, so that only its parts are held in memory. A file becomes
 * the field `file`, whatever its name in the form, with base64 content.
 */
export class FormReader {
  readonly #delimiter: Buffer
  /** Bytes that may be part of a delimiter or of a part's headers. */
  #rest: Buffer = Buffer.from('\r\n')
  #state: 'preamble' | 'head' | 'content' | 'end' = 'preamble'
  #part: Part | null = null
  #count = 0
  readonly #fields = new Map<string, unknown>()
  readonly #faults: InvalidParam[] = []

  /** Throws `body_malformed` for a content type without a boundary. */
  constructor(content_type: string) {
    const found = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i.exec(content_type)
    const boundary = found?.[1] ?? found?.[2]
    if (!boundary) throw noForm()
    this.#delimiter = Buffer.from(`\r\n--${boundary}`)
  }

  /** Throws `body_malformed` or `request_invalid` for a form that need not be read further. */
  push(piece: Buffer): void {
    if (this.#state === 'end') return
    this.#rest = this.#rest.length > 0 ? Buffer.concat([this.#rest, piece]) : piece
    while (this.#step());
  }

  /**
   * The fields. Throws `request_invalid` for repeated names, and `body_malformed` for an incomplete
   * form.
   */
  end(): Record<string, unknown> {
    if (this.#state !== 'end') throw noForm()
    if (this.#faults.length > 0) throw invalid(this.#faults)
    return Object.fromEntries(this.#fields)
  }

  /** True while the bytes received may contain more to parse. */
  #step(): boolean {
    if (this.#state === 'head') return this.#readHead()
    if (this.#state === 'end') return false
    const found = this.#rest.indexOf(this.#delimiter)
    const after = found + this.#delimiter.length
    // The two bytes after a delimiter show whether it is the last one.
    if (found >= 0 && this.#rest.length < after + 2) return false
    const content = found >= 0 ? found : Math.max(0, this.#rest.length - this.#delimiter.length)
    this.#keep(this.#rest.subarray(0, content))
    if (found < 0) {
      this.#rest = this.#rest.subarray(content)
      return false
    }
    this.#finishPart()
    const next = this.#rest.toString('latin1', after, after + 2)
    if (next !== '--' && next !== '\r\n') throw noForm()
    this.#state = next === '--' ? 'end' : 'head'
    // Keeps the line break, so that a part without headers is recognized.
    this.#rest = this.#rest.subarray(after)
    return true
  }

  #readHead(): boolean {
    const end = this.#rest.indexOf(HEAD_END)
    if (end > HEAD_BYTES_MAX || (end < 0 && this.#rest.length > HEAD_BYTES_MAX)) throw noForm()
    if (end < 0) return false
    this.#part = partOf(this.#rest.toString('utf8', 0, end))
    this.#count++
    if (this.#count > PARTS_MAX) throw invalid(TOO_MANY)
    // The last header's line break may be part of the delimiter after an empty part.
    this.#rest = this.#rest.subarray(end + 2)
    this.#state = 'content'
    return true
  }

  #keep(content: Buffer): void {
    const part = this.#part
    if (!part || content.length === 0) return
    const length = part.bytes.length + content.length
    if (part.filename === null && length > FIELD_BYTES_MAX + 2) {
      throw invalid({ name: part.name, reason: `is longer than ${FIELD_BYTES_MAX} bytes` })
    }
    part.bytes.push(content)
  }

  #finishPart(): void {
    const part = this.#part
    this.#part = null
    if (!part) return
    const { filename } = part
    const name = filename === null ? part.name : 'file'
    if (this.#fields.has(name)) {
      this.#faults.push({ name, reason: 'is there more than once' })
      return
    }
    // The first two bytes end the headers.
    const content = part.bytes.all().subarray(2)
    const text = () => content.toString('utf8')
    const file = () => ({ filename, content: content.toString('base64') })
    this.#fields.set(name, filename === null ? text() : file())
  }
}

function partOf(head: string): Part {
  const disposition = /^content-disposition:\s*form-data\s*;(.*)$/im.exec(head)?.[1]
  const parameter = (name: string) =>
    new RegExp(`(?:^|;)\\s*${name}="((?:[^"\\\\]|\\\\.)*)"`, 'i').exec(disposition ?? '')?.[1]
  const name = parameter('name')
  if (name === undefined) throw noForm()
  const filename = parameter('filename')
  return {
    name: unescaped(name),
    bytes: new Bytes(),
    filename: filename === undefined ? null : unescaped(filename),
  }
}

/** Decodes quotes and line breaks as browsers encode them in names (HTML, multipart form data). */
function unescaped(text: string): string {
  return text.replaceAll(/%(22|0D|0A)/gi, (_, code) => String.fromCharCode(parseInt(code, 16)))
}

function noForm(): ProblemError {
  const reason = 'is not multipart/form-data'
  const invalid_params = [{ name: 'body', reason }]
  return problem('body_malformed', `The body ${reason}.`, { invalid_params })
}
