/** Checks a body's large base64 files in pieces, yielding to other requests. */
import { BASE64_LENGTH_MAX, Base64, isBase64 } from '@headroom/contract'
import { z } from 'zod'
import { yieldThread } from './pauses.ts'
import { perObject } from './per-object.ts'

/** The schema checks shorter texts, which takes a millisecond at most. */
const TEXT_AT_ONCE = 512 * 1024

/** Placeholders for a long text while the schema checks the rest of the body. */
const VALID = 'AAAA'
const INVALID = '-!-'

type Path = readonly (string | number)[]

interface LongFile {
  readonly path: Path
  readonly text: string
}

/** A body with a short text in place of each large file. */
export interface BodyWithFiles {
  readonly body: unknown
  /** Puts the files back into the parsed body, in place. */
  restore(parsed: unknown): void
}

/**
 * Checks the large files in a body for this schema. Replaces each with a short text that is valid
 * if and only if the file is, so that the schema can check the body any number of times.
 */
export async function checkLongFiles(
  schema: z.ZodType | undefined,
  body: unknown,
): Promise<BodyWithFiles> {
  const files = schema ? longFiles(schema, body, []) : []
  let checked = body
  for (const { path, text } of files) {
    checked = withText(checked, path, (await isBase64InTurns(text)) ? VALID : INVALID)
  }
  const restore = (parsed: unknown) => {
    for (const { path, text } of files) putBack(parsed, path, text)
  }
  return { body: checked, restore }
}

async function isBase64InTurns(text: string): Promise<boolean> {
  for (let from = 0; from < text.length; from += TEXT_AT_ONCE) {
    await yieldThread()
    const to = from + TEXT_AT_ONCE
    const piece = text.slice(from, to)
    // Only the end of the text has padding.
    if (!isBase64(piece) || (to < text.length && piece.endsWith('='))) return false
  }
  return true
}

/**
 * Whether values of the schema can hold a file. Lets the search skip lists without files, which may
 * have very many rows.
 */
const hasFiles = perObject((schema: z.ZodType): boolean => lookForFiles(schema))

function lookForFiles(schema: z.ZodType): boolean {
  if (isWrapped(schema)) return hasFiles(schema.unwrap() as z.ZodType)
  if (schema instanceof z.ZodArray) return hasFiles(schema.element as z.ZodType)
  if (schema instanceof z.ZodObject) {
    return Object.values(schema.shape as z.ZodRawShape).some(field => hasFiles(field as z.ZodType))
  }
  return schema === Base64
}

function isWrapped(schema: z.ZodType): schema is z.ZodOptional | z.ZodNullable | z.ZodDefault {
  return (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault
  )
}

/**
 * The large files in the places where the schema has files. Texts over the size limit are omitted:
 * the schema refuses them.
 */
function longFiles(schema: z.ZodType, value: unknown, path: Path): LongFile[] {
  if (!hasFiles(schema)) return []
  if (isWrapped(schema)) return longFiles(schema.unwrap() as z.ZodType, value, path)
  if (typeof value === 'string') {
    const is_long = value.length > TEXT_AT_ONCE && value.length <= BASE64_LENGTH_MAX
    return schema === Base64 && is_long ? [{ path, text: value }] : []
  }
  if (typeof value !== 'object' || value === null) return []
  if (schema instanceof z.ZodArray && Array.isArray(value)) {
    return value.flatMap((item, at) => longFiles(schema.element as z.ZodType, item, [...path, at]))
  }
  if (schema instanceof z.ZodObject) {
    return Object.entries(schema.shape as z.ZodRawShape).flatMap(([name, field]) => {
      const inner = Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : null
      return longFiles(field as z.ZodType, inner, [...path, name])
    })
  }
  return []
}

function withText(value: unknown, [next, ...rest]: Path, text: string): unknown {
  if (next === undefined) return text
  const copy = (Array.isArray(value) ? [...value] : { ...(value as object) }) as Container
  copy[next] = withText(copy[next], rest, text)
  return copy
}

type Container = Record<string | number, unknown>

/** Does nothing where the parsed value lacks the text because it was invalid. */
function putBack(value: unknown, [next, ...rest]: Path, text: string): void {
  if (typeof value !== 'object' || value === null || next === undefined) return
  const container = value as Container
  if (rest.length > 0) putBack(container[next], rest, text)
  else if (container[next] === VALID) container[next] = text
}
