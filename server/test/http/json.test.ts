/** JSON bodies: what is accepted, and what is rejected before schema validation. */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readJson } from '../../src/entrypoints/http/json.ts'
import { ProblemError } from '../../src/platform/kit/problem.ts'

const limits = { items: 10_000 }
const read = (text: string) => readJson(Buffer.from(text), limits)
const code = async (bytes: Buffer | string) => {
  try {
    await readJson(Buffer.from(bytes as string), limits)
    return 'accepted'
  } catch (error) {
    return (error as { code: string }).code
  }
}
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)

describe('readJson', () => {
  it('reads what JSON.parse reads', async () => {
    for (const text of [
      '{"a":[1,2.5,-3e2,true,null,"x"],"b":{"a":{}},"":[]}',
      ' { "a" : [ { "a" : 1 } , { "a" : 2 } ] } ',
      '{"quote \\" and backslash \\\\":"\\\\","b":"{\\"a\\":1,\\"a\\":2}"}',
      '"é\\u00e9\\ud83d\\ude00"',
      'null',
    ]) {
      expect(await read(text)).toEqual(JSON.parse(text))
    }
  })

  it('parses any text like JSON.parse: the same value or an error', async () => {
    const value = fc.json({ maxDepth: 4 })
    const cut = fc.tuple(value, fc.nat(), fc.nat({ max: 3 }), fc.string({ maxLength: 3 }))
    const damaged = cut.map(([text, at, drop, more]) => {
      const place = at % (text.length + 1)
      return text.slice(0, place) + more + text.slice(place + drop)
    })
    await fc.assert(
      fc.asyncProperty(fc.oneof(value, damaged), async text => {
        fc.pre(text !== '')
        const meant = outcome(() => JSON.parse(text))
        const found = await read(text).then(JSON.stringify, error => error as ProblemError)
        // JSON.parse accepts duplicate names, but `readJson` does not.
        if (found instanceof ProblemError && found.message.includes('occurs twice')) return
        expect(found instanceof ProblemError ? found.code : found).toEqual(meant)
      }),
      { numRuns: 3_000 },
    )
  })

  it('treats __proto__ as an ordinary field', async () => {
    const made = (await read('{"__proto__":{"admin":true}}')) as object
    expect(Object.keys(made)).toEqual(['__proto__'])
    expect(Object.getPrototypeOf(made)).toBe(Object.prototype)
  })

  it('treats zero bytes as no body, and ignores a byte order mark', async () => {
    expect(await read('')).toBeUndefined()
    expect(await read('\ufeff{"a":1}')).toEqual({ a: 1 })
  })

  it.each(['{', '{"a":1,}', "{'a':1}", '<a/>', 'NaN', '{"a":01}', '{"a":1}{"b":2}', ' '])(
    'rejects %j',
    async text => {
      expect(await code(text)).toBe('body_malformed')
    },
  )

  it('rejects bytes that are not UTF-8', async () => {
    expect(await code(Buffer.from('{"a":"é"}', 'latin1'))).toBe('body_malformed')
    expect(await code(Buffer.from('{"a":1}', 'utf16le'))).toBe('body_malformed')
  })

  it('rejects a duplicate name at any depth, however it is escaped', async () => {
    for (const text of [
      '{"a":1,"a":1}',
      '{"a":1,"b":[{"c":{}}],"a":2}',
      '{"b":[{"a":1,"\\u0061":2}]}',
      '{"":1,"":2}',
      '{"__proto__":1,"__proto__":2}',
    ]) {
      await expect(read(text)).rejects.toThrow('occurs twice')
    }
  })

  it('allows 32 levels and no more, however deep the input is', async () => {
    expect(await read(nested(32))).toBeInstanceOf(Array)
    await expect(read(nested(33))).rejects.toThrow('32 levels')
    await expect(read(nested(1_000_000))).rejects.toThrow('32 levels')
  })

  it('counts keys and items at all depths, and stops at the first above the limit', async () => {
    const keys = Array.from({ length: 5_000 }, (_, n) => [`k${n}`, [n]])
    const most = JSON.stringify(Object.fromEntries(keys))
    expect(Object.keys((await read(most)) as object).length).toBe(5_000)
    expect(await code(`{"x":1,${most.slice(1)}`)).toBe('body_too_large')
    expect(await code(`[${'1,'.repeat(10_000)}1]`)).toBe('body_too_large')
    // Nothing after the first item over the limit is read, so invalid JSON there goes unnoticed.
    expect(await code(`[${'1,'.repeat(10_000)}1,?`)).toBe('body_too_large')
  })

  it('parses a long body in turns', async () => {
    const delay = monitorEventLoopDelay({ resolution: 5 })
    const rows = Array(100_000).fill({ a: 1, b: [] })
    const texts = [
      JSON.stringify({ content: '\\"'.repeat(1_000_000), rows }),
      JSON.stringify('x'.repeat(14_000_000)),
      `[${' '.repeat(8_000_000)}]`,
      '1'.repeat(1_000_000),
    ]
    for (const text of texts) {
      const bytes = Buffer.from(text)
      // Other processes may slow down some attempts, so the fastest one counts.
      let longest = Number.POSITIVE_INFINITY
      for (let attempt = 0; attempt < 5 && longest > 100; attempt++) {
        delay.reset()
        delay.enable()
        const value = await readJson(bytes, { items: 500_000 })
        delay.disable()
        longest = Math.min(longest, delay.max / 1e6)
        expect(JSON.stringify(value)).toBe(JSON.stringify(JSON.parse(text)))
      }
      expect(longest).toBeLessThan(100)
    }
  })
})

function outcome(work: () => unknown): string {
  try {
    return JSON.stringify(work())
  } catch {
    return 'body_malformed'
  }
}
