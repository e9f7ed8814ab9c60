/** Connections: each handles one request at a time, and slow readers are disconnected. */
import { once } from 'node:events'
import type { RequestListener, Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import {
  CONNECTION_LIMITS,
  type ConnectionLimits,
  Connections,
} from '../../src/entrypoints/http/connections.ts'
import { inSlices } from '../../src/entrypoints/http/limit-unsent-answers.ts'
import { until } from '../support/until.ts'
import { connectRaw, type RawClient } from './raw-client.ts'

const IDLE_MS = 300
const MB = 1024 * 1024
const GET = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'

let server: Server
let connections: Connections
const clients: Socket[] = []
afterEach(() => {
  for (const client of clients.splice(0)) client.destroy()
  server.closeAllConnections()
  server.close()
})

async function serve(handle: RequestListener, limits: Partial<ConnectionLimits> = {}) {
  connections = new Connections({ ...CONNECTION_LIMITS, look_ms: 20, ...limits })
  server = connections.createServer({ keepAliveTimeout: IDLE_MS }, handle)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
}

function send(text: string) {
  const client = connectRaw((server.address() as AddressInfo).port, '127.0.0.1')
  clients.push(client.socket)
  client.socket.write(text)
  return client
}

const answers = ({ text }: RawClient) => text.split('HTTP/1.1 200').length - 1

function sendUnread(): Socket {
  const { socket } = send(GET)
  return socket.pause()
}

/** A handler that holds its responses until released. */
function holding() {
  const held: (() => void)[] = []
  const handle: RequestListener = (request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', piece => {
      body += piece
    })
    request.on('end', () => held.push(() => response.end(`<${request.url} ${body}>`)))
  }
  return { held, handle }
}

test('a request starts once the previous response has been sent, in order', async () => {
  const { held, handle } = holding()
  await serve(handle)
  const post = (n: number) => `POST /${n} HTTP/1.1\r\nHost: x\r\nContent-Length: 6\r\n\r\nbody ${n}`
  const client = send([1, 2, 3, 4].map(post).join(''))
  for (const n of [1, 2, 3, 4]) {
    await until(() => held.length === 1)
    expect(client.text.match(/<.*?>/g) ?? []).toHaveLength(n - 1)
    held.shift()!()
  }
  await until(() => answers(client) === 4)
  expect(client.text.match(/<.*?>/g)).toEqual([1, 2, 3, 4].map(n => `</${n} body ${n}>`))
})

test('sixteen requests may wait on a connection, which stays usable', async () => {
  await serve((_, response) => void setTimeout(() => response.end('done'), 5))
  const client = send(GET.repeat(17))
  await until(() => answers(client) === 17)
  client.socket.write(GET.repeat(17))
  await until(() => answers(client) === 34)
})

test('a connection with more waiting requests is closed, and the rest is not parsed', async () => {
  let begun = 0
  await serve((_, response) => {
    begun += 1
    setTimeout(() => response.end('done'), 100)
  })
  let parsed = 0
  server.on('request', () => {
    parsed += 1
  })
  const client = send(GET.repeat(2_000))
  await once(client.socket, 'close')
  expect(begun).toBe(1)
  expect(parsed).toBeLessThan(20)
})

test('requests waiting on a closed connection are not executed', async () => {
  const { held, handle } = holding()
  await serve(handle)
  const client = send(GET.repeat(3))
  await until(() => held.length === 1)
  client.socket.destroy()
  held.shift()!()
  const other = send(GET)
  await until(() => held.length === 1)
  held.shift()!()
  await until(() => answers(other) === 1)
  expect(held).toHaveLength(0)
})

const LARGE = Buffer.alloc(50 * MB, 'x')
const sendLarge: RequestListener = (_, response) => void inSlices(LARGE).pipe(response)

test('an unread response is abandoned', async () => {
  await serve(sendLarge, { slow_ms: 200 })
  const accepted = once(server, 'connection')
  sendUnread()
  const [socket] = (await accepted) as [Socket]
  await until(() => socket.destroyed)
})

test('a response read too slowly is abandoned as well', async () => {
  await serve(sendLarge, { slow_ms: 300, bytes_per_second_min: 20 * MB })
  const accepted = once(server, 'connection')
  const client = sendUnread()
  const [socket] = (await accepted) as [Socket]
  const reading = setInterval(() => client.read(64 * 1024), 20)
  await until(() => socket.destroyed)
  clearInterval(reading)
})

test('a response read slowly, but fast enough, is sent in full', async () => {
  await serve(sendLarge, { slow_ms: 200, bytes_per_second_min: 64 * 1024 })
  const client = send(GET)
  client.socket.on('data', () => {
    client.socket.pause()
    setTimeout(() => client.socket.resume(), 1)
  })
  await until(() => client.text.length >= LARGE.length)
})

test('a slow handler is waited for', async () => {
  const { held, handle } = holding()
  await serve(handle, { slow_ms: 100 })
  const client = send(GET)
  await until(() => held.length === 1)
  await new Promise(resolve => setTimeout(resolve, 300))
  held.shift()!()
  await until(() => answers(client) === 1)
})

test('an idle connection is closed', async () => {
  await serve((_, response) => void response.end('done'))
  const client = send(GET)
  await once(client.socket, 'close')
  expect(answers(client)).toBe(1)
})

test('a stop closes stalled connections, and waits for responses in progress', async () => {
  const { held, handle } = holding()
  await serve(
    (request, response) => {
      const { url } = request
      return url === '/large' ? sendLarge(request, response) : handle(request, response)
    },
    { stopping_ms: 200 },
  )
  const large = send('GET /large HTTP/1.1\r\nHost: x\r\n\r\n')
  large.socket.pause()
  const cut = [
    send(''),
    send('GET / HTTP/1.1\r\nHost: x\r\nX: '),
    send('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nhalf'),
  ]
  const working = send(GET)
  await until(() => held.length === 1)
  const closed = once(server, 'close')
  server.close()
  connections.stop()
  await Promise.all(cut.map(({ socket }) => once(socket, 'close')))
  expect(working.text).toBe('')
  held.shift()!()
  await until(() => answers(working) === 1)
  await closed
})
