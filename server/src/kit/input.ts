/** Reads path, query and body by the schemas of an operation, and names every fault at once. */
import type { Operation, Version } from '@headroom/contract'
import { z } from 'zod'
import { type InvalidParam, invalid } from './problem.ts'

export interface RawInput {
  readonly params: unknown
  readonly query: unknown
  /** Undefined when there was none. */
  readonly body: unknown
}

export interface Input {
  readonly params: unknown
  readonly query: unknown
  readonly body: unknown
  /** Fields that version 2023-09 lets pass, and we ignore. */
  readonly ignored: string[]
}

const NOTHING = z.strictObject({})

/** What a version asks of an operation's body. */
export function bodySchemaOf(operation: Operation, version: Version): z.ZodType | undefined {
  return (version === '2023-09' && operation.body_2023) || operation.body
}

/** Parses a request. Throws `request_invalid` with all faults of all parts. */
export function readInput(operation: Operation, version: Version, raw: RawInput): Input {
  const old = version === '2023-09'
  const bodySchema = bodySchemaOf(operation, version)
  const absent = raw.body === undefined && (!bodySchema || operation.body_optional)
  const params = read(operation.params ?? NOTHING, raw.params, 'path', false)
  const query = read(operation.query ?? NOTHING, raw.query, 'query', old)
  const body = read(bodySchema ?? NOTHING, absent ? {} : raw.body, 'body', old)
  const faults = [...params.faults, ...query.faults, ...body.faults]
  if (faults.length > 0) throw invalid(...faults)
  return {
    params: operation.params && params.value,
    query: operation.query && query.value,
    body: bodySchema && body.value,
    ignored: [...query.ignored, ...body.ignored],
  }
}

/** A query as it is read: `status[]`, as some clients write a repeated name, is `status`. */
export function withoutBrackets(query: unknown): unknown {
  const pairs = Object.entries(query as Record<string, unknown>)
  if (!pairs.some(([name]) => name.endsWith('[]'))) return query
  const plain: Record<string, unknown> = Object.create(null)
  for (const [name, value] of pairs) {
    const own = name.replace(/\[\]$/, '')
    const before = plain[own] ?? []
    plain[own] = own === name && !(own in plain) ? value : [before, value].flat()
  }
  return plain
}

interface Part {
  value?: unknown
  faults: InvalidParam[]
  ignored: string[]
}

/** Unknown fields deeper than this many layers of other faults are faults themselves. */
const PASSES_MAX = 5

function read(schema: z.ZodType, raw: unknown, name: string, lenient: boolean): Part {
  const ignored: string[] = []
  let value = raw
  let result = schema.safeParse(value)
  for (let pass = 0; lenient && !result.success && pass < PASSES_MAX; pass++) {
    const unknown = result.error.issues.filter(issue => issue.code === 'unrecognized_keys')
    if (unknown.length === 0) break
    value = structuredClone(value)
    for (const { path, keys } of unknown) {
      const holder = valueAt(value, path) as Record<string, unknown>
      for (const key of keys) delete holder[key]
      ignored.push(...keys.map(key => dotted([...path, key], name)))
    }
    result = schema.safeParse(value)
  }
  const unsafe = unsafeValues(raw, [], name)
  const named = new Set(unsafe.map(fault => fault.name))
  const issues = result.success ? [] : result.error.issues.flatMap(i => faultsOf(i, value, name))
  const faults = [...unsafe, ...issues.filter(fault => !named.has(fault.name))]
  return { value: result.data, faults, ignored }
}

function faultsOf(issue: z.core.$ZodIssue, value: unknown, name: string): InvalidParam[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map(key => ({
      name: dotted([...issue.path, key], name),
      reason: 'is not a known field',
    }))
  }
  const missing = issue.code !== 'custom' && valueAt(value, issue.path) === undefined
  return [{ name: dotted(issue.path, name), reason: missing ? 'is required' : issue.message }]
}

type Path = readonly PropertyKey[]

/** What is at a place; a text that stands for a list of one, as in a query, is its own first. */
function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (at, key) => (typeof at === 'string' ? at : (at as Record<PropertyKey, unknown>)?.[key]),
    value,
  )
}

/** `loan_to.account_number`; the part's own name when the fault is the whole of it. */
function dotted(path: Path, name: string): string {
  return path.length === 0 ? name : path.map(String).join('.')
}

/** May this be stored and given back exactly, whatever a schema says of it? */
export function isSafe(value: unknown): boolean {
  return unsafeValues(value, [], '').length === 0
}

/** What no field may hold, whatever its schema: it could not be stored or given back exactly. */
function unsafeValues(value: unknown, path: string[], name: string): InvalidParam[] {
  const fault = (reason: string) => [{ name: dotted(path, name), reason }]
  if (typeof value === 'string') return textFlaw(value).flatMap(fault)
  if (typeof value === 'number') {
    const exact =
      Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value))
    return exact ? [] : fault('is a number too large to be exact')
  }
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, item]) => {
    const at = [...path, key]
    const flaws = key === '__proto__' ? ['is a name that is not accepted'] : textFlaw(key)
    return flaws.length > 0
      ? flaws.map(reason => ({ name: dotted(at, name), reason }))
      : unsafeValues(item, at, name)
  })
}

function textFlaw(text: string): string[] {
  if (text.includes('\0')) return ['has a NUL character']
  return text.isWellFormed() ? [] : ['is not well-formed Unicode']
}

/** The address of a list as it was asked for, but for the place in it. */
export function withoutCursor(url: string): string {
  const [path = '', query = ''] = url.split('?', 2)
  const kept = query.split('&').filter(pair => pair !== '' && !pair.startsWith('cursor='))
  return kept.length > 0 ? `${path}?${kept.join('&')}` : path
}
