/** Splits a streamed archive into lines and rows, wherever its chunks end. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { countRows } from '../../src/entrypoints/archive/format.ts'
import { linesOf } from '../../src/entrypoints/archive/read-lines.ts'
import { sha256 } from '../../src/platform/kit/crypto.ts'

/** The text's bytes in chunks of the given sizes, which are used in turn. */
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

/** Valid COPY output: a backslash is always followed by an escaped character. */
const row = fc
  .array(fc.constantFrom('a', 'é', '\t', '\\\\', '\\N', '.', '\\\\.', '{}', '\\n'), {
    maxLength: 8,
  })
  .map(parts => parts.join(''))
const rows = fc.array(row, { maxLength: 6 }).map(list => list.map(text => `${text}\n`).join(''))

test('lines and rows are unchanged, whatever the chunks', async () => {
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

test('rows are counted by their line ends', () => {
  fc.assert(
    fc.property(rows, text => {
      expect(countRows(Buffer.from(text))).toBe(text.split('\n').length - 1)
    }),
  )
})

test.each([
  ['an unterminated line', '{"a":1}'],
  ['a line without JSON', 'a\n'],
  ['nothing', ''],
])('%s is not a line', async (_, text) => {
  await expect(linesOf(cut(text, [3])).json()).rejects.toThrow()
})

test('unterminated rows and endless lines are rejected', async () => {
  await expect(all(linesOf(cut('a\nb\n', [2])).rows())).rejects.toThrow('too early')
  async function* endless(): AsyncGenerator<Buffer> {
    for (;;) yield Buffer.alloc(100_000, 'x')
  }
  await expect(linesOf(endless()).json()).rejects.toThrow('too long')
})
