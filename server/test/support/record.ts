/** Holds answers against the public record of the interface, where its file is at hand. */
import { existsSync, readFileSync } from 'node:fs'
import { type OperationId, operations } from '@headroom/contract'
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'

// biome-ignore lint/suspicious/noExplicitAny: an OpenAPI document, walked freely
type Node = any

const file = new URL('../../../../shared/spec/public-record.json', import.meta.url)
export const recordAtHand = existsSync(file)
const record: Node = recordAtHand ? JSON.parse(readFileSync(file, 'utf8')) : { paths: {} }

const ajv = new Ajv({ strict: false, allErrors: true })
addFormats.default(ajv)
ajv.addFormat('url', (text: string) => URL.canParse(text))

/** OpenAPI 3.0 says `nullable` where JSON Schema says null. */
function toJsonSchema(node: Node): Node {
  if (Array.isArray(node)) return node.map(toJsonSchema)
  if (node === null || typeof node !== 'object') return node
  const { nullable, ...rest } = node
  const plain = Object.fromEntries(Object.entries(rest).map(([k, v]) => [k, toJsonSchema(v)]))
  if (typeof plain.$ref === 'string') plain.$ref = plain.$ref.replace('#/components', 'record#')
  return nullable ? { anyOf: [{ type: 'null' }, plain] } : plain
}

if (recordAtHand) {
  const schemas = toJsonSchema(record.components.schemas)
  ajv.addSchema({ $id: 'record', schemas })
}

const compiled = new Map<string, ValidateFunction | null>()

/** The operations of ours that the record shows too. */
export const recordedOperations = (Object.keys(operations) as OperationId[]).filter(id => {
  const { method, path } = operations[id]
  return record.paths[path]?.[method.toLowerCase()] !== undefined
})

/** The events that its webhooks may subscribe to. */
export const recordedEventNames: readonly string[] =
  record.components?.schemas.WebhookEventType.enum ?? []

/** A schema of the record, as the document shows it. */
export type Schema = Node

const named = (ref: string): Node => record.components.schemas[ref.split('/').pop()!]

/** A schema without its reference; `nullable` where the reference said so. */
export function recordSchema(schema: Schema): Schema {
  const [only] = schema.allOf ?? []
  const found = only ?? schema
  const inner = found.$ref ? named(found.$ref) : found
  return schema.nullable ? { ...inner, nullable: true } : inner
}

const recorded = (id: OperationId): Node =>
  record.paths[operations[id].path][operations[id].method.toLowerCase()]

/** The schema of the JSON that the record lets an operation be sent; null where it shows none. */
export function recordedBody(id: OperationId): Schema | null {
  const { requestBody } = recorded(id)
  // Bodies that two operations share are shown by the name of their schema alone.
  if (requestBody?.$ref) return named(requestBody.$ref)
  return requestBody?.content?.['application/json']?.schema ?? null
}

/** The parameters of the query of an operation, as the record shows them. */
export function recordedQuery(id: OperationId): { name: string; schema: Schema }[] {
  return (recorded(id).parameters ?? []).filter((p: Node) => p.in === 'query')
}

/** The one enum that we extend (interface.md, Webhooks). */
function isOurEventType(e: ErrorObject): boolean {
  return e.keyword === 'enum' && /\/event_types\/\d+$/.test(e.instancePath)
}

/** What is wrong with an answer by the record; nothing where the record has no schema for it. */
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
