/** Validates path, query and body by an operation's schemas; reports every fault at once. */
import type { Operation, Version } from '@headroom/contract'
import { z } from 'zod'
import { createYielder, yieldThread } from './pauses.ts'
import { type InvalidParam, invalid, problem } from './problem.ts'

export interface RawInput {
  readonly params: unknown
  readonly query: unknown
  /** Undefined when the request has no body. */
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
const UNKNOWN = 'is not a known field'

/** The schema of an operation's body in a version. */
export function bodySchemaOf(operation: Operation, version: Version): z.ZodType | undefined {
  return (version === '2023-09' && operation.body_2023) || operation.body
}

/** The schema of an operation's query in a version. */
export function querySchemaOf(operation: Operation, version: Version): z.ZodObject | undefined {
  return (version === '2023-09' && operation.query_2023) || operation.query
}

/** Parses a request. Throws `request_invalid` with every fault in path, query and body. */
export function readInput(operation: Operation, version: Version, raw: RawInput): Input {
  const { faults, input } = readParts(operation, version, raw)
  if (faults.length > 0) throw invalid(faults)
  return input
}

/** A list with more rows than this is read in pieces. */
const FEW_ROWS = 200
/** Limits of a piece: its rows, and their keys and items in total. */
const AT_ONCE: PieceSize = { rows: 20, items: 500 }
/** The part of a long list that is checked for further faults. */
const INSPECTED: PieceSize = { rows: FEW_ROWS, items: 5_000 }
/** Limits on keys and items: in one row, and outside the list. */
const ROW_ITEMS_MAX = 1_000
const BESIDE_ITEMS_MAX = 10_000
/** Takes a millisecond or two to read, so needs no pause. */
const FEW_ITEMS = 500
const SHORT_TEXT = 256 * 1024

/**
 * Like `readInput`, for a body that may contain a list of many thousand rows: reads it in pieces,
 * yielding to other requests. Fields outside the list are read once, with the first piece.
 */
export async function readLongInput(
  operation: Operation,
  version: Version,
  raw: RawInput,
): Promise<Input> {
  const long = longList(bodySchemaOf(operation, version), raw.body)
  const beside_list = long ? [long.beside, long.unknown.map(([, v]) => v)] : raw.body
  const is_heavy = countBeside(beside_list) > FEW_ITEMS || hasLongText(beside_list)
  if (is_heavy) await yieldThread()
  if (!long) {
    try {
      return readInput(operation, version, raw)
    } finally {
      if (is_heavy) await yieldThread()
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
  const pauseWhenDue = createYielder()
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

/** Counts keys and items outside the list. Throws `body_too_large` above the limit. */
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

/** Where the piece starting at `from` ends. Throws `request_invalid` for too large a row. */
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

/** The number of keys and items in a value at all depths. Stops counting above `most`. */
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
  /** The schema of an object that contains only the list. */
  readonly schema: z.ZodType
  /** The other fields: those in the schema, and unknown ones. */
  readonly beside: Record<string, unknown>
  readonly unknown: readonly [name: string, value: unknown][]
}

/**
 * The longest bounded list in the body that is too long to read in one go. Throws `request_invalid`
 * for a list that exceeds its bound.
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

/** The body with only the first rows of a long list: enough to report its faults. */
export function withoutLongList(schema: z.ZodType, body: unknown): unknown {
  const long = longList(schema, body)
  if (!long) return body
  return { ...long.beside, [long.name]: long.rows.slice(0, pieceEnd(long, 0, INSPECTED)) }
}

interface LengthCheck {
  readonly maximum?: number
}

/** The most items that a list's schema allows, behind optionals and defaults. */
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

/** A fault's name with its row index counted from the start of the whole list. */
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

/** The query with `status[]`, some clients' notation for a repeated parameter, read as `status`. */
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

/** Clients of version 2023-09 send `{}` for an account holder that they do not name. */
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

/** Each pass reveals deeper unknown fields; those beyond this depth are faults. */
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

/** The value at a path. A string stands for its own first item, as a query list of one does. */
function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (at, key) => (typeof at === 'string' ? at : (at as Record<PropertyKey, unknown>)?.[key]),
    value,
  )
}

/** `loan_to.account_number`; the part's own name for a fault in the whole part. */
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
