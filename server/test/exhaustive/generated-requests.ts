/** Requests generated from an operation's own schemas: valid ones and bad ones. */
import {
  type Json,
  jsonSchema,
  type Operation,
  type OperationId,
  operations,
} from '@headroom/contract'
import { invalidate, pick, type Random, validValue, type World } from './schema-values.ts'

export interface GeneratedRequest {
  readonly id: OperationId
  readonly method: string
  readonly address: string
  readonly body: string | undefined
}

/**
 * Operations left out, because they would delete the data under test, run for minutes, or make
 * every later write require a decision.
 */
export const EXCLUDED: readonly OperationId[] = ['resetSandbox', 'advanceSandboxClock', 'setGate']

const forms = (Object.entries(operations) as [OperationId, Operation][])
  .filter(([id]) => !EXCLUDED.includes(id))
  .map(([id, operation]) => ({
    id,
    operation,
    body: operation.body && jsonSchema(operation.body, 'input'),
    query: operation.query && jsonSchema(operation.query, 'input'),
  }))

/** Operations with input; the others have no bad requests. */
export const refusable: readonly OperationId[] = forms
  .filter(({ operation }) => operation.params || operation.query || operation.body)
  .map(({ id }) => id)

export const dated: readonly OperationId[] = forms
  .filter(({ body, query }) => JSON.stringify([body, query]).includes('"format":"date'))
  .map(({ id }) => id)

/** The nth bad request: operations take turns, with a fault in body, query or path. */
export function badRequest(n: number, random: Random, world: World): GeneratedRequest {
  const attacked = forms[n % forms.length]!
  const { operation, query } = attacked
  if (operation.body && random() < 0.8) return requestTo(attacked, random, world, 'body')
  return requestTo(attacked, random, world, query && random() < 0.7 ? 'query' : 'path')
}

/** A request valid under the operation's schemas, with fields taken from existing data. */
export function fittingRequest(id: OperationId, random: Random, world: World): GeneratedRequest {
  return requestTo(forms.find(form => form.id === id)!, random, world, null)
}

function requestTo(
  { id, operation, body, query }: (typeof forms)[number],
  random: Random,
  world: World,
  spoil: 'body' | 'query' | 'path' | null,
): GeneratedRequest {
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(pathValue(name, random, world, spoil === 'path')),
  )
  const requested = query && queryOf(query, random, world, spoil === 'query')
  const sent = body && validValue(body, body, random, world)
  return {
    id,
    method: operation.method,
    address: requested ? `${path}?${requested}` : path,
    body: body && JSON.stringify(spoil === 'body' ? invalidate(sent, random) : sent),
  }
}

function pathValue(name: string, random: Random, world: World, bad: boolean): string {
  const known = world[name]
  if (bad || !known) return pick(random, [crypto.randomUUID(), 'x', '0', '💩', "' or 1=1"])
  return String(pick(random, known))
}

function queryOf(schema: Json, random: Random, world: World, bad: boolean): string {
  const fields = validValue(schema, schema, random, world)
  const requested = bad ? invalidate(fields, random) : fields
  const pairs = Object.entries((requested ?? {}) as Record<string, unknown>).flatMap(
    ([name, value]) => (Array.isArray(value) ? value : [value]).map(v => [name, textOf(v)]),
  )
  return new URLSearchParams(pairs as [string, string][]).toString()
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.toWellFormed() : JSON.stringify(value)
}
