/** Reads path, query and body by the schemas of an operation, and names every fault at once. */
import type { Operation, Version } from '@headroom/contract'
import { z } from 'zod'
import { pause, timedPauses } from './pauses.ts'
import { type InvalidParam, invalid, problem } from './problem.ts'

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
const UNKNOWN = 'is not a known field'

/** What a version asks of an operation's body. */
export function bodySchemaOf(operation: Operation, version: Version): z.ZodType | undefined {
  return (version === '2023-09' && operation.body_2023) || operation.body
}

/** What a version asks of an operation's query. */
export function querySchemaOf(operation: Operation, version: Version): z.ZodObject | undefined {
  return (version === '2023-09' && operation.query_2023) || operation.query
}

/** Parses a request. Throws `request_invalid` with all faults of all parts. */
export function readInput(operation: Operation, version: Version, raw: RawInput): Input {
  const { faults, input } = readParts(operation, version, raw)
  if (faults.length > 0) throw invalid(faults)
  return input
}

/** A list of more rows is read in pieces. */
const FEW_ROWS = 200
/** Rows of a piece, and the keys and items that they may have together. */
const AT_ONCE: PieceSize = { rows: 20, items: 500 }
/** The part of a long list that is inspected for further faults. */
const INSPECTED: PieceSize = { rows: FEW_ROWS, items: 5_000 }
/** Keys and items of a row, and of all that is beside the list. */
const ROW_ITEMS_MAX = 1_000
const BESIDE_ITEMS_MAX = 10_000
/** Read in a millisecond or two, without a turn. */
const FEW_ITEMS = 500
const SHORT_TEXT = 256 * 1024

/**
 * The same for a body that may hold a list of many thousand rows: they are read in turns with other
 * requests. What is beside the list is read once, with the first of its rows.
 */
export async function readLongInput(
  operation: Operation,
  version: Version,
  raw: RawInput,
): Promise<Input> {
  const long = longList(bodySchemaOf(operation, version), raw.body)
  const beside_list = long ? [long.beside, long.unknown.map(([, v]) => v)] : raw.body
  const is_heavy = countBeside(beside_list) > FEW_ITEMS || hasLongText(beside_list)
  if (is_heavy) await pause()
  if (!long) {
    try {
      return readInput(operation, version, raw)
    } finally {
      if (is_heavy) await pause()
    }
  }
  const { name, rows, schema, beside } = long
  const old = version === '2023-09'
  let to = pieceEnd(long, 0, AT_ONCE)
  const body = { ...beside, [name]: rows.slice(0, to) }
  const { input, faults } = readParts(operation, version, { ...raw, body })
  const { ignored } = input
  for (const [field, value] of long.unknown) {
    if (!old) faults.push({ name: field, reason: UNKNOWN })
    else if (isSafe(value)) ignored.push(field)
    else faults.push({ name: field, reason: 'holds what cannot be stored exactly' })
  }
  const values = [...listIn(input.body, name)]
  const pauseWhenDue = timedPauses()
  while (to < rows.length) {
    await pauseWhenDue()
    const from = to
    to = pieceEnd(long, from, AT_ONCE)
    const sent = { [name]: rows.slice(from, to) }
    const piece = read(schema, old ? withoutEmptyHolders(sent) : sent, 'body', old)
    for (const { name: at, reason } of piece.faults) {
      faults.push({ name: shifted(at, name, from), reason })
    }
    for (const at of piece.ignored) ignored.push(shifted(at, name, from))
    for (const row of listIn(piece.value, name)) values.push(row)
  }
  if (faults.length > 0) throw invalid(faults)
  return { ...input, body: { ...(input.body as object), [name]: values } }
}

/** Keys and items beside the list. Throws `body_too_large` where more than a list is large. */
function countBeside(beside: unknown): number {
  const items = itemsIn(beside, BESIDE_ITEMS_MAX)
  if (items <= BESIDE_ITEMS_MAX) return items
  const most = BESIDE_ITEMS_MAX.toLocaleString('en')
  const detail = `Beside its list of rows the body has more than ${most} keys and array items.`
  throw problem('body_too_large', detail)
}

interface PieceSize {
  readonly rows: number
  readonly items: number
}

/** Where a piece that begins at a row ends. Throws `request_invalid` for too large a row. */
function pieceEnd(
  { name, rows }: Pick<LongList, 'name' | 'rows'>,
  from: number,
  most: PieceSize,
): number {
  let items = 0
  let to = from
  for (; to < rows.length && to < from + most.rows && items < most.items; to++) {
    const own = itemsIn(rows[to], ROW_ITEMS_MAX)
    if (own > ROW_ITEMS_MAX) {
      const most = ROW_ITEMS_MAX.toLocaleString('en')
      throw invalid({ name: `${name}.${to}`, reason: `has more than ${most} keys and items` })
    }
    items += own
  }
  return to
}

/** Keys and items of a value at all depths; of more than `most`, some number above it. */
function itemsIn(value: unknown, most: number): number {
  if (typeof value !== 'object' || value === null) return 0
  const inner: readonly unknown[] = Array.isArray(value) ? value : Object.values(value)
  let count = inner.length
  for (const one of inner) {
    if (count > most) break
    count += itemsIn(one, most - count)
  }
  return count
}

function hasLongText(value: unknown): boolean {
  if (typeof value === 'string') return value.length > SHORT_TEXT
  return typeof value === 'object' && value !== null && Object.values(value).some(hasLongText)
}

interface LongList {
  readonly name: string
  readonly rows: readonly unknown[]
  /** Of an object that holds the list alone. */
  readonly schema: z.ZodType
  /** The other fields that the schema knows, and those that it does not. */
  readonly beside: Record<string, unknown>
  readonly unknown: readonly [name: string, value: unknown][]
}

/**
 * The longest list of a body that its schema knows and bounds, where that is too long to be read in
 * one go. Throws `request_invalid` for a list with more rows than its bound.
 */
function longList(schema: z.ZodType | undefined, body: unknown): LongList | null {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return null
  if (!(schema instanceof z.ZodObject)) return null
  let long: { name: string; rows: readonly unknown[] } | null = null
  for (const [name, field] of Object.entries<z.ZodType>(schema.shape)) {
    const rows = (body as Record<string, unknown>)[name]
    if (!Array.isArray(rows) || rows.length <= (long?.rows.length ?? FEW_ROWS)) continue
    const most = itemsMax(field)
    if (rows.length > most) throw invalid({ name, reason: `has more than ${most} rows` })
    if (most < Number.POSITIVE_INFINITY) long = { name, rows }
  }
  if (!long) return null
  const { name } = long
  const fields = Object.entries(body)
  const isKnown = (field: string) => Object.hasOwn(schema.shape, field)
  return {
    ...long,
    schema: z.strictObject({ [name]: schema.shape[name] }),
    beside: Object.fromEntries(fields.filter(([field]) => field !== name && isKnown(field))),
    unknown: fields.filter(([field]) => !isKnown(field)),
  }
}

/** A body of which a long list has its first rows only: enough to show what is wrong with it. */
export function withoutLongList(schema: z.ZodType, body: unknown): unknown {
  const long = longList(schema, body)
  if (!long) return body
  return { ...long.beside, [long.name]: long.rows.slice(0, pieceEnd(long, 0, INSPECTED)) }
}

interface LengthCheck {
  readonly maximum?: number
}

/** The most items that the schema of a list allows, however it is wrapped. */
export function itemsMax(schema: z.ZodType): number {
  if (schema instanceof z.ZodArray) {
    const limits = (schema._zod.def.checks ?? []).map(({ _zod }) => _zod.def as LengthCheck)
    return Math.min(Number.POSITIVE_INFINITY, ...limits.map(({ maximum }) => maximum ?? Infinity))
  }
  const wrapped =
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault
  return wrapped ? itemsMax(schema.unwrap() as z.ZodType) : Number.POSITIVE_INFINITY
}

function listIn(body: unknown, name: string): readonly unknown[] {
  const list = (body as Record<string, unknown> | undefined)?.[name]
  return Array.isArray(list) ? list : []
}

/** The name of a fault in a piece of a list, as counted in the whole of it. */
function shifted(at: string, list: string, by: number): string {
  if (by === 0 || !at.startsWith(`${list}.`)) return at
  const [index = '', ...rest] = at.slice(list.length + 1).split('.')
  return [list, Number(index) + by, ...rest].join('.')
}

function readParts(operation: Operation, version: Version, raw: RawInput) {
  const old = version === '2023-09'
  const bodySchema = bodySchemaOf(operation, version)
  const querySchema = querySchemaOf(operation, version)
  const absent = raw.body === undefined && (!bodySchema || operation.body_optional)
  const params = read(operation.params ?? NOTHING, raw.params, 'path', false)
  const query = read(querySchema ?? NOTHING, raw.query, 'query', old)
  const sent = absent ? {} : raw.body
  const body = read(bodySchema ?? NOTHING, old ? withoutEmptyHolders(sent) : sent, 'body', old)
  const input: Input = {
    params: operation.params && params.value,
    query: querySchema && query.value,
    body: bodySchema && body.value,
    ignored: [...query.ignored, ...body.ignored],
  }
  return { input, faults: [...params.faults, ...query.faults, ...body.faults] }
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

/** Clients of 2023 send `{}` for the holder of an account that they do not name. */
function withoutEmptyHolders(value: unknown): unknown {
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

/** Unknown fields deeper than this many layers of other faults are faults themselves. */
const PASSES_MAX = 5

function read(schema: z.ZodType, raw: unknown, name: string, lenient: boolean): Part {
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

/** A value without some keys of the object at a path. What is not among `copies` is copied. */
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

/** What no field may hold, whatever its schema: it could not be stored or given back exactly. */
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

/** The address of a list as it was asked for, but for the place in it. */
export function withoutCursor(url: string): string {
  const [path = '', query = ''] = url.split('?', 2)
  const kept = query.split('&').filter(pair => pair !== '' && !pair.startsWith('cursor='))
  return kept.length > 0 ? `${path}?${kept.join('&')}` : path
}
