/** Common to every request: IDs, headers, methods, refusals, the log. */
import { once } from 'node:events'
import { connect as dial } from 'node:net'
import { type Operation, operations, problems } from '@headroom/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type HttpFixture, startHttpFixture } from './fixture.ts'

const EMPTY_PAGE = {
  data: [],
  count: 0,
  page_size: 100,
  next_page: null,
  previous_page: null,
  total: 0,
}
let meanwhile = async (): Promise<void> => {}
let app: HttpFixture
beforeAll(async () => {
  app = await startHttpFixture({
    handlers: {
      listLoans: async () => {
        throw new Error('the secret recipe: postgres://user:pass@host')
      },
      listBills: async tx => {
        await meanwhile()
        await tx.raw('select 1')
        return EMPTY_PAGE
      },
      listPayments: async () => ({ data: [{ secret: 1 }] }) as never,
      generateSandboxIban: async () => ({
        iban: 'FR7630006000011234567890189',
        bank_identifier: 'B',
      }),
    },
  })
})
afterAll(() => app?.stop())

const json = { 'content-type': 'application/json' }

async function refused(path: string, init: Parameters<HttpFixture['fetch']>[1] = {}) {
  const response = await app.fetch(path, init)
  const body = (await response.json()) as Record<string, unknown>
  return { response, body, status: response.status, code: body.code }
}

describe('a problem', () => {
  it('has all the members RFC 9457 and the contract require', async () => {
    const { response, body } = await refused('/nowhere?x=1', {
      headers: { 'x-request-id': 'abc-1' },
    })
    expect(response.headers.get('content-type')).toContain('application/problem+json')
    expect(body).toEqual({
      type: 'http://house.test/problems/route_unknown',
      title: problems.route_unknown.title,
      status: 404,
      detail: 'Nothing is served at GET /nowhere.',
      instance: '/nowhere',
      code: 'route_unknown',
      invalid_params: [],
      request_id: 'abc-1',
    })
  })

  it('for an error of the service hides its cause, which is logged', async () => {
    const { status, body } = await refused('/loans')
    expect(status).toBe(500)
    expect(JSON.stringify(body)).not.toContain('recipe')
    const line = app.log.find(entry => entry.request_id === body.request_id && entry.err)
    expect(JSON.stringify(line)).toContain('recipe')
  })

  it('replaces an answer that violates the contract', async () => {
    expect(await refused('/payments')).toMatchObject({ status: 500, code: 'internal_error' })
  })

  it.each([
    ['a broken escape', '/loan/%ZZ', {}, 400, 'header_invalid'],
    ['a long parameter', `/loan/${'a'.repeat(300)}`, {}, 422, 'request_invalid'],
    ['an endless parameter', `/loan/${'a'.repeat(5000)}`, {}, 400, 'header_invalid'],
    ['an unsupported method', '/loans', { method: 'DELETE' }, 405, 'method_unsupported'],
    ['a trailing slash', '/loans/', {}, 404, 'route_unknown'],
    [
      'XML',
      '/keys',
      { method: 'POST', body: '<a/>', headers: { 'content-type': 'text/xml' } },
      415,
    ],
    ['a form', '/keys', { method: 'POST', body: new URLSearchParams({ a: '1' }) }, 415],
    ['bytes of an unknown type', '/keys', { method: 'POST', body: new Uint8Array([1]) }, 415],
    [
      'incomplete JSON',
      '/keys',
      { method: 'POST', body: '{', headers: json },
      422,
      'body_malformed',
    ],
    [
      'compressed JSON',
      '/keys',
      { method: 'POST', body: '{}', headers: { ...json, 'content-encoding': 'gzip' } },
      415,
    ],
    ['no body', '/keys', { method: 'POST' }, 422, 'request_invalid'],
    ['an empty body', '/keys', { method: 'POST', body: '', headers: json }, 422, 'request_invalid'],
    [
      'a huge body',
      '/keys',
      { method: 'POST', body: `"${'x'.repeat(17 << 20)}"`, headers: json },
      413,
    ],
  ] as const)('refuses %s', async (_, path, init, status, code = undefined) => {
    const answer = await refused(path, init as RequestInit)
    expect(answer.status).toBe(status)
    if (code) expect(answer.code).toBe(code)
  })

  it('names the maximum body size', async () => {
    const tell = async (path: string) => {
      const body = `"${'x'.repeat(17 << 20)}"`
      return (await refused(path, { method: 'POST', body, headers: json })).body.detail
    }
    expect(await tell('/keys')).toContain('1 MB, 10,000 keys and array items, 32 levels')
    expect(await tell('/invoices')).toContain('16 MB, 10,000 keys')
    expect(await tell('/business/data/invoices')).toContain('16 MB, 500,000 keys')
  })

  it('answers input that is not HTTP', async () => {
    const { port, hostname } = new URL(app.base_url)
    const socket = dial(Number(port), hostname)
    let text = ''
    socket.on('data', chunk => {
      text += chunk
    })
    socket.write('POTATO\r\n\r\n')
    await once(socket, 'close')
    expect(text).toMatch(/^HTTP\/1.1 400 /)
    expect(JSON.parse(text.split('\r\n\r\n')[1]!)).toMatchObject({ code: 'header_invalid' })
  })
})

describe('methods', () => {
  it('are listed for an existing path', async () => {
    const wrong = await app.fetch('/loans', { method: 'PUT' })
    expect(wrong.headers.get('allow')).toBe('GET, HEAD, OPTIONS, POST')
    const options = await app.fetch('/loans', { method: 'OPTIONS', key: null })
    expect(options.status).toBe(204)
    expect(options.headers.get('allow')).toBe('GET, HEAD, OPTIONS, POST')
    expect((await app.fetch('/nowhere', { method: 'OPTIONS' })).status).toBe(404)
  })

  it('HEAD answers as GET, without the body', async () => {
    const head = await app.fetch('/hello', { method: 'HEAD' })
    expect(head.status).toBe(200)
    expect(Number(head.headers.get('content-length'))).toBeGreaterThan(0)
    expect(await head.text()).toBe('')
    expect((await app.fetch('/hello', { method: 'HEAD', key: null })).status).toBe(401)
  })

  it('every operation and alias of the contract is served', async () => {
    const routes = Object.values(operations as Record<string, Operation>).flatMap(operation =>
      [operation, ...(operation.aliases ?? [])].map(({ path, method }) => ({
        path: path.replace(/\{\w+\}/g, 'x'),
        method: method ?? operation.method,
        open: operation.scope === null,
      })),
    )
    for (const { path, method, open } of routes) {
      const { status } = await app.fetch(path, { method, key: null })
      // Open operations may reach a handler that this server lacks.
      const found = open && [422, 500].includes(status) ? 'open' : status
      expect([method, path, found]).toEqual([method, path, open ? 'open' : 401])
    }
  })
})

describe('aliases', () => {
  it('give the same answer, and announce their removal', async () => {
    const path = '/credit-line/x'
    const alias = await refused(path)
    expect(alias.status).toBe(422)
    expect(alias.response.headers.get('deprecation')).toBe('@1782864000')
    expect(alias.response.headers.get('sunset')).toBe('Sat, 01 Jul 2028 00:00:00 GMT')
    const own = await refused('/credit_line/x')
    expect(own.status).toBe(422)
    expect(own.response.headers.get('deprecation')).toBeNull()
  })
})

describe('every response', () => {
  it('returns a valid request id and replaces an invalid one', async () => {
    const ids = ['a', 'A-1.b:c_d', 'x'.repeat(128)]
    for (const id of ids) {
      const { headers } = await app.fetch('/hello', { headers: { 'x-request-id': id } })
      expect(headers.get('x-request-id')).toBe(id)
    }
    for (const id of ['x'.repeat(129), 'a b', '<x>', '{"a":1}', '']) {
      const { headers } = await app.fetch('/hello', { headers: { 'x-request-id': id } })
      expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
    }
  })

  it('has security headers for browsers', async () => {
    for (const path of ['/hello', '/nowhere', '/healthz', '/openapi.json']) {
      const { headers } = await app.fetch(path)
      expect(headers.get('content-security-policy')).toContain("default-src 'none'")
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('referrer-policy')).toBe('no-referrer')
      expect(headers.get('x-frame-options')).toBe('DENY')
      expect(headers.get('access-control-allow-origin')).toBeNull()
    }
  })

  it('leaves one line in the log, without secrets', async () => {
    const { key } = app.partner.key
    await app.fetch('/hello?signature=abc', { headers: { 'x-request-id': 'for-the-log' } })
    const [line, ...more] = app.log.filter(entry => entry.request_id === 'for-the-log')
    expect(more).toEqual([])
    expect(line).toMatchObject({
      method: 'GET',
      path: '/hello',
      operation: 'hello',
      status: 422,
      partner_id: app.partner.partner_id,
    })
    expect(JSON.stringify(app.log)).not.toContain(key)
    expect(JSON.stringify(app.log)).not.toContain('signature=abc')
  })
})

describe('a database that goes away', () => {
  it('gives running requests a 503, and nothing worse', async () => {
    const gate = Promise.withResolvers<void>()
    const begun = Promise.withResolvers<void>()
    meanwhile = () => {
      begun.resolve()
      return gate.promise
    }
    const running = refused('/bills')
    await begun.promise
    await app.database.pool.query(`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and state = 'idle in transaction'`)
    gate.resolve()
    const { status, code, response } = await running
    expect([status, code]).toEqual([503, 'not_ready'])
    expect(response.headers.get('retry-after')).toBe('2')
    meanwhile = async () => {}
    expect((await app.fetch('/bills')).status).toBe(200)
  })
})

describe('health', () => {
  it('needs no key and reports the true state', async () => {
    expect((await app.fetch('/healthz', { key: null })).status).toBe(200)
    expect(await (await app.fetch('/readyz', { key: null })).json()).toEqual({ status: 'ready' })
    const { pool } = app.database
    const { rows } = await pool.query(
      'select name, hash from migrations order by name desc limit 1',
    )
    await pool.query('delete from migrations where name = $1', [rows[0].name])
    const { status, body } = await refused('/readyz')
    expect([status, body.code, body.detail]).toEqual([
      503,
      'not_ready',
      expect.stringContaining(rows[0].name),
    ])
    await pool.query('insert into migrations values ($1, $2)', [rows[0].name, rows[0].hash])
    expect((await app.fetch('/readyz')).status).toBe(200)
  })

  it('exports Prometheus counters', async () => {
    await app.fetch('/hello')
    const text = await (await app.fetch('/metrics', { key: null })).text()
    expect(text).toMatch(/headroom_http_requests_total\{operation="hello",status="200"\} [1-9]/)
    expect(text).toMatch(/headroom_http_request_seconds_count\{operation="hello"\} [1-9]/)
    expect(text).toMatch(/headroom_database_connections\{state="open"\} [1-9]/)
    expect(text).toContain('nodejs_eventloop_lag_seconds')
  })
})
