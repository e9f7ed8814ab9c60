/** The parts of an invalid request that are valid on their own. */
import { z } from 'zod'
import { isSafe } from './input.ts'
import { itemsMax } from './long-input.ts'

/** `T` with undefined in place of parts that were invalid or absent. */
export type WellFormed<T> = T extends readonly (infer Item)[]
  ? (WellFormed<Item> | undefined)[]
  : T extends object
    ? { [K in keyof T]?: WellFormed<T[K]> | undefined }
    : T

/**
 * The parts of `value` that `schema` accepts, as parsed: each field and list item is validated on
 * its own, at every depth. Invalid fields are omitted, and invalid list items are undefined.
 */
export function wellFormed<S extends z.ZodType>(
  schema: S,
  value: unknown,
): WellFormed<z.output<S>> | undefined
export function wellFormed(schema: z.ZodType, value: unknown): unknown {
  const is_given = value !== undefined && value !== null
  const wrapped =
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault
  if (is_given && wrapped) return wellFormed(schema.unwrap() as z.ZodType, value)
  if (schema instanceof z.ZodArray && Array.isArray(value)) {
    // A list that is too long is refused as a whole, so its items are not validated.
    if (value.length > itemsMax(schema)) return undefined
    return value.map(item => wellFormed(schema.element as z.ZodType, item))
  }
  if (schema instanceof z.ZodObject && isFields(value)) {
    const fields = Object.entries(schema.shape as z.ZodRawShape).map(([name, field]) => {
      const given = Object.hasOwn(value, name) ? value[name] : undefined
      return [name, wellFormed(field as z.ZodType, given)] as const
    })
    return Object.fromEntries(fields.filter(([, field]) => field !== undefined))
  }
  const parsed = schema.safeParse(value)
  if (parsed.success && isSafe(value)) return parsed.data
  return schema instanceof z.ZodPipe ? wellFormed(schema.in as z.ZodType, value) : undefined
}

function isFields(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
