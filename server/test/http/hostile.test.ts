/** Malformed requests to every operation: rejected with a 4xx, and nothing is written. */
import { type Operation, type OperationId, operations } from '@headroom/contract'
import { beforeAll, describe, expect, it } from 'vitest'
import { type TestApp, testApp } from '../support/app.ts'

let app: TestApp
beforeAll(async () => {
  app = await testApp({ work: false })
})

const all = Object.entries(operations) as [OperationId, Operation][]
const id = '01890000-0000-7000-8000-000000000000'
const addressOf = ({ path }: Operation, value = id) => path.replace(/\{\w+\}/g, value)

async function send(
  operation: Operation,
  path: string,
  body?: string | Uint8Array,
): Promise<Response> {
  return fetch(`${app.base_url}${path}`, {
    method: operation.method,
    body: body as RequestInit['body'],
    headers: {
      authorization: `Bearer ${app.key}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
  })
}

async function rowCounts(): Promise<Record<string, string>> {
  const { pool } = app.context.database
  const names = await pool.query(`select tablename from pg_tables where schemaname = 'public'`)
  const client = await pool.connect()
  try {
    await client.query(`begin; select set_config('headroom.partners', '*', true)`)
    const counts: Record<string, string> = {}
    for (const { tablename } of names.rows) {
      const { rows } = await client.query(`select count(*) from "${tablename}"`)
      counts[tablename] = String(rows[0].count)
    }
    return counts
  } finally {
    await client.query('rollback')
    client.release()
  }
}

const deep = `${'{"a":'.repeat(200)}1${'}'.repeat(200)}`
const BODIES: [string, string | Uint8Array][] = [
  ['a list', '[]'],
  ['null', 'null'],
  ['a number', '1e999'],
  ['a text', '"\\ud800"'],
  ['depth', deep],
  ['the same name twice', '{"amount":1,"amount":2}'],
  ['a prototype', '{"__proto__":{"admin":true},"constructor":{"prototype":{"x":1}}}'],
  ['bytes', new Uint8Array([0xff, 0xfe, 0x00])],
  ['wrong UTF-8', Buffer.from('{"name":"é"}', 'latin1')],
  ['XML', '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><x>&a;</x>'],
  ['SQL', `{"name":"'; drop table loans; --","id":"1 or 1=1"}`],
]

function filled(operation: Operation, value: unknown): string {
  const shape = (operation.body as { shape?: object } | undefined)?.shape ?? {}
  return JSON.stringify(Object.fromEntries(Object.keys(shape).map(name => [name, value])))
}

const VALUES: [string, unknown][] = [
  ['NUL', 'a\0b'],
  ['half a pair', '\udfff'],
  ['a huge number', 1e300],
  ['a number beyond exactness', 2 ** 53],
  ['a negative number', -1],
  ['a nested thing', { a: [{ b: {} }] }],
  ['a long text', 'x'.repeat(100_000)],
  ['a list of everything', [null, true, 1, '', {}, []]],
]

describe('every operation', () => {
  it('rejects malformed bodies without writing anything', async () => {
    const before = await rowCounts()
    for (const [name, operation] of all.filter(([, each]) => each.method !== 'GET')) {
      const payloads = operation.body
        ? [...BODIES, ...VALUES.map(([what, value]) => [what, filled(operation, value)] as const)]
        : BODIES
      for (const [what, body] of payloads) {
        const { status } = await send(operation, addressOf(operation), body)
        expect([name, what, status >= 400 && status < 500]).toEqual([name, what, true])
      }
    }
    expect(await rowCounts()).toEqual(before)
  })

  it('rejects malformed queries', async () => {
    const queries = [
      'unknown=1',
      '__proto__=1',
      'page_size=0&page_size=1',
      'page_size=99999999999999999999',
      'page_size=%00',
      'cursor=%00',
      'cursor=%ED%A0%80',
      'cursor=WzAsImEiXQ',
      'a[b]=1&a[__proto__][c]=2',
      `q=${'x'.repeat(4000)}`,
      Array(1000).fill('status=X').join('&'),
    ]
    for (const [name, operation] of all.filter(([, each]) => each.method === 'GET')) {
      for (const query of queries) {
        const { status } = await send(operation, `${addressOf(operation)}?${query}`)
        expect([name, query, status >= 400 && status < 500]).toEqual([name, query, true])
      }
    }
  })

  it('rejects malformed ids', async () => {
    const ids = ['%00', "'%20or%20'1'='1", '%F0%9F%92%A9', '%C0%80', 'null', '-1', '..%2f..%2fkeys']
    for (const [name, operation] of all.filter(([, each]) => each.path.includes('{'))) {
      for (const value of ids) {
        const { status } = await send(operation, addressOf(operation, value))
        expect([name, value, status >= 400 && status < 500]).toEqual([name, value, true])
      }
    }
  })

  it('rejects malformed headers, as createKey shows', async () => {
    const headers = [
      { 'idempotency-key': '' },
      { 'idempotency-key': 'é' },
      { 'idempotency-key': 'x'.repeat(300) },
      { 'headroom-version': '' },
      { 'headroom-version': '2026-07, 2023-09' },
      { 'x-decision-id': "'; select 1" },
    ]
    for (const header of headers) {
      const { status } = await fetch(`${app.base_url}/keys`, {
        method: 'POST',
        body: '{"name":"x","actor":"agent"}',
        headers: {
          authorization: `Bearer ${app.key}`,
          'content-type': 'application/json',
          ...header,
        },
      })
      expect([header, status]).toEqual([header, 400])
    }
  })
})
