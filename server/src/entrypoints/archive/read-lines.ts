/** Splits a streamed archive into its JSON lines and the rows between them. */
import { createHash } from 'node:crypto'

/** Headers, our longest lines, list every column but stay far below this. */
const LINE_BYTES_MAX = 1_000_000
const LINE_END = 10
const ROWS_END = Buffer.from('\\.\n')

export interface Lines {
  /** The next line as JSON. Throws if it is not JSON or the archive has ended. */
  json(): Promise<unknown>
  /** Chunks of rows up to the line that ends them, which is consumed but not returned. */
  rows(): AsyncGenerator<Buffer>
  sha256(): string
  atEnd(): Promise<boolean>
}

/** Reads `source`, holding only the chunks of the current line, or one chunk of rows, in memory. */
export function linesOf(source: AsyncIterable<Buffer>): Lines {
  const pieces = source[Symbol.asyncIterator]()
  const hash = createHash('sha256')
  let rest: Buffer = Buffer.alloc(0)

  async function more(): Promise<boolean> {
    const next = await pieces.next()
    if (next.done) return false
    rest = rest.length === 0 ? next.value : Buffer.concat([rest, next.value])
    return true
  }

  async function needMore(): Promise<void> {
    if (!(await more())) throw new Error('it ends too early')
  }

  function take(bytes: number): Buffer {
    const taken = rest.subarray(0, bytes)
    rest = rest.subarray(bytes)
    hash.update(taken)
    return taken
  }

  async function json(): Promise<unknown> {
    let end = rest.indexOf(LINE_END)
    while (end < 0) {
      if (rest.length > LINE_BYTES_MAX) throw new Error('a line is too long')
      await needMore()
      end = rest.indexOf(LINE_END)
    }
    const line = take(end + 1).toString()
    try {
      return JSON.parse(line)
    } catch {
      throw new Error('a line is not JSON')
    }
  }

  async function* rows(): AsyncGenerator<Buffer> {
    // Whether we are at the start of a row; a chunk may end in the middle of one.
    let atStart = true
    for (;;) {
      while (rest.length < ROWS_END.length) await needMore()
      if (atStart && rest.subarray(0, ROWS_END.length).equals(ROWS_END)) {
        take(ROWS_END.length)
        return
      }
      const end = rest.indexOf('\n\\.\n')
      // Bytes that may be the start of the end line stay in the buffer.
      const bytes = end >= 0 ? end + 1 : Math.max(1, rest.length - ROWS_END.length)
      const piece = take(bytes)
      atStart = piece.at(-1) === LINE_END
      yield piece
    }
  }

  return {
    json,
    rows,
    sha256: () => hash.copy().digest('hex'),
    atEnd: async () => {
      while (rest.length === 0) if (!(await more())) return true
      return false
    },
  }
}
