/** Limits on rate and time, live deployments, shutdown, and requests without a key. */
import { randomBytes } from 'node:crypto'
import { type Operation, operations } from '@headroom/contract'
import { afterAll, beforeAll, describe, expect, it, test, vi } from 'vitest'
import type { Handler } from '../../src/context.ts'
import { accessHandlers } from '../../src/platform/access/index.ts'
import { type HttpFixture, startHttpFixture } from './fixture.ts'

const LIMIT = 20
const realCreateKey = accessHandlers.createKey as Handler<'createKey'>
let gate: Promise<void> = Promise.resolve()
let begun = Promise.withResolvers<void>()
let app: HttpFixture
beforeAll(async () => {
  app = await startHttpFixture({
    config: { mode: 'live', rate_limit: LIMIT, base_url: 'https://lend.test' },
    answer_ms_max: 300,
    handlers: {
      createKey: async (tx, call, context) => {
        begun.resolve()
        await gate
        return realCreateKey(tx, call, context)
      },
    },
  })
})
afterAll(() => app?.stop())

describe('a request that takes too long', () => {
  it('gets a 504, continues, and its repeat gets the answer', async () => {
    const opened = Promise.withResolvers<void>()
    gate = opened.promise
    const input = { name: 'slow', actor: 'agent' } as const
    const options = { idempotency_key: 'slow-1' }
    await expect(app.client.createKey(input, options)).rejects.toMatchObject({
      status: 504,
      code: 'timed_out',
    })
    opened.resolve()
    const again = await vi.waitUntil(
      () => app.client.call('createKey', input, options).catch(() => null),
      { timeout: 60_000 },
    )
    expect(again).toMatchObject({ status: 201, data: { name: 'slow' } })
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    const { data } = await app.client.listKeys()
    expect(data.filter(key => key.name === 'slow').length).toBe(1)
  })
})

test('the back office has the same time limit if one is set', async () => {
  const client = await app.database.pool.connect()
  try {
    await client.query('begin; lock table operators in access exclusive mode')
    const answer = await app.fetch('/admin/session', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: 'ana@lender.example', password: 'any' }),
    })
    expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([
      504,
      'timed_out',
    ])
  } finally {
    await client.query('rollback')
    client.release()
  }
})

describe('the rate limit', () => {
  it('is announced, counted per key, and refuses the excess', async () => {
    const other = await app.newPartner('Busy')
    const send = () => app.fetch('/hello', { key: other.key.key })
    const first = await send()
    expect(first.headers.get('ratelimit-policy')).toBe(`"minute";q=${LIMIT};w=60`)
    expect(first.headers.get('ratelimit')).toBe(`"minute";r=${LIMIT - 1};t=60`)
    const rest = await Promise.all(Array.from({ length: LIMIT }, send))
    // On a busy machine, some accepted requests may get a 504.
    expect(rest.filter(response => response.status !== 429).length).toBe(LIMIT - 1)
    const refused = rest.find(response => response.status === 429)!
    expect(refused.headers.get('ratelimit')).toMatch(/^"minute";r=0;t=\d+$/)
    const wait = Number(refused.headers.get('retry-after'))
    expect(wait).toBeGreaterThan(0)
    expect(wait).toBeLessThanOrEqual(60)
    expect(await refused.json()).toMatchObject({ code: 'rate_limited' })
    expect((await app.fetch('/hello')).status).toBe(200)
  })

  it("counts each message of an agent's batch", async () => {
    const { key } = (await app.newPartner('Many at once')).key
    const messages = Array.from({ length: 20 }, (_, id) => ({
      jsonrpc: '2.0',
      id,
      method: 'tools/call',
      params: { name: 'listKeys', arguments: {} },
    }))
    const type = 'application/json'
    const headers = { accept: `${type}, text/event-stream`, 'content-type': type }
    const sent = { method: 'POST', key, headers, body: JSON.stringify(messages) }
    const response = await app.fetch('/mcp', sent)
    type ToolAnswer = { result: { isError?: boolean; structuredContent: { code?: string } } }
    const answers = (await response.json()) as ToolAnswer[]
    const refused = answers.filter(one => one.result.structuredContent.code === 'rate_limited')
    // The batch itself counts as a request too.
    expect(answers.length - refused.length).toBe(LIMIT - 1)
    expect(refused.every(one => one.result.isError)).toBe(true)
    expect((await app.fetch('/hello', { key })).status).toBe(429)
    const { key: another } = (await app.newPartner('Even more at once')).key
    const more = [...messages, messages[0]]
    const long = await app.fetch('/mcp', { ...sent, key: another, body: JSON.stringify(more) })
    expect(long.status).toBe(413)
  })

  it('does not apply to requests that need no key', async () => {
    for (let i = 0; i < LIMIT + 5; i++) {
      expect((await app.fetch('/healthz', { key: null })).status).toBe(200)
    }
  })
})

describe('a live deployment', () => {
  it('neither serves nor lists sandbox operations', async () => {
    const sandbox = Object.values(operations as Record<string, Operation>).filter(o => o.sandbox)
    expect(sandbox.length).toBeGreaterThan(5)
    for (const { path, method } of sandbox) {
      const response = await app.fetch(path.replace(/\{\w+\}/g, 'x'), { method })
      const { code } = (await response.json()) as { code: string }
      expect([path, response.status, code]).toEqual([path, 404, 'route_unknown'])
    }
    const document = await (await app.fetch('/openapi.json')).text()
    expect(document).not.toContain('/sandbox/')
  })

  it('creates keys that name their mode', async () => {
    const { key, prefix } = await app.client.createKey({ name: 'x', actor: 'human' })
    expect(key).toMatch(/^hr_live_[A-Za-z0-9_-]{43}$/)
    expect(key.startsWith(prefix)).toBe(true)
  })

  it('behind https tells browsers to keep using it', async () => {
    const { headers } = await app.fetch('/hello')
    expect(headers.get('strict-transport-security')).toContain('max-age=31536000')
  })
})

describe('closing', () => {
  it('lets running requests finish and refuses new ones', async () => {
    const opened = Promise.withResolvers<void>()
    gate = opened.promise
    begun = Promise.withResolvers()
    const running = app.client.call('createKey', { name: 'last', actor: 'agent' })
    await begun.promise
    const closed = app.httpServer.close()
    opened.resolve()
    expect((await running).status).toBe(201)
    await closed
    await expect(app.fetch('/healthz', { key: null })).rejects.toThrow()
  })
})

describe('without a key', () => {
  let strict: HttpFixture
  beforeAll(async () => {
    strict = await startHttpFixture({ config: { rate_limit: 5, trusted_proxies: ['127.0.0.1'] } })
  })
  afterAll(() => strict?.stop())

  it.each([
    ['cookies without a session', '/admin/session', 'GET', 401],
    ['signing in', '/admin/session', 'POST', 422],
    ['onboarding links', `/onboarding/${crypto.randomUUID()}/page?signature=x`, 'GET', 403],
  ])('%s are counted by network, whatever the address in it', async (_, path, method, is) => {
    const send = async (network: string, host: number) => {
      const { status } = await strict.fetch(path, {
        key: null,
        method,
        headers: {
          'x-forwarded-for': `${network}::${host.toString(16)}`,
          ...(method === 'GET' && {
            cookie: `headroom_session=${randomBytes(32).toString('base64url')}`,
          }),
        },
      })
      return status
    }
    const reported: number[] = []
    for (let host = 1; host <= 6; host++) reported.push(await send('2001:db8:1:1', host))
    expect(reported).toEqual([is, is, is, is, is, 429])
    expect(await send('2001:db8:1:2', 1)).toBe(is)
  })
})
