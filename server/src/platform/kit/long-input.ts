/** Reads a body with a list of many thousands of rows in pieces, yielding to other requests. */
import type { Operation, Version } from '@headroom/contract'
import { z } from 'zod'
import {
  bodySchemaOf,
  type Input,
  isSafe,
  type RawInput,
  readInput,
  readPart,
  readParts,
  UNKNOWN,
  withoutEmptyHolders,
} from './input.ts'
import { createYielder, yieldThread } from './pauses.ts'
import { invalid, problem } from './problem.ts'

/** A list with more rows than this is read in pieces. */
const FEW_ROWS = 200
/** Limits of a piece: its rows, and their keys and items in total. */
const AT_ONCE: PieceSize = { rows: 20, items: 500 }
/** The part of a refused request's long list that is checked for further faults. */
const INSPECTED: PieceSize = { rows: FEW_ROWS, items: 5_000 }
/** Limits on keys and items: in one row, and outside the list. */
const ROW_ITEMS_MAX = 1_000
const OTHER_ITEMS_MAX = 10_000
/** A body with at most this many keys and items takes a millisecond or two and needs no pause. */
const FEW_ITEMS = 500
const SHORT_TEXT = 256 * 1024

/**
 * Like `readInput`, for a body that may contain a list of many thousands of rows: reads it in
 * pieces, yielding to other requests. Fields outside the list are read once, with the first piece.
 */
export async function readLongInput(
  operation: Operation,
  version: Version,
  raw: RawInput,
): Promise<Input> {
  const long = longList(bodySchemaOf(operation, version), raw.body)
  const beside_list = long ? [long.beside, long.unknown.map(([, v]) => v)] : raw.body
  const is_heavy = countOthers(beside_list) > FEW_ITEMS || hasLongText(beside_list)
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
    const piece = readPart(schema, old ? withoutEmptyHolders(sent) : sent, 'body', old)
    for (const { name: at, reason } of piece.faults) {
      faults.push({ name: shifted(at, name, from), reason })
    }
    for (const at of piece.ignored) ignored.push(shifted(at, name, from))
    for (const row of listIn(piece.value, name)) values.push(row)
  }
  if (faults.length > 0) throw invalid(faults)
  return { ...input, body: { ...(input.body as object), [name]: values } }
}

/** Counts keys and items outside a long list. Throws `body_too_large` above the limit. */
function countOthers(beside: unknown): number {
  const items = itemsIn(beside, OTHER_ITEMS_MAX)
  if (items <= OTHER_ITEMS_MAX) return items
  const most = OTHER_ITEMS_MAX.toLocaleString('en')
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
  /** The body's other fields that the schema has. */
  readonly beside: Record<string, unknown>
  /** Fields that the schema does not have. */
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

/** The body with only the first rows of a long list, to find further faults in. */
export function withoutLongList(schema: z.ZodType, body: unknown): unknown {
  const long = longList(schema, body)
  if (!long) return body
  return { ...long.beside, [long.name]: long.rows.slice(0, pieceEnd(long, 0, INSPECTED)) }
}

interface LengthCheck {
  readonly maximum?: number
}

/** The most items that a list's schema allows, also if it is optional, nullable or defaulted. */
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
