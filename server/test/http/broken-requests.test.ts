/**
 * Unparsable requests behind others on a connection: their 400 never mixes with another response.
 */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { Reply } from '../../src/context.ts'
import { until } from '../support/until.ts'
import { type HttpFixture, startHttpFixture } from './fixture.ts'
import { connectRaw } from './raw-client.ts'

const FILE = Buffer.alloc(8 * 1024 * 1024, 'x')
const BROKEN = 'no request\r\n\r\n'

let app: HttpFixture
let finish = () => {}
let working = 0
beforeAll(async () => {
  const exportCardEntries = async () => {
    working += 1
    await new Promise<void>(resolve => {
      finish = resolve
    })
    return new Reply(FILE)
  }
  app = await startHttpFixture({
    handlers: { exportCardEntries: { orchestrate: exportCardEntries } },
  })
})
afterAll(() => app.stop())

const get = (path: string) =>
  `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${app.partner.key.key}\r\n\r\n`
const slow = () => get('/cards/01890000-0000-7000-8000-000000000000/entries/export')

function send(text: string) {
  const { port, hostname } = new URL(app.base_url)
  const client = connectRaw(Number(port), hostname)
  client.socket.write(text)
  return client
}

it('one alone, or after a complete response, gets a 400', async () => {
  const client = send(BROKEN)
  await until(() => client.is_closed)
  expect(client.text).toMatch(/^HTTP\/1\.1 400 /)
  const behind = send(get('/healthz'))
  await until(() => behind.text.endsWith('}'))
  behind.socket.write(BROKEN)
  await until(() => behind.is_closed)
  expect(behind.text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 400'])
})

const HOST = 'Host: x\r\n'
const POST = `POST /loans HTTP/1.1\r\n${HOST}`
it.each([
  ['no Host', 'GET /healthz HTTP/1.1\r\n\r\n', /Host is missing/],
  ['no Host, at an unknown path', 'POST /nowhere HTTP/1.1\r\n\r\n', /Host is missing/],
  ['an empty Host', 'GET /healthz HTTP/1.1\r\nHost:\r\n\r\n', /no valid host name/],
  ['an odd Host', 'GET /healthz HTTP/1.1\r\nHost: a b\r\n\r\n', /no valid host name/],
  ['a URL as Host', 'GET /healthz HTTP/1.1\r\nHost: http://a\r\n\r\n', /no valid host name/],
  ['a list as Host', 'GET /healthz HTTP/1.1\r\nHost: a, b\r\n\r\n', /no valid host name/],
  ['an odd Host in HTTP/1.0', 'GET /healthz HTTP/1.0\r\nHost: a b\r\n\r\n', /no valid host name/],
  ['two Hosts', `GET /healthz HTTP/1.1\r\n${HOST}${HOST}\r\n`, /Host is sent more than once/],
  ['two keys', `${POST}Authorization: a\r\nauthorization: b\r\n\r\n`, /sent more than once/],
  ['two expectations', `${POST}Expect: foo, 100-continue\r\n\r\n`, /only 100-continue/],
  ['a coded body', `${POST}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`, /only chunked/],
  [
    'chunks in HTTP/1.0',
    'POST /loans HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    /only chunked/,
  ],
  [
    'chunks and a length',
    `${POST}Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n`,
    /do not parse/,
  ],
  ['a length twice', `${POST}Content-Length: 1\r\nContent-Length: 1\r\n\r\n`, /do not parse/],
  ['an unknown expectation', `${POST}Expect: a-miracle\r\n\r\n`, /only 100-continue/],
  ['CONNECT', `CONNECT lender.example:443 HTTP/1.1\r\n${HOST}\r\n`, /CONNECT is not served/],
  ['too long headers', `${POST}X: ${'x'.repeat(20_000)}\r\n\r\n`, /headers are too long/],
  ['no valid header', `${POST}no header\r\n\r\n`, /do not parse/],
  ['two lengths', `${POST}Content-Length: 1\r\nContent-Length: 2\r\n\r\n`, /do not parse/],
  ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', /do not parse/],
])('a request with %s gets a problem document', async (_, text, detail) => {
  const client = send(text)
  await until(() => client.text.includes('request_id') || client.is_closed)
  const [head = '', body = ''] = client.text.split('\r\n\r\n')
  expect(head).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/)
  expect(head).toMatch(/\r\ncontent-type: application\/problem\+json/i)
  const id = /\r\nx-request-id: (\S+)/i.exec(head)?.[1]
  const result = { code: 'header_invalid', detail: expect.stringMatching(detail), request_id: id }
  expect(JSON.parse(body)).toMatchObject(result)
  client.socket.destroy()
})

it.each([
  'lender.example',
  'lender.example:443',
  'a_b',
  '127.0.0.1:80',
  '[2001:db8::1]:8080',
  '%C3%A9:',
])('the Host %s is served', async host => {
  const client = send(`GET /healthz HTTP/1.1\r\nHost: ${host}\r\n\r\n`)
  await until(() => client.text.endsWith('}'))
  expect(client.text).toMatch(/^HTTP\/1\.1 200 /)
  client.socket.destroy()
})

it('a connection with an odd header is closed', async () => {
  const client = send('GET /healthz HTTP/1.1\r\n\r\nGET /healthz HTTP/1.1\r\nHost: x\r\n\r\n')
  await until(() => client.is_closed)
  expect(client.text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 400'])
})

it.each([
  ['http://other.example/nowhere?x=1', '/nowhere'],
  ['HTTPS://other.example:8443?x=/nowhere', '/'],
])('the URL %s counts as its path', async (url, path) => {
  const client = send(`PUT ${url} HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`)
  await until(() => client.is_closed)
  expect(JSON.parse(client.text.split('\r\n\r\n')[1]!)).toMatchObject({ instance: path })
})

it('HTTP/1.0 gets no 100 Continue', async () => {
  const head = 'Content-Type: application/json\r\nContent-Length: 2\r\nExpect: 100-continue\r\n'
  const client = send(`POST /admin/session HTTP/1.0\r\n${head}\r\n{}`)
  await until(() => client.is_closed)
  expect(client.text).toMatch(/^HTTP\/1\.1 4\d\d /)
})

it('HTTP/1.0 needs no Host', async () => {
  const client = send('GET /healthz HTTP/1.0\r\n\r\n')
  await until(() => client.is_closed)
  expect(client.text).toMatch(/^HTTP\/1\.1 200 /)
})

it('a CONNECT behind a running request only closes the connection', async () => {
  const before = working
  const client = send(`${slow()}CONNECT lender.example:443 HTTP/1.1\r\n${HOST}\r\n`)
  await until(() => working > before || client.is_closed)
  finish()
  await until(() => client.is_closed)
  expect(client.text).toBe('')
})

it.each([1, 2])('one behind %d running requests only closes the connection', async requests => {
  const before = working
  const client = send(slow().repeat(requests) + BROKEN)
  await until(() => working > before || client.is_closed)
  finish()
  await until(() => client.is_closed)
  expect(client.text).toBe('')
})

it('one that arrives later than the running request does the same', async () => {
  const before = working
  const client = send(slow())
  await until(() => working > before)
  client.socket.write(BROKEN)
  await until(() => client.is_closed)
  finish()
  expect(client.text).toBe('')
})

it('one behind a response being sent is not answered in the middle of it', async () => {
  const before = working
  const client = send(slow())
  client.socket.pause()
  await until(() => working > before)
  finish()
  await until(() => client.socket.bytesRead > 0)
  client.socket.write(BROKEN)
  client.socket.resume()
  await until(() => client.is_closed)
  expect(client.text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200'])
  expect(client.text.split('\r\n\r\n')[1]).toMatch(/^x*$/)
})
