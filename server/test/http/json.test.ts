/** Bodies: what is JSON for us, and what is refused before any schema looks at it. */
import { describe, expect, it } from 'vitest'
import { readJson } from '../../src/http/json.ts'

const read = (text: string) => readJson(Buffer.from(text))
const code = (bytes: Buffer | string) => {
  try {
    readJson(Buffer.from(bytes as string))
    return 'accepted'
  } catch (error) {
    return (error as { code: string }).code
  }
}
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)

describe('readJson', () => {
  it('reads what JSON.parse reads', () => {
    for (const text of [
      '{"a":[1,2.5,-3e2,true,null,"x"],"b":{"a":{}},"":[]}',
      ' { "a" : [ { "a" : 1 } , { "a" : 2 } ] } ',
      '{"quote \\" and backslash \\\\":"\\\\","b":"{\\"a\\":1,\\"a\\":2}"}',
      '"é\\u00e9\\ud83d\\ude00"',
      'null',
    ]) {
      expect(read(text)).toEqual(JSON.parse(text))
    }
  })

  it('takes no bytes for no body, and leaves a byte order mark out', () => {
    expect(readJson(Buffer.alloc(0))).toBeUndefined()
    expect(readJson(Buffer.from('\ufeff{"a":1}'))).toEqual({ a: 1 })
  })

  it.each(['{', '{"a":1,}', "{'a':1}", '<a/>', 'NaN', '{"a":01}', '{"a":1}{"b":2}', ' '])(
    'refuses %j',
    text => {
      expect(code(text)).toBe('body_malformed')
    },
  )

  it('refuses bytes that are not UTF-8', () => {
    expect(code(Buffer.from('{"a":"é"}', 'latin1'))).toBe('body_malformed')
    expect(code(Buffer.from('{"a":1}', 'utf16le'))).toBe('body_malformed')
  })

  it('refuses a name that occurs twice, however it is written, at any depth', () => {
    for (const text of [
      '{"a":1,"a":1}',
      '{"a":1,"b":[{"c":{}}],"a":2}',
      '{"b":[{"a":1,"\\u0061":2}]}',
      '{"":1,"":2}',
      '{"__proto__":1,"__proto__":2}',
    ]) {
      expect(() => read(text)).toThrow('occurs twice')
    }
  })

  it('goes 32 levels deep and no deeper, however deep it is sent', () => {
    expect(read(nested(32))).toBeInstanceOf(Array)
    expect(() => read(nested(33))).toThrow('32 levels')
    expect(() => read(nested(1_000_000))).toThrow('32 levels')
  })

  it('takes a long body in time that grows with its length only', () => {
    const long = JSON.stringify({
      content: '\\"'.repeat(1_000_000),
      list: Array(100_000).fill({ a: 1 }),
    })
    expect(JSON.stringify(read(long))).toBe(long)
  })
})
