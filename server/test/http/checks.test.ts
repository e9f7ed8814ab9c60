/** Access checks, and their order. */
import { randomUUID } from 'node:crypto'
import type { Scope } from '@headroom/contract'
import { HeadroomProblem } from '@headroom/sdk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type HttpFixture, startHttpFixture } from './fixture.ts'

let app: HttpFixture
let agent: string
let reader: string
const seen: string[] = []
beforeAll(async () => {
  app = await startHttpFixture({
    handlers: {
      hello: async (_tx, { caller }) => {
        seen.push(caller.version)
        return 'Hello'
      },
    },
  })
  agent = await newKey({ actor: 'agent' })
  reader = await newKey({ scopes: ['loans:read'] })
})
afterAll(() => app?.stop())

async function newKey(input: {
  actor?: 'human' | 'agent'
  scopes?: Scope[]
  version?: '2026-07' | '2023-09'
}) {
  const { key } = await app.client.createKey({ name: 'x', actor: 'human', ...input })
  return key
}

interface Sent {
  key?: string | null
  body?: unknown
  headers?: Record<string, string>
}

/** The status and code of an attempt to create a key. */
async function attempt({ key, body = {}, headers = {} }: Sent): Promise<string> {
  const response = await app.fetch('/keys', {
    method: 'POST',
    key,
    body: typeof body === 'string' ? body : JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...headers },
  })
  return `${response.status} ${((await response.json()) as { code?: string }).code ?? 'done'}`
}

const good = { name: 'y', actor: 'agent' }
const decision = { 'x-decision-id': randomUUID() }

describe('the order of checks', () => {
  it('is key, scope, decision, headers, body', async () => {
    expect(await attempt({ key: null, body: '{' })).toBe('401 key_missing')
    expect(await attempt({ key: 'hr_sandbox_nobody', body: '{' })).toBe('401 key_invalid')
    expect(await attempt({ key: reader, body: '{' })).toBe('403 scope_missing')
    expect(await attempt({ key: agent, body: '{' })).toBe('400 decision_required')
    expect(await attempt({ key: agent, body: '{', headers: decision })).toBe('404 decision_unknown')
    const version = { 'headroom-version': '1999-01' }
    expect(await attempt({ body: '{', headers: version })).toBe('400 header_invalid')
    expect(await attempt({ body: '{' })).toBe('422 body_malformed')
    const twice = { 'idempotency-key': 'x'.repeat(256) }
    expect(await attempt({ body: {}, headers: twice })).toBe('422 request_invalid')
    expect(await attempt({ body: good, headers: twice })).toBe('400 header_invalid')
    expect(await attempt({ body: good })).toBe('201 done')
  })

  it('does not read the body of an unauthorized caller', async () => {
    const huge = `"${'x'.repeat(17 << 20)}"`
    expect(await attempt({ key: reader, body: huge })).toBe('403 scope_missing')
  })
})

describe('the key', () => {
  const greet = async (authorization?: string) => {
    const response = await app.fetch('/hello', {
      key: null,
      headers: authorization === undefined ? {} : { authorization },
    })
    return { status: response.status, challenge: response.headers.get('www-authenticate') }
  }

  it('is accepted with the word Bearer in any case, or without it', async () => {
    const { key } = app.partner.key
    for (const sent of [`Bearer ${key}`, `bearer ${key}`, `BEARER  ${key}`, key, ` ${key} `]) {
      expect((await greet(sent)).status).toBe(200)
    }
  })

  it('is requested with a challenge', async () => {
    const missing = { status: 401, challenge: 'Bearer realm="headroom"' }
    const wrong = { status: 401, challenge: 'Bearer realm="headroom", error="invalid_token"' }
    expect(await greet()).toEqual(missing)
    expect(await greet('')).toEqual(missing)
    const { key } = app.partner.key
    for (const sent of ['Bearer', `Basic ${key}`, `${key}x`, `${key} x`, 'x'.repeat(5000)]) {
      expect(await greet(sent)).toEqual(wrong)
    }
  })

  it("gives no access to another partner's keys", async () => {
    const other = await app.newPartner('Other')
    const theirs = app.as(other.key.key)
    const mine = app.partner.key.id
    const unknown = { status: 404, code: 'resource_unknown' }
    await expect(theirs.rotateKey({ key_id: mine })).rejects.toMatchObject(unknown)
    await expect(theirs.revokeKey({ key_id: mine })).rejects.toMatchObject(unknown)
    const { data } = await theirs.listKeys()
    expect(data.map(key => key.id)).toEqual([other.key.id])
  })
})

describe('a suspended partner', () => {
  it('reads but does not write', async () => {
    const other = await app.newPartner('Late')
    const { pool } = app.database
    const suspend = `update partners set status = $1 where id = $2`
    await pool.query(suspend, ['SUSPENDED', other.partner_id])
    const client = app.as(other.key.key)
    expect((await client.listKeys()).count).toBe(1)
    const refusal = client.createKey({ name: 'x', actor: 'human' })
    await expect(refusal).rejects.toMatchObject({ status: 403, code: 'partner_suspended' })
    await pool.query(suspend, ['ACTIVE', other.partner_id])
    expect(await client.createKey({ name: 'x', actor: 'human' })).toMatchObject({ name: 'x' })
  })
})

describe('the decision gate', () => {
  it('lets agents read, and checks humans who name a decision', async () => {
    expect((await app.as(agent).listKeys()).count).toBeGreaterThan(0)
    expect(await attempt({ body: good, headers: { 'x-decision-id': 'x' } })).toBe(
      '400 decision_id_invalid',
    )
    expect(await attempt({ body: good, headers: decision })).toBe('404 decision_unknown')
  })
})

describe('the version', () => {
  it('is pinned on the key and overridden by the header', async () => {
    const old = await newKey({ version: '2023-09' })
    const send = async (key: string, header?: string) => {
      const { headers } = await app
        .as(key)
        .call('hello', {}, header ? { version: header as never } : {})
      return [headers.get('headroom-version'), seen.at(-1)]
    }
    const { key } = app.partner.key
    expect(await send(key)).toEqual(['2026-07', '2026-07'])
    expect(await send(old)).toEqual(['2023-09', '2023-09'])
    expect(await send(old, '2026-07')).toEqual(['2026-07', '2026-07'])
    expect(await send(key, '2023-09')).toEqual(['2023-09', '2023-09'])
    await expect(send(key, '2024-01')).rejects.toBeInstanceOf(HeadroomProblem)
  })

  it('2023-09 ignores unknown fields and lists them', async () => {
    const body = { ...good, 'odd, näme\r\n': 1, old: 2 }
    const response = await app.fetch('/keys?sort=x', {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json', 'headroom-version': '2023-09' },
    })
    expect(response.status).toBe(201)
    expect(response.headers.get('x-ignored-fields')).toBe('sort, odd%2C%20n%C3%A4me%0D%0A, old')
    expect(await attempt({ body })).toBe('422 request_invalid')
  })
})
