/**
 * Keeps long parts of an answer from the MCP library, which would copy, check and serialize them in
 * one go while all other requests wait. The library gets placeholders instead.
 */
import { randomUUID } from 'node:crypto'
import { yieldThread } from '../../platform/kit/pauses.ts'

/** Bytes processed in one go: a fraction of a millisecond. A multiple of three, for base64. */
const AT_ONCE = 192 * 1024
const QUOTE = Buffer.from('"')

/** The key in a placeholder that replaces an object. */
const OBJECT = 'inserted'

export class Inserted {
  /** Each part's JSON, and its placeholder as serialized. Placeholders are never sent. */
  readonly #parts: { readonly mark: Buffer; readonly json: readonly Buffer[] }[] = []

  /** Returns the placeholder for a value of any type. */
  json(...json: readonly Buffer[]): string {
    const mark = randomUUID()
    this.#parts.push({ mark: Buffer.from(JSON.stringify(mark)), json })
    return mark
  }

  /** Returns the placeholder for an object, where the library accepts nothing else. */
  object(json: Buffer): Record<string, unknown> {
    const held = { [OBJECT]: randomUUID() }
    this.#parts.push({ mark: Buffer.from(JSON.stringify(held)), json: [json] })
    return held
  }

  /** Returns the placeholder for a text, given in UTF-8. */
  async text(bytes: Buffer): Promise<string> {
    return this.json(QUOTE, ...(await inPieces(bytes, escaped)), QUOTE)
  }

  /** Returns the placeholder for bytes in base64. */
  async base64(bytes: Buffer): Promise<string> {
    const encoded = (piece: Buffer) => Buffer.from(piece.toString('base64'), 'latin1')
    return this.json(QUOTE, ...(await inPieces(bytes, encoded)), QUOTE)
  }

  into(answer: Buffer): Buffer {
    const places = this.#parts
      .map(({ mark, json }) => ({ at: answer.indexOf(mark), mark, json }))
      .filter(({ at }) => at >= 0)
      .sort((a, b) => a.at - b.at)
    const pieces: Buffer[] = []
    let from = 0
    for (const { at, mark, json } of places) {
      pieces.push(answer.subarray(from, at), ...json)
      from = at + mark.length
    }
    return Buffer.concat([...pieces, answer.subarray(from)])
  }
}

/**
 * Escapes bytes for a JSON string. Every character that needs escaping is a single byte in UTF-8,
 * so the input may be cut anywhere.
 */
function escaped(bytes: Buffer): Buffer {
  return Buffer.from(JSON.stringify(bytes.toString('latin1')).slice(1, -1), 'latin1')
}

async function inPieces(bytes: Buffer, write: (piece: Buffer) => Buffer): Promise<Buffer[]> {
  const pieces: Buffer[] = []
  for (let from = 0; from < bytes.length; from += AT_ONCE) {
    if (from > 0) await yieldThread()
    pieces.push(write(bytes.subarray(from, from + AT_ONCE)))
  }
  return pieces
}
