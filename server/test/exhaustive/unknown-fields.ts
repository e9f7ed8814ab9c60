/** Adds unknown fields in every place where a schema lists the allowed ones. */
import type { Json } from '@headroom/contract'

type Fields = Record<string, unknown>

const UNKNOWN = 'x_unknown'

/** A copy with an unknown field in every closed object, and the names of those fields. */
export function withUnknownFields(
  schema: Json,
  value: unknown,
): { value: unknown; names: string[] } {
  const names: string[] = []
  return { value: spread(schema, schema, value, [], names), names }
}

function spread(
  schema: Json,
  root: Json,
  value: unknown,
  path: string[],
  names: string[],
): unknown {
  const s = resolve(schema, root)
  const inner = (of: Json, item: unknown, key: string) =>
    spread(of, root, item, [...path, key], names)
  const choice = ((s.anyOf ?? s.oneOf ?? s.allOf ?? []) as Json[]).find(one => {
    const { properties, items } = resolve(one, root)
    return Array.isArray(value) ? items !== undefined : properties !== undefined
  })
  if (choice) return spread(choice, root, value, path, names)
  if (Array.isArray(value)) {
    return s.items ? value.map((item, at) => inner(s.items as Json, item, String(at))) : value
  }
  if (typeof value !== 'object' || value === null) return value
  if (s.additionalProperties !== false || !s.properties) return value
  const known = s.properties as Record<string, Json>
  const fields = Object.entries(value as Fields).map(([key, item]) => [
    key,
    known[key] ? inner(known[key], item, key) : item,
  ])
  names.push([...path, UNKNOWN].join('.'))
  return { ...Object.fromEntries(fields), [UNKNOWN]: { deep: [1] } }
}

function resolve(schema: Json, root: Json): Json {
  const { $ref } = schema
  if (typeof $ref !== 'string') return schema
  if ($ref === '#') return root
  return (root.$defs as Record<string, Json>)[$ref.replace('#/$defs/', '')]!
}

/** Every place where a schema lists the allowed fields, as names of unknown fields there. */
export function placesIn(schema: Json): string[] {
  const found = new Set<string>()
  const walk = (part: Json, path: string, on: readonly Json[]): void => {
    const s = resolve(part, schema)
    // Stops at recursive schemas.
    if (on.includes(s)) return
    const inside = [...on, s]
    for (const one of (s.anyOf ?? s.oneOf ?? s.allOf ?? []) as Json[]) walk(one, path, inside)
    if (s.items) walk(s.items as Json, `${path}[]`, inside)
    if (s.additionalProperties !== false || !s.properties) return
    found.add(`${path}.${UNKNOWN}`.replace(/^\./, ''))
    for (const [name, one] of Object.entries(s.properties as Record<string, Json>)) {
      walk(one, `${path}.${name}`, inside)
    }
  }
  walk(schema, '', [])
  return [...found]
}
