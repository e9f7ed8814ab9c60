/** An archive taken apart while it streams by, however the stream is cut. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { countRows } from '../../src/doors/archive/format.ts'
import { linesOf } from '../../src/doors/archive/read-lines.ts'
import { sha256 } from '../../src/platform/kit/crypto.ts'

/** The same bytes in pieces of the given sizes, over and over. */
async function* cut(text: string, sizes: number[]): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text)
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const size = sizes[turn % sizes.length]!
    yield bytes.subarray(at, at + size)
    at += size
  }
}

async function all(rows: AsyncGenerator<Buffer>): Promise<string> {
  const pieces: Buffer[] = []
  for await (const piece of rows) pieces.push(piece)
  return Buffer.concat(pieces).toString()
}

/** What COPY may write: a backslash is always followed by another character of its own. */
const row = fc
  .array(fc.constantFrom('a', 'é', '\t', '\\\\', '\\N', '.', '\\\\.', '{}', '\\n'), {
    maxLength: 8,
  })
  .map(parts => parts.join(''))
const rows = fc.array(row, { maxLength: 6 }).map(list => list.map(text => `${text}\n`).join(''))

test('lines and rows come out as they went in, whatever the pieces', async () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 4 })
  await fc.assert(
    fc.asyncProperty(rows, rows, sizes, async (first, second, sizes) => {
      const text = `{"a":1}\n${first}\\.\n{"b":2}\n${second}\\.\n{"c":3}\n`
      const lines = linesOf(cut(text, sizes))
      expect(await lines.json()).toEqual({ a: 1 })
      expect(await all(lines.rows())).toBe(first)
      expect(await lines.json()).toEqual({ b: 2 })
      expect(await all(lines.rows())).toBe(second)
      const before = lines.sha256()
      expect(await lines.json()).toEqual({ c: 3 })
      expect(await lines.atEnd()).toBe(true)
      expect(before).toBe(sha256(text.slice(0, -'{"c":3}\n'.length)))
      expect(lines.sha256()).toBe(sha256(text))
    }),
    { numRuns: 300 },
  )
})

test('rows are counted by their ends', () => {
  fc.assert(
    fc.property(rows, text => {
      expect(countRows(Buffer.from(text))).toBe(text.split('\n').length - 1)
    }),
  )
})

test.each([
  ['a line without its end', '{"a":1}'],
  ['no JSON', 'a\n'],
  ['nothing', ''],
])('%s is no line', async (_, text) => {
  await expect(linesOf(cut(text, [3])).json()).rejects.toThrow()
})

test('rows without their end are refused, and so is a line that never ends', async () => {
  await expect(all(linesOf(cut('a\nb\n', [2])).rows())).rejects.toThrow('too early')
  async function* endless(): AsyncGenerator<Buffer> {
    for (;;) yield Buffer.alloc(100_000, 'x')
  }
  await expect(linesOf(endless()).json()).rejects.toThrow('too long')
})
