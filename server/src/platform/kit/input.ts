/** Validates path, query and body against an operation's schemas; reports all faults together. */
import type { Operation, Version } from '@headroom/contract'
import { z } from 'zod'
import { type InvalidParam, invalid } from './problem.ts'

export interface RawInput {
  readonly params: unknown
  readonly query: unknown
  readonly body: unknown
}

export interface Input {
  readonly params: unknown
  readonly query: unknown
  readonly body: unknown
  /** Unknown fields, which version 2023-09 accepts and ignores. */
  readonly ignored: string[]
}

const NOTHING = z.strictObject({})
/** The reason for a field that the schema does not have. */
export const UNKNOWN = 'is not a known field'

export function bodySchemaOf(operation: Operation, version: Version): z.ZodType | undefined {
  return (version === '2023-09' && operation.body_2023) || operation.body
}

export function querySchemaOf(operation: Operation, version: Version): z.ZodObject | undefined {
  return (version === '2023-09' && operation.query_2023) || operation.query
}

/** Parses a request. Throws `request_invalid` for faults in path, query and body together. */
export function readInput(operation: Operation, version: Version, raw: RawInput): Input {
  const { faults, input } = readParts(operation, version, raw)
  if (faults.length > 0) throw invalid(faults)
  return input
}

/** Parses a request; returns the valid input and every fault in path, query and body. */
export function readParts(operation: Operation, version: Version, raw: RawInput) {
  const old = version === '2023-09'
  const bodySchema = bodySchemaOf(operation, version)
  const querySchema = querySchemaOf(operation, version)
  const absent = raw.body === undefined && (!bodySchema || operation.body_optional)
  const params = readPart(operation.params ?? NOTHING, raw.params, 'path', false)
  const query = readPart(querySchema ?? NOTHING, raw.query, 'query', old)
  const sent = absent ? {} : raw.body
  const body = readPart(bodySchema ?? NOTHING, old ? withoutEmptyHolders(sent) : sent, 'body', old)
  const input: Input = {
    params: operation.params && params.value,
    query: querySchema && query.value,
    body: bodySchema && body.value,
    ignored: [...query.ignored, ...body.ignored],
  }
  return { input, faults: [...params.faults, ...query.faults, ...body.faults] }
}

/** Reads `status[]`, some clients' notation for a repeated query parameter, as `status`. */
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

/**
 * Replaces empty account holders with null, because clients of version 2023-09 send `{}` for a
 * holder without a name.
 */
export function withoutEmptyHolders(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(withoutEmptyHolders)
  const fields = Object.entries(value).map(([name, field]) => [
    name,
    name === 'account_holder' && isEmptyObject(field) ? null : withoutEmptyHolders(field),
  ])
  return Object.fromEntries(fields)
}

function isEmptyObject(value: unknown): boolean {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isObject && Object.keys(value).length === 0
}

interface Part {
  value?: unknown
  faults: InvalidParam[]
  ignored: string[]
}

/** A bound, in case removing unknown fields reveals others. One pass finds those at every depth. */
const PASSES_MAX = 5

/** Parses one part of a request; `lenient` ignores unknown fields instead of refusing them. */
export function readPart(schema: z.ZodType, raw: unknown, name: string, lenient: boolean): Part {
  const ignored: string[] = []
  let value = raw
  let result = schema.safeParse(value)
  for (let pass = 0; lenient && !result.success && pass < PASSES_MAX; pass++) {
    const unknown = result.error.issues.filter(issue => issue.code === 'unrecognized_keys')
    if (unknown.length === 0) break
    const copies = new Set<object>()
    for (const { path, keys } of unknown) {
      value = withoutKeys(value, path, keys, copies)
      for (const key of keys) ignored.push(dotted([...path, key], name))
    }
    result = schema.safeParse(value)
  }
  const unsafe = isSafe(raw) ? [] : unsafeValues(raw, [], name)
  const named = new Set(unsafe.map(fault => fault.name))
  const issues = result.success ? [] : result.error.issues.flatMap(i => faultsOf(i, value, name))
  const faults = [...unsafe, ...issues.filter(fault => !named.has(fault.name))]
  return { value: result.data, faults, ignored }
}

/** A value without some keys of the object at a path. Objects in `copies` are changed in place. */
function withoutKeys(value: unknown, path: Path, keys: string[], copies: Set<object>): unknown {
  const [next, ...rest] = path
  if (next === undefined) {
    const dropped = new Set(keys)
    const left = Object.entries(value as object).filter(([key]) => !dropped.has(key))
    const copy = Object.fromEntries(left)
    copies.add(copy)
    return copy
  }
  const own = copies.has(value as object)
  const copy = own ? value : Array.isArray(value) ? [...value] : { ...(value as object) }
  copies.add(copy as object)
  const at = copy as Record<PropertyKey, unknown>
  at[next] = withoutKeys(at[next], rest, keys, copies)
  return copy
}

function faultsOf(issue: z.core.$ZodIssue, value: unknown, name: string): InvalidParam[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map(key => ({
      name: dotted([...issue.path, key], name),
      reason: UNKNOWN,
    }))
  }
  const missing = issue.code !== 'custom' && valueAt(value, issue.path) === undefined
  return [{ name: dotted(issue.path, name), reason: missing ? 'is required' : issue.message }]
}

type Path = readonly PropertyKey[]

/** The value at a path. A query list of one arrives as a string, which counts as its first item. */
function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (at, key) => (typeof at === 'string' ? at : (at as Record<PropertyKey, unknown>)?.[key]),
    value,
  )
}

/** A path as text, such as `loan_to.account_number`; `name` for the whole part. */
function dotted(path: Path, name: string): string {
  return path.length === 0 ? name : path.map(String).join('.')
}

/** Whether a value can be stored and returned exactly, whatever its schema allows. */
export function isSafe(value: unknown): boolean {
  if (typeof value === 'string') return textFlaw(value) === null
  if (typeof value === 'number') return isExact(value)
  if (typeof value !== 'object' || value === null) return true
  if (Array.isArray(value)) return value.every(isSafe)
  return Object.keys(value).every(
    key => nameFlaw(key) === null && isSafe((value as Record<string, unknown>)[key]),
  )
}

function isExact(value: number): boolean {
  return Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value))
}

/** Faults in values that could not be stored or returned exactly, whatever the schema allows. */
function unsafeValues(value: unknown, path: string[], name: string): InvalidParam[] {
  const fault = (reason: string | null) => (reason ? [{ name: dotted(path, name), reason }] : [])
  if (typeof value === 'string') return fault(textFlaw(value))
  if (typeof value === 'number') {
    return fault(isExact(value) ? null : 'is a number too large to be exact')
  }
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, item]) => {
    const at = [...path, key]
    const reason = nameFlaw(key)
    return reason ? [{ name: dotted(at, name), reason }] : unsafeValues(item, at, name)
  })
}

function nameFlaw(name: string): string | null {
  return name === '__proto__' ? 'is a name that is not accepted' : textFlaw(name)
}

function textFlaw(text: string): string | null {
  if (text.includes('\0')) return 'has a NUL character'
  return text.isWellFormed() ? null : 'is not well-formed Unicode'
}

/** The address of a list as requested, without its cursor. */
export function withoutCursor(url: string): string {
  const [path = '', query = ''] = url.split('?', 2)
  const kept = query.split('&').filter(pair => pair !== '' && !pair.startsWith('cursor='))
  return kept.length > 0 ? `${path}?${kept.join('&')}` : path
}
