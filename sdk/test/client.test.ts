/**
 * The client against a stub server: the requests it sends, its retries, and how it reads responses.
 */
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Loan } from '@headroom/contract'
import { afterAll, beforeEach, describe, expect, expectTypeOf, it } from 'vitest'
import { createClient, HeadroomProblem } from '../src/index.ts'

interface Sent {
  method: string
  url: string
  headers: IncomingMessage['headers']
  body: string
}
type Answer = { status?: number; headers?: Record<string, string>; body?: unknown } | 'hang up'

let sent: Sent[] = []
let answers: Answer[] = []
const server: Server = createServer(async (request, response) => {
  let body = ''
  for await (const chunk of request) body += chunk
  const { method = '', url = '', headers } = request
  sent.push({ method, url, headers, body })
  const answer = answers.length > 1 ? answers.shift()! : answers[0]!
  if (answer === 'hang up') {
    request.socket.destroy()
    return
  }
  response.writeHead(answer.status ?? 200, {
    'content-type': 'application/json',
    ...answer.headers,
  })
  const text = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body ?? {})
  response.end(answer.status === 204 ? undefined : text)
})
await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
const base_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
afterAll(() => server.close())
beforeEach(() => {
  sent = []
  answers = [{}]
})

const client = createClient({ base_url, key: 'hr_sandbox_x' })
const loan_id = '01890000-0000-7000-8000-000000000000'

describe('requests', () => {
  it('fills the path, the query and the body from one object', async () => {
    await client.getLoanPayoff({ loan_id, on: '2026-08-01' })
    await client.listLoans({ status: ['TO_REPAY', 'CLOSED'], postponed: true, page_size: 5 })
    await client.rotateKey({ key_id: loan_id, overlap_hours: 1 })
    await client.validateLoan({ loan_id })
    await client.createKey({ name: 'é', actor: 'agent' })
    expect(sent.map(({ method, url, body }) => [method, url, body])).toEqual([
      ['GET', `/loan/${loan_id}/payoff?on=2026-08-01`, ''],
      ['GET', '/loans?status=TO_REPAY&status=CLOSED&postponed=true&page_size=5', ''],
      ['POST', `/key/${loan_id}/rotate`, '{"overlap_hours":1}'],
      ['POST', `/loan/${loan_id}/validate`, ''],
      ['POST', '/keys', '{"name":"é","actor":"agent"}'],
    ])
    expect(sent[4]!.headers['content-type']).toBe('application/json')
  })

  it('encodes path parameters, so that they cannot change the path', async () => {
    await client.getLoan({ loan_id: '../keys?x=1#' }).catch(() => {})
    expect(sent[0]!.url).toBe('/loan/..%2Fkeys%3Fx%3D1%23')
  })

  it('sends key, version, decision and custom headers', async () => {
    const old = createClient({ base_url, key: 'k', version: '2023-09' })
    const options = { decision_id: loan_id, headers: { 'x-request-id': 'r' } }
    await old.cancelLoan({ loan_id }, { ...options, idempotency_key: 'once' })
    expect(sent[0]!.headers).toMatchObject({
      authorization: 'Bearer k',
      'headroom-version': '2023-09',
      'x-decision-id': loan_id,
      'x-request-id': 'r',
      'idempotency-key': 'once',
    })
    await old.hello()
    expect(sent[1]!.headers).not.toHaveProperty('idempotency-key')
  })
})

describe('answers', () => {
  it('reads JSON, text and empty answers, with status and headers on request', async () => {
    answers = [{ body: 'Hello' }]
    expect(await client.hello()).toBe('Hello')
    answers = [{ status: 204 }]
    expect(await client.deleteWebhook({ webhook_id: loan_id })).toBeNull()
    answers = [{ status: 201, headers: { 'x-a': 'b' }, body: { id: 1 } }]
    const answered = await client.call('createKey', { name: 'x', actor: 'agent' })
    expect([answered.status, answered.headers.get('x-a'), answered.data]).toEqual([
      201,
      'b',
      { id: 1 },
    ])
  })

  it('throws a HeadroomProblem for a refusal', async () => {
    const invalid_params = [{ name: 'loan_id', reason: 'is wrong' }]
    const body = {
      title: 't',
      detail: 'd',
      code: 'request_invalid',
      invalid_params,
      request_id: 'r',
      resource_id: 'i',
    }
    answers = [{ status: 422, body }]
    const error = await client.getLoan({ loan_id }).catch(thrown => thrown)
    expect(error).toBeInstanceOf(HeadroomProblem)
    const { title, code, request_id, resource_id } = body
    expect(error).toMatchObject({
      status: 422,
      message: 'd',
      title,
      code,
      invalid_params,
      request_id,
      resource_id,
    })
    answers = [{ status: 502, body: '<html>' }]
    expect(await client.getLoan({ loan_id }).catch(thrown => thrown)).toMatchObject({
      status: 502,
      code: 'unknown',
      invalid_params: [],
    })
    expect(sent).toHaveLength(2)
  })

  it('has the types of the contract', () => {
    expectTypeOf(client.getLoan).returns.resolves.toEqualTypeOf<Loan>()
    expectTypeOf(client.hello).returns.resolves.toEqualTypeOf<string>()
    expectTypeOf<Parameters<typeof client.getLoan>[0]>().toEqualTypeOf<{ loan_id: string }>()
    expectTypeOf<Parameters<typeof client.listKeys>[0]>().toEqualTypeOf<
      { cursor?: string; page_size?: number } | undefined
    >()
    // @ts-expect-error: a required field is missing
    void (() => client.createKey({ name: 'x' }))
    // @ts-expect-error: no such field
    void (() => client.getLoan({ loan_id, typo: 1 }))
    // @ts-expect-error: not a list
    void (() => client.each('getLoan', { loan_id }))
  })
})

describe('retries', () => {
  const down = { status: 503, body: { code: 'not_ready' }, headers: { 'retry-after': '0' } }

  it('repeats a write with the same key until it succeeds', async () => {
    const running = { status: 409, body: { code: 'request_running' } }
    answers = ['hang up', down, running, { status: 201, body: { id: 'x' } }]
    expect(await client.createKey({ name: 'x', actor: 'agent' })).toEqual({ id: 'x' })
    expect(sent).toHaveLength(4)
    expect(new Set(sent.map(({ headers }) => headers['idempotency-key'])).size).toBe(1)
    expect(new Set(sent.map(({ body }) => body)).size).toBe(1)
  })

  it('stops after the configured number of attempts', async () => {
    answers = [down]
    const patient = createClient({ base_url, key: 'k', attempts_max: 2 })
    await expect(patient.getLoan({ loan_id })).rejects.toMatchObject({ status: 503 })
    expect(sent).toHaveLength(2)
    answers = ['hang up']
    await expect(patient.getLoan({ loan_id })).rejects.toThrow(TypeError)
    expect(sent).toHaveLength(4)
  })

  it('waits as long as Retry-After says', async () => {
    answers = [{ status: 429, body: { code: 'rate_limited' }, headers: { 'retry-after': '1' } }, {}]
    const start = performance.now()
    await client.getLoan({ loan_id })
    expect(performance.now() - start).toBeGreaterThan(990)
  })

  it('does not repeat a refusal, an aborted call or an unanswered deletion', async () => {
    for (const status of [400, 401, 403, 404, 409, 422, 500]) {
      answers = [{ status, body: { code: 'state_conflict' } }]
      await expect(client.getLoan({ loan_id })).rejects.toMatchObject({ status })
    }
    expect(sent).toHaveLength(7)
    const stop = AbortSignal.abort(new Error('enough'))
    await expect(client.getLoan({ loan_id }, { signal: stop })).rejects.toThrow('enough')
    answers = ['hang up']
    await expect(client.deleteWebhook({ webhook_id: loan_id })).rejects.toThrow(TypeError)
    expect(sent).toHaveLength(8)
  })
})

describe('each', () => {
  it('follows the pages to the end and keeps the filters', async () => {
    const page = (ids: number[], next_page: string | null) => ({
      body: { data: ids.map(id => ({ id })), next_page },
    })
    answers = [
      page([1, 2], '/loans?status=CLOSED&cursor=a%2Bb'),
      page([], '/loans?cursor=c'),
      page([3], null),
    ]
    const ids: unknown[] = []
    for await (const { id } of client.each('listLoans', { status: ['CLOSED'] })) ids.push(id)
    expect(ids).toEqual([1, 2, 3])
    expect(sent.map(({ url }) => url)).toEqual([
      '/loans?status=CLOSED',
      '/loans?status=CLOSED&cursor=a%2Bb',
      '/loans?status=CLOSED&cursor=c',
    ])
  })

  it('fetches only the pages that are read', async () => {
    answers = [{ body: { data: [{ id: 1 }], next_page: '/loans?cursor=a' } }]
    for await (const _ of client.each('listLoans')) break
    expect(sent).toHaveLength(1)
  })
})
