/** Large and malformed bodies: rejected before they are read, or read without blocking others. */
import { once } from 'node:events'
import { connect as dial } from 'node:net'
import {
  type AdminOperation,
  adminOperations,
  bodyLimitsOf,
  type Operation,
  operations,
} from '@headroom/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type TestApp, testApp } from '../support/app.ts'
import { anotherCaller } from '../support/decisions.ts'
import { ATTEMPTS_MAX, DELAY_MS_MAX, measuredSender } from '../support/measured-sender.ts'
import { until } from '../support/until.ts'

let app: TestApp
const { sender, send } = measuredSender(() => app)
afterAll(() => sender.stop())
beforeAll(async () => {
  app = await testApp({ work: false })
  // Excludes one-time loading at the first request from the measurements.
  await app.client.listKeys()
  await send('/nowhere', { key: null, body: '{}' })
})

const ID = '01890000-0000-7000-8000-000000000000'
/** 1.3 million keys, 12 MB. */
const TEXT = `{${Array.from({ length: 1_300_000 }, (_, n) => `"${n.toString(36)}":1`).join(',')}}`
const KEYS = new Uint8Array(new SharedArrayBuffer(TEXT.length))
KEYS.set(Buffer.from(TEXT))
describe('without a key', () => {
  const ADDRESSES = [
    ['/admin/session', null, 413],
    ['/mcp', null, 401],
    ['/mcp', 'hr_sandbox_nobody', 401],
    ['/nowhere', null, 404],
    ['/healthz', null, 405],
    [`/onboarding/${ID}/language`, null, 422],
    [`/onboarding/${ID}/language?signature=x`, null, 403],
    ['/loans', null, 401],
    ['/loans', 'hr_sandbox_nobody', 401],
    ['/invoices/upload', null, 401],
    ['/admin/totp', null, 401],
  ] as const

  it.each(ADDRESSES)(
    'eight bodies of 12 MB to %s (key %s) block no other request',
    async (path, key, is) => {
      const { answers, held_up_ms } = await send(path, { key, body: KEYS }, 8)
      expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(is))
      expect(held_up_ms).toBeLessThan(DELAY_MS_MAX)
    },
  )

  it('at most 64 KB are received, then it is answered and the connection closed', async () => {
    for (const path of ['/loans', '/nowhere', '/mcp', '/admin/session']) {
      const { port, hostname } = new URL(app.base_url)
      const socket = dial(Number(port), hostname)
      const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n`
      socket.write(`${head}Content-Length: ${KEYS.length}\r\n\r\n`)
      // Only 80 KB: a server waiting for the rest would wait forever.
      socket.write(KEYS.subarray(0, 80_000))
      let text = ''
      socket.on('data', piece => {
        text += piece
      })
      await once(socket, 'end')
      expect(text).toMatch(/^HTTP\/1\.1 4\d\d [\s\S]*\r\nconnection: close\r\n/i)
      expect(JSON.parse(text.split('\r\n\r\n')[1]!)).toHaveProperty('code')
      socket.destroy()
    }
  })

  it('a sign-in is read as far as credentials may be long, and no further', async () => {
    const escaped = (count: number) => '\\u0041'.repeat(count)
    const signIn = (email: string, password: string, more = '') =>
      send('/admin/session', {
        key: null,
        body: `{"email":"${email}","password":"${password}"${more}}`,
      })
    expect((await signIn(escaped(320), escaped(1_000))).json.code).toBe('sign_in_refused')
    expect((await signIn('x', 'x'.repeat(9_000))).json.code).toBe('body_too_large')
    expect((await signIn('x', 'x', `,${names(200)}`)).json.code).toBe('body_too_large')
  })

  it('no operation reads much before it knows the caller', () => {
    const forAnyone = [
      ...Object.values<Operation>(operations),
      ...Object.values<AdminOperation>(adminOperations).map(row => ({
        ...row,
        scope: row.requires === 'nothing' ? null : ('any' as const),
        gated: false,
      })),
    ].filter(({ scope, opened_by }) => scope === null && !opened_by)
    expect(forAnyone.length).toBeGreaterThan(3)
    for (const operation of forAnyone) {
      expect(bodyLimitsOf(operation).bytes, operation.path).toBeLessThanOrEqual(8 * 1024)
    }
  })

  it('a small body is discarded and the connection stays open', async () => {
    const { port, hostname } = new URL(app.base_url)
    const socket = dial(Number(port), hostname)
    const request = 'POST /loans HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello'
    let text = ''
    socket.on('data', piece => {
      text += piece
    })
    socket.write(request + request)
    await expect.poll(() => text.match(/HTTP\/1\.1 401/g)?.length).toBe(2)
    socket.destroy()
  })

  it('a client that expects a 100 gets the refusal instead', async () => {
    const { port, hostname } = new URL(app.base_url)
    const request = async (
      authorization: string,
      { type = 'application/json', length = 2 } = {},
    ) => {
      const socket = dial(Number(port), hostname)
      let text = ''
      socket.on('data', piece => {
        text += piece
        if (text.endsWith('100 Continue\r\n\r\n')) socket.write('{}')
      })
      const head = `POST /keys HTTP/1.1\r\nHost: x\r\nContent-Type: ${type}\r\n${authorization}`
      socket.write(`${head}Expect: 100-continue\r\nContent-Length: ${length}\r\n\r\n`)
      await expect.poll(() => text).toMatch(/request_id/)
      socket.destroy()
      return text.split('\r\n', 1)[0]
    }
    const key = `Authorization: Bearer ${app.key}\r\n`
    expect(await request('')).toBe('HTTP/1.1 401 Unauthorized')
    expect(await request(key)).toBe('HTTP/1.1 100 Continue')
    // The announced length and type are checked before a 100 is sent.
    expect(await request(key, { length: 2_000_000 })).toMatch(/^HTTP\/1\.1 413/)
    expect(await request(key, { type: 'text/plain' })).toMatch(/^HTTP\/1\.1 415/)
  })
})

describe('on one connection', () => {
  /** Sends a text on this many connections. Tries again if the server was blocked for too long. */
  const sendRaw = async (raw: string, connections = 1) => {
    const one = { url: app.base_url, raw }
    let held_up_ms = Number.POSITIVE_INFINITY
    for (let attempt = 1; ; attempt++) {
      const { answers, ...took } = await sender.send(...Array<typeof one>(connections).fill(one))
      held_up_ms = Math.min(held_up_ms, took.held_up_ms)
      if (held_up_ms > DELAY_MS_MAX && attempt < ATTEMPTS_MAX) continue
      return { statuses: answers.map(({ status }) => status), held_up_ms }
    }
  }
  const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`

  it.each(['/', '/metrics', '/openapi.json', '/docs', '/problems', '/healthz', '/nowhere'])(
    '2,000 pipelined requests for %s block no other request',
    async path => {
      // Renders the page once, so that it is cached.
      await fetch(`${app.base_url}${path}`)
      const { held_up_ms } = await sendRaw(get(path).repeat(2_000), 4)
      expect(held_up_ms).toBeLessThan(DELAY_MS_MAX)
    },
  )

  it.each([
    ['without a key', '', 401],
    ['with one', 'Authorization: Bearer KEY\r\n', 422],
  ])('bodies in one-byte chunks %s are rejected before they are read', async (_, who, is) => {
    const authorization = who.replace('KEY', app.key)
    const head = `POST /loans HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n`
    const body = `${'1\r\n \r\n'.repeat(60_000)}0\r\n\r\n`
    const raw = `${head}${authorization}Transfer-Encoding: chunked\r\n\r\n${body}`
    const { statuses, held_up_ms } = await sendRaw(raw, 4)
    expect(statuses).toEqual(Array(4).fill(is))
    expect(held_up_ms).toBeLessThan(DELAY_MS_MAX)
  })

  it('a body with a few small chunks is read', async () => {
    const chunks = Array.from('{"unknown":1}', letter => `1\r\n${letter}\r\n`).join('')
    const head = `POST /loans HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n`
    const authorization = `Authorization: Bearer ${app.key}\r\n`
    const raw = `${head}${authorization}Transfer-Encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`
    expect((await sendRaw(raw)).statuses).toEqual([422])
  })
})

describe('with a key', () => {
  it.each([
    ['12 MB', KEYS, 'body_too_large'],
    ['100,000 keys', TEXT.slice(0, 900_000).replace(/,[^,]*$/, '}'), 'body_too_large'],
    ['10,000 unknown fields', JSON.stringify(fields(10_000)), 'request_invalid'],
    [
      '10,000 wrong items',
      JSON.stringify({ invoice_ids: Array(9_990).fill('x') }),
      'request_invalid',
    ],
    ['300,000 levels', '['.repeat(300_000), 'body_malformed'],
    ['a name of 900 KB twice', `{"${'n'.repeat(4e5)}":1,"${'n'.repeat(4e5)}":1}`, 'body_malformed'],
    ['backslashes', `{"a":"${'\\\\'.repeat(4e5)}"}`, 'request_invalid'],
    ['names full of dots', JSON.stringify(dotted(60, 16_000)), 'request_invalid'],
    ['a long number', `{"amount":${'9'.repeat(9e5)}}`, 'request_invalid'],
  ])('%s block no other request', async (_, body, code) => {
    for (const headers of [{}, { 'headroom-version': '2023-09' }] as Record<string, string>[]) {
      const { json, held_up_ms } = await send('/loans', { body, headers })
      expect(json.code).toBe(code)
      expect(held_up_ms).toBeLessThan(DELAY_MS_MAX)
    }
  })

  it('faults are listed up to twenty, then counted', async () => {
    const { json } = await send('/loans', { body: JSON.stringify(fields(5_000)) })
    expect(json.invalid_params.length).toBe(20)
    // The missing fields count in addition to the unknown ones.
    const more = Number(/and (\d+) more faults$/.exec(json.detail)![1])
    expect(more).toBeGreaterThanOrEqual(4_980)
    expect(more).toBeLessThan(5_020)
    expect(json.faults_count).toBe(more + 20)
  })

  it('a decision of 200,000 operations is rejected at once, one of 3,000 quickly', async () => {
    const { key } = await anotherCaller(app, { actor: 'agent', scopes: null })
    const planned = (n: number) => {
      const operation = { method: 'POST', path: `/loan/${ID}/cancel` }
      return JSON.stringify({ title: 'x', rationale: 'x', operations: Array(n).fill(operation) })
    }
    const request = async (n: number) => {
      const answer = await send('/governance/decisions', { key, body: planned(n) })
      expect(answer.held_up_ms).toBeLessThan(DELAY_MS_MAX)
      return answer
    }
    expect((await request(200_000)).json.code).toBe('body_too_large')
    expect((await request(3_000)).json.invalid_params).toMatchObject([{ name: 'operations' }])
    expect((await request(51)).json.invalid_params).toMatchObject([{ name: 'operations' }])
    expect((await request(50)).status).toBe(201)
  })
})

/** Unknown fields, plus a fault that only the handler detects. */
function dotted(count: number, dots: number) {
  const names = Array.from({ length: count }, (_, n) => `${n}${'.'.repeat(dots)}`)
  const unknown = Object.fromEntries(names.map(name => [name, 1]))
  return { ...unknown, invoice_ids: [ID], to_pay_at: '2020-01-01' }
}

function fields(count: number) {
  return Object.fromEntries(Array.from({ length: count }, (_, n) => [`unknown_${n}`, n]))
}

const names = (count: number) => Array.from({ length: count }, (_, n) => `"n${n}":1`).join()

describe('a batch of business data', () => {
  const row = (n: number) => ({
    account: 'main',
    amount: n,
    at: '2026-01-05T10:00:00Z',
    category: 'sales',
    counterparty_name: `Customer ${n}`,
    currency: 'EUR',
    operation_type: 'transfer',
    provider: 'bank',
    reference: `R-${n}`,
    salt_id: `s-${n}`,
    settled_balance: 1,
    side: 'credit',
    status: 'completed',
  })
  const batch = (rows: number, change = {}) =>
    JSON.stringify({
      identifier: '732829320',
      identifier_type: 'siren',
      transactions: Array.from({ length: rows }, (_, n) => ({ ...row(n), ...change })),
    })
  const PATH = '/business/data/account-transactions'

  it('of 20,000 rows is processed in turns with other requests', async () => {
    const body = batch(20_000)
    const headers = { 'idempotency-key': 'batch' }
    const taken = await send(PATH, { body })
    const kept = await send(PATH, { body, headers })
    const again = await send(PATH, { body, headers })
    expect([taken.status, kept.status, again.status]).toEqual([204, 204, 204])
    expect(again.headers['idempotent-replayed']).toBe('true')
    const took = [taken, kept, again].map(({ held_up_ms }) => held_up_ms)
    expect(took.filter(ms => ms > DELAY_MS_MAX)).toEqual([])
  })

  it('with a fault in every row has twenty listed by row, and all counted', async () => {
    const body = batch(20_000, { amount: 'x', colour: 'red' })
    const answer = await send(PATH, { body })
    expect(answer.json.invalid_params[0].name).toMatch(/^transactions\.0\./)
    expect(answer.json.faults_count).toBe(40_000)
    expect(answer.held_up_ms).toBeLessThan(DELAY_MS_MAX)
    const late = batch(2_000).replace('"R-1234"', '"R-1234","colour":1')
    const { json } = await send(PATH, { body: late })
    expect(json.invalid_params).toEqual([
      { name: 'transactions.1234.colour', reason: 'is not a known field' },
    ])
  })

  it.each([
    [
      'fields of a longer list',
      `{"junk":[${Array(450_000).fill(0).join()}],"transactions":[ROWS]}`,
      413,
    ],
    ['lists', `{"junk":[${Array(150_000).fill('{"a":[]}').join()}],"transactions":[ROWS]}`, 413],
    ['fields only', `{"junk":[${Array(450_000).fill('1e999').join()}]}`, 413],
    [
      'fields in large rows',
      `{"transactions":[{"x":[${Array(450_000).fill('1e999').join()}]},ROWS]}`,
      422,
    ],
    ['fields in wide rows', `{"transactions":[{${names(9_000)}},{${names(9_000)}},ROWS]}`, 422],
    ['fields in too wide an object', `{"transactions":[{${names(10_001)}}]}`, 413],
  ])('with unknown %s is rejected quickly', async (_, text, is) => {
    const body = text.replace('ROWS', Array(20_000).fill('{}').join())
    for (const headers of [{}, { 'headroom-version': '2023-09' }] as Record<string, string>[]) {
      const { status, held_up_ms } = await send(PATH, { body, headers })
      expect(status).toBe(is)
      expect(held_up_ms).toBeLessThan(DELAY_MS_MAX)
    }
  })

  it('with more rows is rejected', async () => {
    const { json } = await send(PATH, { body: batch(20_001) })
    expect(json.invalid_params).toMatchObject([{ name: 'transactions' }])
  })
})

describe('a document', () => {
  it('of 10 MB in JSON blocks no other request', async () => {
    const document = Buffer.alloc(10_000_000, 1).toString('base64')
    const body = JSON.stringify({ document, is_draft: true })
    const headers = { 'idempotency-key': 'large' }
    const { json, held_up_ms } = await send('/invoices', { body, headers })
    expect(json.code).not.toBe('body_too_large')
    expect(held_up_ms).toBeLessThan(DELAY_MS_MAX)
  })

  const MOST = 16 * 1024 * 1024
  const filled = (before: string, unit: string, after: string) =>
    before + unit.repeat((MOST - before.length - after.length) / unit.length) + after

  it.each([
    ['spaces', filled('{', ' ', '}')],
    ['quotes', filled('{"document":"', '\\"', '"}')],
    ['backslashes', filled('{"document":"', '\\\\', '"}')],
    ['escapes', filled('{"document":"', '\\u00e9', '"}')],
    ['an open string', filled('{"document":"', '\\"', '')],
  ])('with the maximum number of %s blocks no other request', async (_, body) => {
    const { status, held_up_ms } = await send('/invoices', { body })
    expect([400, 422]).toContain(status)
    expect(held_up_ms).toBeLessThan(DELAY_MS_MAX)
  })

  it.each([
    ['/loans', (file: string) => ({ documents: [{ document_binary_base64: file }] })],
    ['/loans', (file: string) => ({ invoices: [{ document: file }] })],
    ['/invoices', (file: string) => ({ document: file })],
  ])(
    'to %s, base64 except for its last character, blocks no other request',
    async (path, around) => {
      for (const length of [MOST - 1_000, 13_900_000]) {
        const body = JSON.stringify(around(`${'A'.repeat(length)}!`))
        for (const headers of [{}, { 'headroom-version': '2023-09' }] as Record<string, string>[]) {
          const { status, held_up_ms } = await send(path, { body, headers })
          expect(status).toBe(422)
          expect(held_up_ms).toBeLessThan(DELAY_MS_MAX)
        }
      }
    },
  )

  it('waits for space before it is received, two per partner at a time', async () => {
    const { port, hostname } = new URL(app.base_url)
    const bytes = 15_000_000
    const head =
      'POST /invoices HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n' +
      `Authorization: Bearer ${app.key}\r\n`
    const sockets = Array.from({ length: 5 }, (_, n) => {
      const socket = dial(Number(port), hostname)
      const chunked = n % 2 === 1
      const size = chunked
        ? `Transfer-Encoding: chunked\r\n\r\n${(bytes + 1).toString(16)}\r\n`
        : `Content-Length: ${bytes + 1}\r\n\r\n`
      socket.write(head + size)
      // All but the last byte. A body has been received once nothing of this is left to send.
      socket.write(Buffer.alloc(bytes, 0x20))
      return socket.on('error', () => {}).resume()
    })
    const received = () => sockets.filter(socket => socket.writableLength === 0)
    await until(() => received().length === 2)
    // Another request is served, and the waiting bodies have still not been received.
    await app.client.listKeys()
    expect(received()).toHaveLength(2)
    for (const socket of received()) socket.destroy()
    await until(() => received().filter(socket => !socket.destroyed).length === 2)
    for (const socket of sockets) socket.destroy()
    await send('/invoices', { body: filled('{', ' ', '}') })
  })
})
