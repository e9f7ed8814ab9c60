/** Variants of a valid body that the public record allows. */
import { recordSchema, type Schema } from '../support/record.ts'

type Fields = Record<string, unknown>

export interface Variant {
  /** Where it differs, e.g. `invoices[].buyer.identifier_type=siren`. */
  readonly at: string
  readonly value: unknown
}

/** Sensible values by field name, where the schema alone does not give one. */
export type Hints = Readonly<Record<string, unknown>>

/** Fields that must go with a value, given its siblings, e.g. a number of the given type. */
export type Companions = (field: string, value: unknown, beside: Fields) => Fields

export interface Making {
  readonly hints: Hints
  readonly companions: Companions
}

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The variants of `base`, one for each field, enum value and null that the schema allows. */
export function variantsOf(schema: Schema, base: unknown, making: Making, at = ''): Variant[] {
  const node = recordSchema(schema)
  const none = node.nullable ? [{ at: `${at}=null`, value: null }] : []
  if (node.enum) {
    const values = node.enum.filter((value: unknown) => value !== null)
    return [...none, ...values.map((value: unknown) => ({ at: `${at}=${value}`, value }))]
  }
  if (node.properties) return [...none, ...fieldVariants(node, base, making, at)]
  if (node.type === 'array') {
    const [first] = Array.isArray(base) ? base : []
    const rest = Array.isArray(base) ? base.slice(1) : []
    const items = variantsOf(node.items, first, making, `${at}[]`)
    return [...none, ...items.map(item => ({ ...item, value: [item.value, ...rest] }))]
  }
  if (node.type === 'boolean') {
    return [...none, ...[true, false].map(value => ({ at: `${at}=${value}`, value }))]
  }
  return [...none, { at, value: base ?? plain(node, at, making) }]
}

function fieldVariants(node: Schema, base: unknown, making: Making, at: string): Variant[] {
  const start = isObject(base) ? base : (least(node, at, making) as Fields)
  return Object.entries<Schema>(node.properties).flatMap(([name, schema]) => {
    const here = at === '' ? name : `${at}.${name}`
    return variantsOf(schema, start[name] ?? undefined, making, here).map(({ at, value }) => {
      const along = Object.entries(
        value === null ? {} : making.companions(name, value, node.properties),
      )
      const known = along.filter(([field]) => field in node.properties)
      return { at, value: { ...start, [name]: value, ...Object.fromEntries(known) } }
    })
  })
}

/** Only the fields that a schema requires. */
function least(schema: Schema, at: string, making: Making): unknown {
  const node = recordSchema(schema)
  const name = at.split('.').pop()!.replace('[]', '')
  if (name in making.hints) return making.hints[name]
  if (node.properties) {
    const required = (node.required ?? []) as string[]
    return Object.fromEntries(
      required.map(field => [field, least(node.properties[field], `${at}.${field}`, making)]),
    )
  }
  if (node.type === 'array') return [least(node.items, at, making)]
  return plain(node, at, making)
}

function plain(node: Schema, at: string, { hints }: Making): unknown {
  const name = at.split('.').pop()!.replace('[]', '')
  if (name in hints) return hints[name]
  if (node.enum) return node.enum[0]
  if (node.default !== undefined) return node.default
  if (node.format === 'date') return '1990-05-17'
  if (node.format === 'date-time') return '2026-07-01T10:00:00Z'
  if (node.format === 'email') return 'ada@example.com'
  if (node.type === 'integer' || node.type === 'number') return 1_000
  if (node.type === 'boolean') return true
  if (node.type === 'object') return { order: 1 }
  return 'Words'
}
