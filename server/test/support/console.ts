/** Signs in to the console and sends requests with the session's cookie and CSRF token. */
import { type AdminAnswer, type AdminOperationId, adminOperations } from '@headroom/contract'
import { expect } from 'vitest'
import { createOperator } from '../../src/platform/access/index.ts'
import { transaction } from '../../src/platform/db/transaction.ts'
import type { TestApp } from './app.ts'

export const PASSWORD = 'a password of this test'

export interface Answer {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: any response body; tests state what they expect
  readonly body: any
}

export interface Person {
  readonly cookie: string
  readonly csrf_token: string
  /** Sends a request in the session. `partner_id` selects the partner that the request concerns. */
  call(method: string, path: string, options?: CallOptions): Promise<Answer>
  /** Calls a back-office operation, and expects it to succeed. */
  admin<N extends AdminOperationId>(
    id: N,
    input?: { params?: Record<string, string>; query?: Record<string, string>; body?: unknown },
  ): Promise<AdminAnswer<N>>
}

interface CallOptions {
  readonly body?: unknown
  readonly partner_id?: string
  readonly headers?: Record<string, string>
}

/** Creates an operator, or a partner user if `partner_id` is given. Returns the user's ID. */
export async function createOperatorSession(
  { context }: Pick<TestApp, 'context'>,
  request: { email: string; role?: 'viewer' | 'reviewer' | 'admin'; partner_id?: string },
): Promise<string> {
  const made = await transaction(context.database, { partners: '*', actor: 'command line' }, tx =>
    createOperator(tx, { ...request, password: PASSWORD }),
  )
  return made.operator_id
}

async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.includes('json')
  const body = isJson ? JSON.parse(text) : text
  return { status: response.status, headers: response.headers, body }
}

export async function trySignIn(
  { base_url }: Pick<TestApp, 'base_url'>,
  credentials: { email: string; password?: string; code?: string },
): Promise<Answer> {
  const response = await fetch(`${base_url}/admin/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ password: PASSWORD, ...credentials }),
  })
  return answerOf(response)
}

/** Signs in a user created by `createOperatorSession`. */
export async function signIn(
  app: Pick<TestApp, 'base_url'>,
  email: string,
  code?: string,
): Promise<Person> {
  const { status, headers, body } = await trySignIn(app, { email, ...(code && { code }) })
  expect(status, JSON.stringify(body)).toBe(201)
  const cookie = headers.get('set-cookie')!.split(';', 1)[0]!
  return personOf(app, cookie, body.csrf_token)
}

function personOf(
  { base_url }: Pick<TestApp, 'base_url'>,
  cookie: string,
  csrf_token: string,
): Person {
  const call: Person['call'] = async (method, path, { body, partner_id, headers } = {}) => {
    const response = await fetch(`${base_url}${path}`, {
      method,
      headers: {
        cookie,
        ...(method !== 'GET' && { 'x-csrf-token': csrf_token }),
        ...(partner_id && { 'headroom-partner': partner_id }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    return answerOf(response)
  }
  return {
    cookie,
    csrf_token,
    call,
    admin: async (id, { params = {}, query, body } = {}) => {
      const { method, path, success } = adminOperations[id]
      const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => params[name]!)
      const requested = query ? `?${new URLSearchParams(query)}` : ''
      const answer = await call(method, filled + requested, { body })
      expect(answer.status, JSON.stringify(answer.body)).toBe(success)
      return answer.body
    },
  }
}

/** Creates two reviewers and a viewer of the lender, and signs them in. */
export async function createOperators(app: TestApp) {
  const signedIn = async (name: string, role: 'viewer' | 'reviewer') => {
    const email = `${name}@lender.example`
    await createOperatorSession(app, { email, role })
    return signIn(app, email)
  }
  return {
    ana: await signedIn('ana', 'reviewer'),
    bob: await signedIn('bob', 'reviewer'),
    viewer: await signedIn('vera', 'viewer'),
  }
}

/** The number of work items of a kind on the Today page. */
export async function countWork(person: Person, kind: string): Promise<number> {
  return (await person.admin('getToday')).work.find(work => work.kind === kind)?.waiting ?? 0
}
