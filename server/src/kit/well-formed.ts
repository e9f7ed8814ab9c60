/** The fields of a faulty request that are well-formed by themselves. */
import type { z } from 'zod'

type Shape = Readonly<Record<string, z.ZodType>>

/** Each field of `shape` that `value` has and that its own schema accepts, as parsed. */
export function wellFormed<S extends Shape>(
  shape: S,
  value: Record<string, unknown>,
): { [K in keyof S]?: z.output<S[K]> } {
  const fields = Object.entries(shape).flatMap(([name, schema]) => {
    if (!Object.hasOwn(value, name)) return []
    const parsed = schema.safeParse(value[name])
    return parsed.success ? [[name, parsed.data]] : []
  })
  return Object.fromEntries(fields)
}
