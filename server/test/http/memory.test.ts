/** Unread responses and unfinished bodies: each partner can fill only a bounded part of memory. */
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { connect as dial, type Socket } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type OrchestratedHandler, Reply } from '../../src/context.ts'
import type { NewPartner } from '../../src/platform/access/index.ts'
import { until } from '../support/until.ts'
import { type HttpFixture, startHttpFixture } from './fixture.ts'

const MB = 1024 * 1024
const FILE = Buffer.alloc(8 * MB, 'x')
const SMALL = FILE.subarray(0, 3.9 * MB)
const EXPORT = '/cards/01890000-0000-7000-8000-000000000000/entries/export?format=pdf'

let app: HttpFixture
let other: string
/** A partner with small exports. */
let modest: NewPartner
/** Lets the held requests finish. */
let finish: () => void
let working = 0
beforeAll(async () => {
  const held = Promise.withResolvers<void>()
  finish = held.resolve
  const exportCardEntries: OrchestratedHandler<'exportCardEntries'>['orchestrate'] = async (
    _context,
    { caller },
  ) => {
    working += 1
    await held.promise
    return new Reply(caller.partner_id === modest.partner_id ? SMALL : FILE)
  }
  app = await startHttpFixture({
    handlers: { exportCardEntries: { orchestrate: exportCardEntries } },
  })
  other = (await app.newPartner('Other')).key.key
  modest = await app.newPartner('Modest')
})
afterAll(() => app?.stop())

const sockets: Socket[] = []
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy()
})

/** A connection that sends a text and reads only the beginning of the response. */
function send(text: string) {
  const { port, hostname } = new URL(app.base_url)
  const socket = dial(Number(port), hostname).on('error', () => {})
  sockets.push(socket)
  const client = { socket, status: null as number | null, text: '' }
  socket.write(text)
  socket.once('data', piece => {
    socket.pause()
    client.text = String(piece)
    client.status = Number(client.text.slice(9, 12))
  })
  return client
}

const header = ({ key } = app.partner) => `Host: x\r\nAuthorization: Bearer ${key.key}\r\n`
const statusOf = async (key?: string) => (await app.fetch('/keys', key ? { key } : {})).status

it('unread responses are limited per partner', async () => {
  const clients = Array.from({ length: 5 }, () => send(`GET ${EXPORT} HTTP/1.1\r\n${header()}\r\n`))
  await until(() => working === clients.length)
  // Further requests are already running when the first responses are ready.
  for (let n = clients.length; n < 12; n++) {
    clients.push(send(`GET ${EXPORT} HTTP/1.1\r\n${header()}\r\n`))
  }
  await until(() => working === clients.length)
  finish()
  await until(() => clients.every(({ status }) => status !== null))
  const refused = clients.filter(({ status }) => status === 503)
  expect(refused).toHaveLength(4)
  for (const { text } of refused) expect(text).toMatch(/retry-after: 2/i)
  expect(clients.filter(({ status }) => status === 200)).toHaveLength(8)
  expect(await statusOf()).toBe(503)
  expect(await statusOf(other)).toBe(200)
  // Reading one response frees space for another.
  const [first] = clients.filter(({ status }) => status === 200)
  first!.socket.resume()
  await until(async () => (await statusOf()) === 200)
})

it('unfinished small bodies are limited per partner', async () => {
  const bytes = 250_000
  const post = `POST /invoices HTTP/1.1\r\n${header()}Content-Type: application/json\r\n`
  const body = `{"document":"${'A'.repeat(bytes - 1_000)}`
  const clients = Array.from({ length: 160 }, () =>
    send(`${post}Content-Length: ${bytes}\r\n\r\n${body}`),
  )
  const refused = () => clients.filter(({ status }) => status !== null)
  await until(() => refused().length >= 20)
  for (const { status, text } of refused()) {
    expect(status).toBe(503)
    expect(text).toMatch(/retry-after: 2/i)
  }
  const answer = await app.fetch('/keys', {
    method: 'POST',
    body: '{}',
    key: other,
    headers: { 'content-type': 'application/json' },
  })
  expect(answer.status).toBe(422)
})

describe('while others use up everything', () => {
  const newPartners = (count: number) =>
    Promise.all(Array.from({ length: count }, (_, n) => app.newPartner(`Greedy ${n}`)))

  it('a partner with an unread response still gets answers', async () => {
    finish()
    const request = (partner: NewPartner) => `GET ${EXPORT} HTTP/1.1\r\n${header(partner)}\r\n`
    const greedy = (await newPartners(4)).flatMap(partner => Array(8).fill(partner))
    const clients = greedy.map(partner => send(request(partner)))
    await until(() => clients.every(({ status }) => status === 200))
    const { key } = modest.key
    const first = send(request(modest))
    await until(() => first.status === 200)
    expect(await statusOf(key)).toBe(200)
    const second = send(request(modest))
    await until(() => second.status === 200)
  })

  it('a body that arrives in two pieces is still received', async () => {
    const bytes = 249_000
    const post = (partner: NewPartner, length: number) =>
      `POST /keys HTTP/1.1\r\n${header(partner)}Content-Type: application/json\r\n` +
      `Content-Length: ${length}\r\n\r\n`
    const received: Socket[] = []
    const onRequest = ({ socket }: IncomingMessage) => received.push(socket)
    app.httpServer.server.on('request', onRequest)
    const begin = (partner: NewPartner, sent: number) =>
      send(post(partner, bytes + 1) + ' '.repeat(sent))
    // Together these bodies fill the memory, whether announced or received bytes count.
    const greedy = (await newPartners(5)).flatMap(partner => Array(108).fill(partner))
    const clients = greedy.slice(1).map(partner => begin(partner, bytes))
    const isFull = () => {
      const refused = clients.filter(({ status }) => status === 503).length
      return refused + received.filter(socket => socket.bytesRead > bytes).length >= clients.length
    }
    await until(isFull)
    clients.push(begin(greedy[0], 8_000))
    await until(() => received.length === clients.length && received.at(-1)!.bytesRead > 8_000)
    app.httpServer.server.off('request', onRequest)
    const requested = once(app.httpServer.server, 'request')
    const body = '{"name":1}'
    const client = send(`${post(modest, body.length)}${body.slice(0, 5)}`)
    const [raw] = (await requested) as [IncomingMessage]
    await until(() => raw.readableDidRead && raw.readableLength === 0)
    client.socket.write(body.slice(5))
    await until(() => client.status)
    expect(client.text).toContain('request_invalid')
  })
})

it('pages left unread by others on a network delay neither health checks nor sign-in', async () => {
  await app.fetch('/openapi.json', { key: null })
  const pages = 'GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(16)
  const clients = Array.from({ length: 160 }, () => send(pages))
  await until(() => clients.every(({ status }) => status !== null))
  expect((await app.fetch('/healthz', { key: null })).status).toBe(200)
  const signIn = await app.fetch('/admin/session', {
    method: 'POST',
    key: null,
    body: '{}',
    headers: { 'content-type': 'application/json' },
  })
  expect(signIn.status).toBe(422)
  expect(clients.map(({ status }) => status)).toEqual(Array(160).fill(200))
})
