/** Asks the server: by the names of the contract's operations, in the world of one partner. */

import { places } from 'virtual:contract'
import type {
  AdminAnswer,
  AdminOperationId,
  AdminOperations,
  Answer,
  OperationId,
  Operations,
} from '@headroom/contract'
import type { z } from 'zod'
import { writeAsked } from './address.ts'

/** What was refused, and why: the body of a problem. */
export class Problem extends Error {
  readonly code: string
  readonly status: number
  readonly request_id: string
  readonly invalid_params: readonly { readonly name: string; readonly reason: string }[]

  constructor(status: number, body: Partial<Problem> & { title?: string; detail?: string }) {
    super(body.detail || body.title || `The server answered ${status}.`)
    this.status = status
    this.code = body.code ?? 'internal_error'
    this.request_id = body.request_id ?? ''
    this.invalid_params = body.invalid_params ?? []
  }
}

type Part<O, Name extends string> =
  O extends Record<Name, infer S extends z.ZodType> ? z.input<S> : never
type Row<Id extends OperationId | AdminOperationId> = Id extends OperationId
  ? Operations[Id]
  : Id extends AdminOperationId
    ? AdminOperations[Id]
    : never

export interface Input<Id extends OperationId | AdminOperationId> {
  readonly params?: Part<Row<Id>, 'params'>
  readonly query?: Part<Row<Id>, 'query'>
  readonly body?: Part<Row<Id>, 'body'>
  /** Whose world it is asked in; the back office has none. */
  readonly partner?: string | undefined
}

export type AnswerOf<Id extends OperationId | AdminOperationId> = Id extends OperationId
  ? Answer<Id>
  : Id extends AdminOperationId
    ? AdminAnswer<Id>
    : never

let csrf_token = ''

/** The token of the session, sent with everything that writes. */
export function keepCsrfToken(token: string): void {
  csrf_token = token
}

let tellEnded = () => {}

/** Says whom to tell that the session has ended: whatever is asked next is asked by nobody. */
export function onSessionEnd(listener: () => void): void {
  tellEnded = listener
}

/** Calls an operation. Throws a `Problem` when it is refused, or when nobody answers. */
export async function call<Id extends OperationId | AdminOperationId>(
  id: Id,
  { params, query, body, partner }: Input<Id> = {},
): Promise<AnswerOf<Id>> {
  const [method, path] = places[id]!
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String((params as Record<string, unknown>)[name])),
  )
  return send(method, filled + writeAsked(query ?? {}), body, partner) as Promise<AnswerOf<Id>>
}

/** Follows an address that an answer gave, such as that of the next page. */
export async function follow<T>(address: string, partner?: string): Promise<T> {
  return send('GET', address, undefined, partner) as Promise<T>
}

/** Keys of writes that nobody has answered yet: who asks for the same again means the same. */
const unanswered = new Map<string, string>()

async function send(method: string, address: string, body: unknown, partner?: string) {
  const writes = method !== 'GET'
  const intent = JSON.stringify([method, address, body, partner])
  const key = unanswered.get(intent) ?? crypto.randomUUID()
  if (writes) unanswered.set(intent, key)
  const response = await fetch(address, {
    method,
    credentials: 'same-origin',
    headers: {
      ...(partner && { 'headroom-partner': partner }),
      ...(writes && { 'x-csrf-token': csrf_token, 'idempotency-key': key }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  unanswered.delete(intent)
  const json = response.headers.get('content-type')?.includes('json')
  if (!response.ok) {
    const problem = new Problem(response.status, json ? await response.json() : {})
    if (['session_missing', 'key_missing'].includes(problem.code)) tellEnded()
    throw problem
  }
  if (response.status === 204) return null
  return json ? response.json() : response.blob()
}
