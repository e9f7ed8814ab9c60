/** Validates answers against the public record, an OpenAPI document, if its file exists. */
import { existsSync, readFileSync } from 'node:fs'
import { type OperationId, operations } from '@headroom/contract'
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'

// biome-ignore lint/suspicious/noExplicitAny: an OpenAPI document, walked freely
type Node = any

const file = new URL('../../../../shared/spec/public-record.json', import.meta.url)
export const hasRecord = existsSync(file)
const record: Node = hasRecord ? JSON.parse(readFileSync(file, 'utf8')) : { paths: {} }

/** Most schemas are used only a few times, so optimizing their code takes longer than it saves. */
const UNOPTIMIZED = { inlineRefs: false, code: { optimize: false } }
const ajv = new Ajv({ strict: false, allErrors: true, ...UNOPTIMIZED })
addFormats.default(ajv)
ajv.addFormat('url', (text: string) => URL.canParse(text))

/** Turns OpenAPI 3.0's `nullable` into JSON Schema's null type. */
function toJsonSchema(node: Node): Node {
  if (Array.isArray(node)) return node.map(toJsonSchema)
  if (node === null || typeof node !== 'object') return node
  const { nullable, ...rest } = node
  const plain = Object.fromEntries(Object.entries(rest).map(([k, v]) => [k, toJsonSchema(v)]))
  if (typeof plain.$ref === 'string') plain.$ref = plain.$ref.replace('#/components', 'record#')
  return nullable ? { anyOf: [{ type: 'null' }, plain] } : plain
}

if (hasRecord) {
  const schemas = toJsonSchema(record.components.schemas)
  ajv.addSchema({ $id: 'record', schemas })
}

const compiled = new Map<string, ValidateFunction | null>()

/** Our operations that are also in the record. */
export const recordedOperations = (Object.keys(operations) as OperationId[]).filter(id => {
  const { method, path } = operations[id]
  return record.paths[path]?.[method.toLowerCase()] !== undefined
})

/** The events to which the record's webhooks can subscribe. */
export const recordedEventNames: readonly string[] =
  record.components?.schemas.WebhookEventType.enum ?? []

/** A schema of the record, as written there. */
export type Schema = Node

const named = (ref: string): Node => record.components.schemas[ref.split('/').pop()!]

/** The schema behind a reference, with the reference's `nullable`. */
export function recordSchema(schema: Schema): Schema {
  const [only] = schema.allOf ?? []
  const found = only ?? schema
  const inner = found.$ref ? named(found.$ref) : found
  return schema.nullable ? { ...inner, nullable: true } : inner
}

const recorded = (id: OperationId): Node =>
  record.paths[operations[id].path][operations[id].method.toLowerCase()]

/** The JSON request body schema of an operation in the record; null if it has none. */
export function recordedBody(id: OperationId): Schema | null {
  const { requestBody } = recorded(id)
  // A body shared by two operations is a reference, which ends in the name of its schema.
  if (requestBody?.$ref) return named(requestBody.$ref)
  return requestBody?.content?.['application/json']?.schema ?? null
}

export function recordedQuery(id: OperationId): { name: string; schema: Schema }[] {
  return (recorded(id).parameters ?? []).filter((p: Node) => p.in === 'query')
}

/** Whether the error is about an event type, the only enum of the record that we extend. */
function isOurEventType(e: ErrorObject): boolean {
  return e.keyword === 'enum' && /\/event_types\/\d+$/.test(e.instancePath)
}

/** Violations of the record in an answer; empty if the record has no schema for it. */
export function recordFaults(id: OperationId, status: number, body: unknown): string[] {
  const { method, path } = operations[id]
  const key = `${method} ${path} ${status}`
  if (!compiled.has(key)) {
    const responses = record.paths[path]?.[method.toLowerCase()]?.responses ?? {}
    const content = (responses[status] ?? responses.default)?.content
    const schema = content && (Object.values(content)[0] as Node)?.schema
    compiled.set(key, schema ? ajv.compile(toJsonSchema(schema)) : null)
  }
  const validate = compiled.get(key)
  if (!validate || validate(body)) return []
  return validate
    .errors!.filter(e => !isOurEventType(e))
    .map(e => `${key}${e.instancePath} ${e.message}`)
}
