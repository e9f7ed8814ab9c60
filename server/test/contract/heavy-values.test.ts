/**
 * Schemas refuse a text of several megabytes, or a record of thousands of names, before they read
 * all of it, because validation does not yield to other requests.
 */
import { Base64, bodyLimitsOf, Metadata, type Operation, operations } from '@headroom/contract'
import { describe, expect, it, test } from 'vitest'
import { z } from 'zod'
import { readLongInput } from '../../src/platform/kit/long-input.ts'

/** Below the limit of 50 ms for a turn. */
const CPU_MS_MAX = 30
const ATTEMPTS = 5
const LENGTH = 4_000_000

/** Starts of texts that a regular expression reads to the end, or backtracks through entirely. */
const STARTS = ['€é', 'a', 'a.', '0', 'a@', '\u0001', 'https://a.', '2026-01-01T00:00:00.1']

function textsOf(length: number): string[] {
  const texts = STARTS.map(start => start + start.at(-1)!.repeat(length))
  texts.push('€é'.repeat(length / 2), 'a.'.repeat(length / 2))
  // Flat strings, as the JSON reader makes them, instead of repeated or joined ones.
  return texts.map(text => Buffer.from(text).toString())
}

const flat = textsOf(LENGTH)
/** As long as the largest body that most operations accept. */
const shorter = textsOf(1024 * 1024)

const bodies = (Object.entries(operations) as [string, Operation][]).flatMap(([id, operation]) =>
  [operation.body, operation.body_2023].flatMap(schema =>
    schema ? [{ id, schema, bytes: bodyLimitsOf(operation).bytes }] : [],
  ),
)

/** Every schema in a body that is neither an object nor a list, with its path. */
function leavesOf(schema: z.ZodType, at: string): { at: string; leaf: z.ZodType }[] {
  if (schema instanceof z.ZodObject) {
    return Object.entries(schema.shape as z.ZodRawShape).flatMap(([name, field]) =>
      leavesOf(field as z.ZodType, `${at}.${name}`),
    )
  }
  if (schema instanceof z.ZodArray) return leavesOf(schema.element as z.ZodType, `${at}.0`)
  const wrapped =
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault
  return wrapped ? leavesOf(schema.unwrap() as z.ZodType, at) : [{ at, leaf: schema }]
}

/** Milliseconds of CPU time of the fastest attempt, the least affected by other programs. */
function cpuMs(work: () => unknown): number {
  let least = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < ATTEMPTS && least > CPU_MS_MAX; attempt++) {
    const before = process.threadCpuUsage()
    work()
    const { user, system } = process.threadCpuUsage(before)
    least = Math.min(least, (user + system) / 1000)
  }
  return least
}

test('no field takes long to refuse a text as long as its body may be', () => {
  const leaves = new Map<z.ZodType, { at: string; bytes: number }>()
  for (const { id, schema, bytes } of bodies) {
    for (const { at, leaf } of leavesOf(schema, id)) {
      if (bytes >= (leaves.get(leaf)?.bytes ?? 0)) leaves.set(leaf, { at, bytes })
    }
  }
  leaves.delete(Base64)
  expect(leaves.size).toBeGreaterThan(200)
  const slow = [...leaves].flatMap(([leaf, { at, bytes }]) =>
    (bytes > LENGTH ? flat : shorter).flatMap((text, index) => {
      const ms = cpuMs(() => leaf.safeParse(text))
      return ms > CPU_MS_MAX ? [`${at}: ${ms.toFixed(1)} ms for text ${index}`] : []
    }),
  )
  expect(slow).toEqual([])
})

const many = (count: number, name: (n: number) => string, value: unknown = 1) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [name(n), value]))

/**
 * The heaviest values that a body of at most 10,000 keys and 16 MB can have in a field for a
 * partner's own data.
 */
const HEAVY: Record<string, [unknown, string]> = {
  'many names': [many(9_900, n => `k${n}`), 'has more than 50 keys'],
  'many invalid names': [many(9_900, n => `\u0001${n}`), 'has more than 50 keys'],
  'many long names': [many(9_900, n => `${n}`.padEnd(1_000, 'x')), 'has more than 50 keys'],
  'many nested names': [{ a: { b: many(9_900, n => `k${n}`) } }, 'is larger than 16 KB'],
  'a list of objects': [{ a: Array(3_300).fill({ k: '\u0001' }) }, 'is larger than 16 KB'],
  'a long text': [{ a: flat[0] }, 'is larger than 16 KB'],
  'a long text of escapes': [{ a: flat[5] }, 'is larger than 16 KB'],
  'a long name': [{ [flat[1]!]: 1 }, 'is larger than 16 KB'],
}

describe('a record of the partner’s own data', () => {
  it.each(Object.entries(HEAVY))('is refused at once: %s', (_name, [value, reason]) => {
    expect(cpuMs(() => Metadata.safeParse(value))).toBeLessThan(CPU_MS_MAX)
    const messages = Metadata.safeParse(value).error?.issues.map(issue => issue.message)
    expect(messages).toContain(reason)
  })

  it('has at most 50 names of 100 characters, and 16 KB of JSON', () => {
    const names = many(49, n => `${n}`.padEnd(100, 'x'), 'y'.repeat(200))
    const filled = (length: number) => {
      const empty = JSON.stringify({ ...names, last: '' }).length
      return { ...names, last: 'y'.repeat(length - empty) }
    }
    expect(JSON.stringify(filled(16_384)).length).toBe(16_384)
    expect(Metadata.safeParse(filled(16_384)).success).toBe(true)
    expect(Metadata.safeParse(filled(16_385)).success).toBe(false)
    expect(Metadata.safeParse({ ...names, a: 1, b: 2 }).success).toBe(false)
    for (const value of [{}, { a: null }, { a: [] }, { a: [{}, [1.5, true, 'x"\n']] }]) {
      expect(Metadata.parse(value)).toEqual(value)
    }
  })

  it('reports each key that is not accepted', () => {
    const issues = Metadata.safeParse({ ok: 1, '': 1, 'a\u0001b': 1, ['x'.repeat(101)]: 1 }).error
    expect(issues?.issues.map(({ path }) => path)).toEqual([[''], ['a\u0001b'], ['x'.repeat(101)]])
  })

  it('is measured as JSON is written', () => {
    for (const value of ['"', '\n', 'é', '\u2028', '\u007f']) {
      const most = (value: string) => Metadata.safeParse({ a: value }).success
      const escaped = JSON.stringify(value).length - 2
      const count = Math.floor((16_384 - '{"a":""}'.length) / escaped)
      expect(most(value.repeat(count))).toBe(true)
      expect(most(value.repeat(count + 1))).toBe(false)
    }
  })
})

test('metadata in a form is read to the depth of any body', async () => {
  const nested = (depth: number) => `{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`
  const read = (metadata: string) => {
    const body = { file: { filename: 'a.pdf', content: 'JVBERi0=' }, metadata }
    return readLongInput(operations.uploadInvoice, '2026-07', { params: {}, query: {}, body })
  }
  await expect(read(nested(31))).resolves.toBeDefined()
  for (const depth of [32, 9_000]) {
    const refused = { code: 'request_invalid', message: 'metadata: has more than 32 levels' }
    await expect(read(nested(depth))).rejects.toMatchObject(refused)
  }
})
