/** Answers that nobody reads: their connections are cut. Others wait, or end when they are idle. */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { cutWhenStalled } from '../../src/http/stalled-answers.ts'
import { until } from '../support/until.ts'

const STALLED_MS = 200
const IDLE_MS = 300
let server: Server
let answer: (body: string) => void
let accepted: Socket

beforeEach(async () => {
  server = createServer((request, response) => {
    accepted = request.socket
    cutWhenStalled(response, STALLED_MS)
    answer = body => response.end(body)
  })
  server.keepAliveTimeout = IDLE_MS
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterEach(() => {
  server.closeAllConnections()
  server.close()
})

async function ask(): Promise<Socket> {
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  const asked = once(server, 'request')
  client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  await asked
  return client
}

test('an answer that is not read is given up', async () => {
  const client = await ask()
  client.on('error', () => {})
  client.pause()
  answer('x'.repeat(50_000_000))
  await until(() => accepted.destroyed)
  client.destroy()
})

test('one that is long in coming is waited for', async () => {
  const client = await ask()
  await once(accepted, 'timeout')
  expect(accepted.destroyed).toBe(false)
  answer('done')
  const [piece] = (await once(client, 'data')) as [Buffer]
  expect(String(piece)).toMatch(/done$/)
  client.destroy()
})

test('a connection that asks for nothing more is ended', async () => {
  const client = await ask()
  answer('done')
  await once(client, 'data')
  expect(accepted.destroyed).toBe(false)
  await until(() => accepted.destroyed)
  client.destroy()
})
