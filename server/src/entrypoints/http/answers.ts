/** Serializes answers as JSON by the contract's schemas, so no undocumented field is sent. */
import { Readable } from 'node:stream'
import { isDeepStrictEqual } from 'node:util'
import { type Json, jsonSchema, type Operation } from '@headroom/contract'
import type { FastifyReply } from 'fastify'
import { z } from 'zod'
import { Reply } from '../../context.ts'
import { assert } from '../../platform/kit/assert.ts'
import { createYielder } from '../../platform/kit/pauses.ts'
import { perObject } from '../../platform/kit/per-object.ts'
import type { PreparedResponse, Renderer } from './prepared-response.ts'

const NULL = JSON.stringify({ type: 'null' })

/**
 * The JSON Schema of an operation's answer in the serializer's dialect. It uses `nullable`, which
 * the serializer writes without trying alternatives.
 */
export function answerSchema({ answer }: Operation): Json {
  const schema = withNullable(jsonSchema(answer, 'output')) as Json
  const { $ref, $defs } = schema as { $ref?: string; $defs?: Record<string, Json> }
  // The schema of a named type is only a reference, so its definition replaces it.
  return $ref === undefined ? schema : { ...$defs![$ref.split('/').at(-1)!], $defs }
}

type Serialize = (value: Json) => string

/** A part of an answer that is serialized separately: the rows of a list, or all but long lists. */
type Part = 'whole' | 'rest' | { readonly rows_of: string }

/** Shared by all servers and routes of the process: compiling one takes many milliseconds. */
const serializersOf = perObject((_: Operation['answer']) => new Map<string, Serialize>())

/**
 * The serializer of an answer or of one of its parts. Compiled on first use, because compiling all
 * serializers before listening would delay the start.
 */
function serializerOf(reply: FastifyReply, operation: Operation, part: Part): Serialize {
  const compiled = serializersOf(operation.answer)
  const name = typeof part === 'string' ? part : `rows of ${part.rows_of}`
  const known = compiled.get(name) ?? reply.compileSerializationSchema(partOf(operation, part))
  compiled.set(name, known)
  return known
}

function partOf(operation: Operation, part: Part): Json {
  const schema = answerSchema(operation)
  if (part === 'whole') return schema
  const { properties, required, ...others } = schema
  if (part === 'rest') {
    const long = longLists(operation)
    const isShort = (name: string) => !long.includes(name)
    const short = Object.entries(properties as Json).filter(([name]) => isShort(name))
    const kept = (required as string[]).filter(isShort)
    return { ...others, properties: Object.fromEntries(short), required: kept }
  }
  const list = part.rows_of === SELF ? schema : (properties as Json)[part.rows_of]
  return { ...(list as { items: Json }).items, $defs: schema.$defs }
}

export function writeJson(reply: FastifyReply, operation: Operation, body: unknown): string {
  return serializerOf(reply, operation, 'whole')(body as Json)
}

const SELF = ''

/** The lists of an answer that are written row by row. */
function longLists({ answer, long_lists = [] }: Operation): readonly string[] {
  if (answer instanceof z.ZodArray) return [SELF]
  const isPage = answer instanceof z.ZodObject && 'next_page' in answer.shape
  return isPage ? ['data'] : long_lists
}

/**
 * How many characters of a list to collect before copying them to a buffer. Copying a whole list at
 * once would block other requests.
 */
const WRITTEN_AT_ONCE = 64 * 1024

/** Like `writeJson`, pausing between the rows of long lists. */
async function writeInPieces(
  reply: FastifyReply,
  operation: Operation,
  body: unknown,
): Promise<Buffer> {
  const pauseWhenDue = createYielder({ at_once: true })
  const written: Buffer[] = []
  let text = ''
  const writeRows = async (rows: readonly unknown[], rows_of: string) => {
    const row = serializerOf(reply, operation, { rows_of })
    text += '['
    for (const [index, one] of rows.entries()) {
      await pauseWhenDue()
      text += (index > 0 ? ',' : '') + row(one as Json)
      if (text.length < WRITTEN_AT_ONCE) continue
      written.push(Buffer.from(text))
      text = ''
    }
    text += ']'
  }
  const [first, ...others] = longLists(operation)
  if (first === SELF) await writeRows(body as unknown[], SELF)
  else {
    const lists = body as Record<string, unknown[]>
    text += '{'
    for (const name of [first!, ...others]) {
      text += `${JSON.stringify(name)}:`
      await writeRows(lists[name]!, name)
      text += ','
    }
    text += serializerOf(reply, operation, 'rest')(body as Json).slice(1)
  }
  return Buffer.concat([...written, Buffer.from(text)])
}

function withNullable(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withNullable)
  if (typeof schema !== 'object' || schema === null) return schema
  const { anyOf, type, ...rest } = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, withNullable(value)]),
  )
  const others = alternatives(anyOf)
  if (others) return { ...rest, ...(others as Json), nullable: true }
  if (Array.isArray(type) && type.length === 2 && type.includes('null')) {
    return { ...rest, type: type.find(name => name !== 'null'), nullable: true }
  }
  return { ...rest, ...(anyOf !== undefined && { anyOf }), ...(type !== undefined && { type }) }
}

/** The schema other than null, if there are exactly two alternatives. */
function alternatives(anyOf: unknown): unknown {
  if (!Array.isArray(anyOf) || anyOf.length !== 2) return null
  const others = anyOf.filter(schema => JSON.stringify(schema) !== NULL)
  return others.length === 1 ? others[0] : null
}

/** A handler's result, ready to send. `serialize` writes JSON by the operation's schema. */
export function render(
  operation: Operation,
  serialize: (body: unknown) => string | Buffer,
  returned: unknown,
): PreparedResponse {
  const reply = returned instanceof Reply ? returned : new Reply(returned)
  const status = reply.status ?? operation.success
  const { body } = reply
  const type = operation.media_type ?? 'application/json; charset=utf-8'
  const headers = status === 204 ? reply.headers : { 'content-type': type, ...reply.headers }
  if (status === 204) return { status, headers, body: null, payload: null }
  if (Buffer.isBuffer(body) || body instanceof Readable)
    return { status, headers, body, payload: body }
  const payload = operation.media_type ? String(body) : serialize(body)
  return { status, headers, body, payload }
}

/** Renders a handler's result; with `check`, verifies it against the contract. */
export function rendererOf(reply: FastifyReply, operation: Operation, check: boolean): Renderer {
  const renderWith = (serialize: (body: unknown) => string | Buffer, returned: unknown) => {
    const answered = render(operation, serialize, returned)
    if (check) checkAnswer(operation, answered)
    return answered
  }
  const renderAtOnce = (returned: unknown) =>
    renderWith(body => writeJson(reply, operation, body), returned)
  return {
    render: renderAtOnce,
    renderInPieces: async returned => {
      const isWhole = longLists(operation).length === 0
      if (isWhole || returned instanceof Reply) return renderAtOnce(returned)
      const written = await writeInPieces(reply, operation, returned)
      return renderWith(() => written, returned)
    },
  }
}

/** Sends an answer. Stored answers have no headers, so their content type is added here. */
export function send(
  reply: FastifyReply,
  { status, headers, payload }: PreparedResponse,
): FastifyReply {
  const type = payload === null ? {} : { 'content-type': 'application/json; charset=utf-8' }
  return reply
    .code(status)
    .headers({ ...type, ...headers })
    .send(payload)
}

/**
 * Throws when serializing lost a field or the answer violates the contract's schema. Too slow for
 * every request; enabled in tests.
 */
export function checkAnswer(operation: Operation, { body, payload }: PreparedResponse): void {
  if (operation.media_type || payload === null || body === payload) return
  const sent: unknown = JSON.parse(String(payload))
  const meant: unknown = JSON.parse(JSON.stringify(body, exactly))
  assert(isDeepStrictEqual(sent, meant), `${operation.path}: the answer lost something`)
  const parsed = operation.answer.safeParse(sent)
  assert(parsed.success, `${operation.path} breaks its schema: ${parsed.error?.message}`)
}

const exactly = (_key: string, value: unknown) =>
  typeof value === 'bigint' ? Number(value) : value
