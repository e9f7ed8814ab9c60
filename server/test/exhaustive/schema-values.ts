/** Generates values from a JSON Schema by seed: valid ones, and ones with a single fault. */
import type { Json } from '@headroom/contract'

/** A deterministic generator of numbers from 0 to below 1 (mulberry32). */
export type Random = () => number

export function randomOf(seed: number): Random {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), state | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}

export function pick<T>(random: Random, from: readonly T[]): T {
  return from[Math.floor(random() * from.length)]!
}

/** Candidate values by field name, from the data under test. */
export type World = Readonly<Record<string, readonly unknown[]>>

/** The key of the days that date fields use if a world replaces the usual ones. */
export const ANY_DAY = 'any day'

/** A value valid under the schema; omits about half of the optional fields. */
export function validValue(
  schema: Json,
  root: Json,
  random: Random,
  world: World,
  name = '',
): unknown {
  const s = resolve(schema, root)
  const known = world[name]
  if (known && random() < 0.8) return pick(random, known)
  if (s.const !== undefined) return s.const
  if (Array.isArray(s.enum)) return pick(random, s.enum)
  const choices = (s.anyOf ?? s.oneOf) as Json[] | undefined
  if (choices) return validValue(pick(random, choices), root, random, world, name)
  if (Array.isArray(s.allOf)) return validValue(s.allOf[0] as Json, root, random, world, name)
  const type = Array.isArray(s.type) ? pick(random, s.type as string[]) : s.type
  if (type === 'object' || s.properties) return object(s, root, random, world)
  if (type === 'array') {
    const length = Math.floor(random() * 3)
    return Array.from({ length }, () =>
      validValue((s.items ?? {}) as Json, root, random, world, name),
    )
  }
  if (type === 'integer' || type === 'number') return number(s, random)
  if (type === 'boolean') return random() < 0.5
  if (type === 'null') return null
  return text(s, random, world)
}

function object(s: Json, root: Json, random: Random, world: World): unknown {
  const required = new Set((s.required ?? []) as string[])
  const entries = Object.entries((s.properties ?? {}) as Record<string, Json>)
    .filter(([key]) => required.has(key) || random() < 0.5)
    .map(([key, value]) => [key, validValue(value, root, random, world, key)])
  return Object.fromEntries(entries)
}

function number(s: Json, random: Random): number {
  const least = Math.max(Number(s.minimum ?? 0), -1e6)
  const most = Math.min(Number(s.maximum ?? 1e6), 1e6)
  return Math.floor(least + random() * (most - least))
}

function text(s: Json, random: Random, world: World): string {
  if (s.format === 'uuid') return crypto.randomUUID()
  if (s.format === 'email') return 'someone@example.com'
  if (s.format === 'uri' || s.format === 'url') return 'https://example.com/x'
  const days = ['2026-12-01', '2027-01-15T10:00:00Z', '2026-11-30', '2028-02-29']
  if (String(s.format ?? '').startsWith('date')) {
    return pick(random, (world[ANY_DAY] as string[] | undefined) ?? days)
  }
  const words = ['A', 'Demo SARL', 'x'.repeat(40), ...days]
  const word = pick(random, words).slice(0, Number(s.maxLength ?? 100))
  return word.padEnd(Number(s.minLength ?? 0), 'x')
}

function resolve(schema: Json, root: Json): Json {
  const { $ref } = schema
  if (typeof $ref !== 'string') return schema
  if ($ref === '#') return root
  return (root.$defs as Record<string, Json>)[$ref.replace('#/$defs/', '')]!
}

const JUNK: readonly unknown[] = [
  null,
  true,
  -1,
  0,
  1.5,
  2 ** 53,
  -(2 ** 63),
  1e300,
  '',
  ' ',
  '0',
  'a\0b',
  '\udfff',
  '💩',
  'x'.repeat(5000),
  "'; drop table loans; --",
  '../../etc/passwd',
  '{{step.1.json.id}}',
  '2026-02-30',
  '0000-00-00',
  '9999-12-31',
  '2026-13-01T25:00:00Z',
  'NaN',
  '１２３',
  '٣',
  [],
  {},
  [[]],
  [null],
  { a: { b: [] } },
  { toString: 1 },
  Array(300).fill(0),
  'FR7630006000011234567890188',
  '<x>&e;</x>',
  '%00',
  'null',
  'JVBERi0xLjQK',
  '\r\nX: y',
]

/** A copy with one value replaced or removed, or with an unknown field added. */
export function invalidate(value: unknown, random: Random): unknown {
  if (Array.isArray(value) && value.length > 0 && random() < 0.7) {
    const at = Math.floor(random() * value.length)
    return value.map((item, index) => (index === at ? invalidate(item, random) : item))
  }
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  if (!isObject || random() < 0.05) return pick(random, JUNK)
  const fields = { ...(value as Record<string, unknown>) }
  const names = Object.keys(fields)
  const way = random()
  if (names.length === 0 || way < 0.15) return { ...fields, [`x_${names.length}`]: 1 }
  const name = pick(random, names)
  if (way < 0.3) delete fields[name]
  else fields[name] = way < 0.6 ? invalidate(fields[name], random) : pick(random, JUNK)
  return fields
}
