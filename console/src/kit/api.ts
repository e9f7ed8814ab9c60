/** Calls operations of the contract by id, on behalf of a partner or for the back office. */
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
import { writePageQuery } from './page-query.ts'

/** An error response of the server, with the fields of its problem document. */
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
  /** The partner to act for; absent in the back office. */
  readonly partner?: string | undefined
}

export type AnswerOf<Id extends OperationId | AdminOperationId> = Id extends OperationId
  ? Answer<Id>
  : Id extends AdminOperationId
    ? AdminAnswer<Id>
    : never

let csrf_token = ''

/** Stores the session's CSRF token, which every write sends. */
export function keepCsrfToken(token: string): void {
  csrf_token = token
}

let notifySessionEnd = () => {}

/** Sets the function to call when a response says that the session has ended. */
export function onSessionEnd(listener: () => void): void {
  notifySessionEnd = listener
}

/**
 * Calls an operation. Throws a `Problem` for an error response, another error if no response comes.
 */
export async function call<Id extends OperationId | AdminOperationId>(
  id: Id,
  { params, query, body, partner }: Input<Id> = {},
): Promise<AnswerOf<Id>> {
  const [method, path] = places[id]!
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String((params as Record<string, unknown>)[name])),
  )
  return send(method, filled + writePageQuery(query ?? {}), body, partner) as Promise<AnswerOf<Id>>
}

/** Follows a URL from a response, such as that of the next page. */
export async function fetchAddress<T>(address: string, partner?: string): Promise<T> {
  return send('GET', address, undefined, partner) as Promise<T>
}

/** Idempotency keys of writes with an unknown outcome; a retry sends the same key. */
const unanswered = new Map<string, string>()

/** Whether the outcome is unknown: the write may be done or still running. */
const isUnknown = (error: unknown) =>
  !(error instanceof Problem) || error.status >= 500 || error.code === 'request_running'

/** A write that was captured instead of sent, as a step of a decision. */
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

/** Returns the first write that `run` would send, without sending it. */
export async function captureWrite(run: () => Promise<unknown>): Promise<PlannedWrite> {
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

/** Executes a step of an approved decision exactly as it was proposed. */
export function executeStep(decision_id: string, step: Step, partner: string): Promise<unknown> {
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

/** The body of the response: JSON, a blob for a file, or null for 204. */
async function answerOf(address: string, request: RequestInit): Promise<unknown> {
  const response = await fetch(address, { credentials: 'same-origin', ...request })
  const json = response.headers.get('content-type')?.includes('json')
  if (!response.ok) {
    const problem = new Problem(response.status, json ? await response.json() : {})
    if (['session_missing', 'key_missing'].includes(problem.code)) notifySessionEnd()
    throw problem
  }
  if (response.status === 204) return null
  return json ? response.json() : response.blob()
}
