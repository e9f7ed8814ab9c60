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

/** Keys of writes whose outcome is unknown: the same write again is sent with the same key. */
const unanswered = new Map<string, string>()

/** Whether the outcome is still unknown: the write may be done, or still be under way. */
const isUnknown = (error: unknown) =>
  !(error instanceof Problem) || error.status >= 500 || error.code === 'request_running'

/** A write that is planned instead of sent: what a decision is made of. */
export class PlannedWrite extends Error {
  readonly method: string
  readonly path: string
  readonly body: unknown
  readonly partner: string | undefined

  constructor(method: string, path: string, body: unknown, partner: string | undefined) {
    super('planned, not sent')
    this.method = method
    this.path = path
    this.body = body
    this.partner = partner
  }
}

let isPlanning = false

/** The first write that `run` would send; nothing of it is sent. */
export async function plan(run: () => Promise<unknown>): Promise<PlannedWrite> {
  isPlanning = true
  try {
    await run()
  } catch (error) {
    if (error instanceof PlannedWrite) return error
    throw error
  } finally {
    isPlanning = false
  }
  throw new Error('It writes nothing.')
}

interface Step {
  readonly method: string
  readonly path: string
  readonly body: unknown
}

/** Sends a step of an approved decision, exactly as it was planned. */
export function carryOut(decision_id: string, step: Step, partner: string): Promise<unknown> {
  return send(step.method, step.path, step.body ?? undefined, partner, decision_id)
}

async function send(
  method: string,
  address: string,
  body: unknown,
  partner?: string,
  decision_id?: string,
) {
  const headers = {
    ...(partner && { 'headroom-partner': partner }),
    ...(decision_id && { 'x-decision-id': decision_id }),
    ...(body !== undefined && { 'content-type': 'application/json' }),
  }
  const text = body === undefined ? {} : { body: JSON.stringify(body) }
  if (method === 'GET') return answerOf(address, { method, headers, ...text })
  if (isPlanning) throw new PlannedWrite(method, address, body, partner)
  const intent = JSON.stringify([method, address, body, partner, decision_id])
  const key = unanswered.get(intent) ?? crypto.randomUUID()
  unanswered.set(intent, key)
  const own = { 'x-csrf-token': csrf_token, 'idempotency-key': key }
  try {
    const answer = await answerOf(address, { method, headers: { ...headers, ...own }, ...text })
    unanswered.delete(intent)
    return answer
  } catch (error) {
    if (!isUnknown(error)) unanswered.delete(intent)
    throw error
  }
}

/** The whole answer. Throws a `Problem` where it is a refusal. */
async function answerOf(address: string, request: RequestInit): Promise<unknown> {
  const response = await fetch(address, { credentials: 'same-origin', ...request })
  const json = response.headers.get('content-type')?.includes('json')
  if (!response.ok) {
    const problem = new Problem(response.status, json ? await response.json() : {})
    if (['session_missing', 'key_missing'].includes(problem.code)) tellEnded()
    throw problem
  }
  if (response.status === 204) return null
  return json ? response.json() : response.blob()
}
