/** Generates the OpenAPI 3.1 document from the contract, and JSON Schemas from its schemas. */
import { z } from 'zod'
import { type EventType, type Method, OF_THE_DAY, type Operation } from './define.ts'
import { BODY_DEPTH_MAX, bodyLimitsOf, describeLimits } from './limits.ts'
import { type ProblemCode, problems } from './problems.ts'
import { ProblemBody } from './shared.ts'

export type Json = { [key: string]: unknown }

const SELF_EVIDENT_FORMATS = ['date', 'date-time', 'email', 'uuid']

/** Removes redundant or misleading constraints, and the metadata of `dayDependent`. */
function tidy(schema: Json, io: 'input' | 'output') {
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum
  if (SELF_EVIDENT_FORMATS.includes(String(schema.format))) delete schema.pattern
  // Without the Unicode flag, `\P{Cc}` has another meaning, so the pattern would mislead readers.
  if (String(schema.pattern).includes('\\P{Cc}')) delete schema.pattern
  delete schema[OF_THE_DAY]
  // New fields in answers are not a breaking change.
  if (io === 'output' && schema.additionalProperties === false) delete schema.additionalProperties
}

/**
 * JSON Schema (2020-12) of an `input` or `output`, with named schemas in `$defs`. Throws if a
 * schema cannot be expressed.
 */
export function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io,
    override: ({ jsonSchema }) => tidy(jsonSchema as Json, io),
  }) as Json
  return rest
}

function schemaCollector() {
  const components: Record<string, unknown> = {}

  function collect(schema: z.ZodType, io: 'input' | 'output'): Json {
    const text = JSON.stringify(jsonSchema(schema, io))
    const moved = JSON.parse(text.replaceAll('"#/$defs/', '"#/components/schemas/')) as Json
    const { $defs = {}, id: _, ...rest } = moved as { $defs?: Json; id?: string } & Json
    for (const [name, value] of Object.entries($defs)) define(name, value as Json)
    const name = schema.meta()?.id
    if (!name || '$ref' in rest) return rest
    define(name, rest)
    return { $ref: `#/components/schemas/${name}` }
  }

  function define(name: string, { id: _, ...schema }: Json) {
    const known = components[name]
    if (known && JSON.stringify(known) !== JSON.stringify(schema)) {
      throw new Error(`two different schemas are named ${name}`)
    }
    components[name] = schema
  }

  return { components, collect }
}

type Collector = ReturnType<typeof schemaCollector>

const takesIdempotencyKey = (method: Method) => ['POST', 'PATCH', 'PUT'].includes(method)

export const GATE_PROBLEMS = [
  'decision_required',
  'decision_id_invalid',
  'decision_unknown',
  'proposer_unrecognised',
  'proposer_mismatched',
  'decision_unapproved',
  'operation_unplanned',
  'step_executed',
] as const satisfies readonly ProblemCode[]

/** Every problem that an operation can return: its own and the common ones. */
export function problemsOf(operation: Operation): ProblemCode[] {
  const codes: ProblemCode[] = ['header_invalid', 'rate_limited', 'internal_error']
  codes.push('not_ready', 'storage_full', 'connections_exhausted', 'timed_out')
  codes.push(...operation.problems)
  if (operation.method !== 'GET') codes.push('outcome_unknown')
  if (operation.scope) codes.push('key_missing', 'key_invalid')
  if (operation.scope && operation.scope !== 'any') codes.push('scope_missing')
  if (operation.params) codes.push('resource_unknown')
  if (operation.params || operation.query || operation.body) codes.push('request_invalid')
  if (operation.body) codes.push('body_malformed', 'body_too_large', 'media_type_unsupported')
  if (operation.gated) codes.push(...GATE_PROBLEMS, 'partner_suspended')
  if (operation.sandbox) codes.push('agent_refused')
  if (takesIdempotencyKey(operation.method)) codes.push('idempotency_conflict', 'request_running')
  return codes
}

const PROBLEM_RESPONSES = Object.fromEntries(
  [...new Set(Object.values(problems).map(problem => problem.status))].map(status => [
    `Problem${status}`,
    {
      description: Object.entries(problems)
        .filter(([, problem]) => problem.status === status)
        .map(([code, { title }]) => `${code}: ${title}`)
        .join('. '),
      content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
    },
  ]),
)

function parameters(operation: Operation, method: Method, { collect }: Collector): Json[] {
  const headers = []
  if (operation.scope) headers.push('HeadroomVersion')
  if (takesIdempotencyKey(method)) headers.push('IdempotencyKey')
  if (operation.gated) headers.push('DecisionId')

  const fields = (where: 'path' | 'query', object?: z.ZodObject) => {
    if (!object) return []
    const { properties = {}, required = [] } = collect(object, 'input')
    return Object.entries(properties as Json).map(([name, schema]) => ({
      name,
      in: where,
      required: (required as string[]).includes(name),
      schema,
    }))
  }
  return [
    ...fields('path', operation.params),
    ...fields('query', operation.query),
    ...headers.map(name => ({ $ref: `#/components/parameters/${name}` })),
  ]
}

function describe(id: string, operation: Operation, method: Method, collector: Collector): Json {
  const { body, success, answer, media_type = 'application/json' } = operation
  const { body_media_type = 'application/json' } = operation
  const content = { [media_type]: { schema: collector.collect(answer, 'output') } }
  const codes = problemsOf(operation).sort()
  const refusals = codes.map(code => [
    problems[code].status,
    { $ref: `#/components/responses/Problem${problems[code].status}` },
  ])
  return {
    operationId: id,
    tags: [operation.scope?.split(':')[0] ?? 'public'],
    summary: operation.summary,
    ...(operation.description && { description: operation.description }),
    security: operation.scope ? [{ bearer: [] }] : [],
    parameters: parameters(operation, method, collector),
    ...(body && {
      requestBody: {
        description: `At most ${describeLimits(bodyLimitsOf(operation))}.`,
        required: !operation.body_optional,
        'x-limits': { ...bodyLimitsOf(operation), depth: BODY_DEPTH_MAX },
        content: { [body_media_type]: { schema: collector.collect(body, 'input') } },
      },
    }),
    responses: {
      [success]: {
        description: success === 204 ? 'Done' : 'The answer',
        headers: { 'X-Request-Id': { $ref: '#/components/headers/RequestId' } },
        ...(success !== 204 && { content }),
      },
      ...Object.fromEntries(refusals),
    },
    'x-problem-codes': codes,
  }
}

function webhookBody(name: string, event: EventType, { collect }: Collector): Json {
  const properties = {
    type: { const: name },
    timestamp: { type: 'string', format: 'date-time' },
    data: collect(event.data, 'output'),
  }
  const schema = { type: 'object', properties, required: ['type', 'timestamp', 'data'] }
  return {
    post: {
      summary: `${event.resource}: ${name}`,
      requestBody: { required: true, content: { 'application/json': { schema } } },
      responses: { '2XX': { description: 'Received' } },
    },
  }
}

const header = (name: string, description: string, schema: Json) => ({
  name,
  in: 'header',
  required: false,
  description,
  schema,
})

const HEADERS = {
  IdempotencyKey: header(
    'Idempotency-Key',
    'The same key with the same content answers what the first request answered.',
    { type: 'string', minLength: 1, maxLength: 255 },
  ),
  HeadroomVersion: header('Headroom-Version', 'Overrides the version pinned on the key.', {
    type: 'string',
    enum: ['2026-07', '2023-09'],
  }),
  DecisionId: header('X-Decision-Id', 'The approved decision that lets an agent do this.', {
    type: 'string',
    format: 'uuid',
  }),
}

function byKey<T>(table: Record<string, T>): Record<string, T> {
  return Object.fromEntries(Object.entries(table).sort(([a], [b]) => (a < b ? -1 : 1)))
}

/**
 * The OpenAPI 3.1 document for a table of operations and the webhook events. Pure, with a stable
 * order. Includes aliases, marked as deprecated.
 */
export function openapi(
  operations: Record<string, Operation>,
  events: Record<string, EventType>,
): Json {
  const collector = schemaCollector()
  collector.collect(ProblemBody, 'output')
  const paths: Record<string, Json> = {}
  for (const [id, operation] of Object.entries(operations)) {
    const own = { method: operation.method, path: operation.path }
    for (const [index, alias] of [own, ...(operation.aliases ?? [])].entries()) {
      const method = alias.method ?? operation.method
      const name = index === 0 ? id : `${id}Alias${index}`
      const described = describe(name, operation, method, collector)
      const item = index === 0 ? described : { ...described, deprecated: true }
      paths[alias.path] = { ...paths[alias.path], [method.toLowerCase()]: item }
    }
  }
  const webhooks: Record<string, Json> = {}
  for (const [name, event] of Object.entries(events)) {
    webhooks[name] = webhookBody(name, event, collector)
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Headroom',
      version: '2026-07',
      description: 'An open, self-hostable lending service. Money is in integer cents.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    paths: byKey(paths),
    webhooks: byKey(webhooks),
    components: {
      schemas: byKey(collector.components),
      responses: PROBLEM_RESPONSES,
      parameters: HEADERS,
      headers: { RequestId: { schema: { type: 'string' } } },
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
    },
  }
}
