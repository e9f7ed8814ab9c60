/**
 * Unparsable requests behind others on a connection: their 400 never mixes with another response.
 */
import { connect as dial } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { Reply } from '../../src/context.ts'
import { until } from '../support/until.ts'
import { type HttpFixture, startHttpFixture } from './fixture.ts'

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
  app = await startHttpFixture({ handlers: { exportCardEntries: { conduct: exportCardEntries } } })
})
afterAll(() => app.stop())

const get = (path: string) =>
  `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${app.partner.key.key}\r\n\r\n`
const slow = () => get('/cards/01890000-0000-7000-8000-000000000000/entries/export')

function send(text: string) {
  const { port, hostname } = new URL(app.base_url)
  const socket = dial(Number(port), hostname).on('error', () => {})
  const client = { socket, text: '', is_closed: false }
  socket.setEncoding('latin1').on('data', piece => {
    client.text += piece
  })
  socket.on('close', () => {
    client.is_closed = true
  })
  socket.write(text)
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

it.each([1, 2])(
  'one behind %d running requests gets no response instead of theirs',
  async requests => {
    const before = working
    const client = send(slow().repeat(requests) + BROKEN)
    await until(() => working > before || client.is_closed)
    finish()
    await until(() => client.is_closed)
    expect(client.text).toBe('')
  },
)

it('one that arrives later than the running request gets none either', async () => {
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
