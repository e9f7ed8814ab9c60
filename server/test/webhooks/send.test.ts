/**
 * A single attempt over real sockets: what counts as delivered, and which targets are refused.
 */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { limitReceived } from '../../src/partners/webhooks/limit-received.ts'
import type { Resolve } from '../../src/partners/webhooks/resolve-name.ts'
import { send } from '../../src/partners/webhooks/send.ts'
import { targetPolicy } from '../../src/partners/webhooks/target.ts'
import { type Receiver, startReceiver, status } from './receiver.ts'

const live = targetPolicy({ mode: 'live', allow_private_webhooks: false })
const sandbox = targetPolicy({ mode: 'sandbox', allow_private_webhooks: false })

let receiver: Receiver
const started: Receiver[] = []
beforeEach(async () => {
  receiver = await startReceiver()
  started.push(receiver)
})
afterAll(() => Promise.all(started.map(r => r.close())))

const post = (url: string, options: { timeout_ms?: number; resolve?: Resolve } = {}) =>
  send(url, { 'content-length': '2' }, '{}', { policy: sandbox, timeout_ms: 5000, ...options })

test('any 2xx is success', async () => {
  const attempt = await post(receiver.url)
  expect(attempt).toMatchObject({ response_status: 204, error: null, retry_after: null })
  expect(attempt.duration_ms).toBeGreaterThanOrEqual(0)
  expect(receiver.arrivals).toMatchObject([{ path: '/hook', body: '{}' }])
})

test('a redirect is a failure and is not followed', async () => {
  const trap = await startReceiver()
  started.push(trap)
  receiver.answer = status(307, { location: trap.url })
  const attempt = await post(receiver.url)
  expect(attempt.response_status).toBe(307)
  expect(attempt.error).toBe('answered 307: redirects are not followed')
  expect(trap.arrivals).toEqual([])
})

test("the receiver's response body is not stored", async () => {
  receiver.answer = status(503, { 'retry-after': '17' })
  const attempt = await post(receiver.url)
  expect(attempt).toMatchObject({ response_status: 503, retry_after: '17', error: 'answered 503' })
})

describe('a slow receiver', () => {
  test('that does not answer in time fails', async () => {
    receiver.answer = () => {}
    const attempt = await post(receiver.url, { timeout_ms: 150 })
    expect(attempt).toMatchObject({ response_status: null, error: 'no answer within 150 ms' })
    expect(attempt.duration_ms).toBeLessThan(3000)
  })

  test('that answers in time but sends the body slowly succeeds', async () => {
    receiver.answer = response => response.writeHead(200).write('a')
    const attempt = await post(receiver.url, { timeout_ms: 150 })
    expect(attempt).toMatchObject({ response_status: 200, error: null })
    expect(attempt.duration_ms).toBeLessThan(3000)
  })
})

test('an endless body is cut off', async () => {
  let sent = 0
  receiver.answer = response => {
    response.writeHead(200)
    const pour = () => {
      while (!response.destroyed && response.write(Buffer.alloc(65_536))) sent += 65_536
    }
    response.on('drain', pour)
    response.on('error', () => {})
    pour()
  }
  const attempt = await post(receiver.url)
  expect(attempt).toMatchObject({ response_status: 200, error: null })
  expect(sent).toBeLessThan(64 * 1024 * 1024)
})

describe('a receiver cannot occupy the process', () => {
  const servers: Server[] = []
  afterAll(() => {
    for (const server of servers) server.close()
  })
  /** Serves each connection with `serve` once its first data has arrived. */
  const listen = async (serve: (socket: Socket, first: Buffer) => void) => {
    const server = createServer(socket => {
      socket.on('error', () => {}).once('data', first => serve(socket, first))
    }).listen(0, '127.0.0.1')
    servers.push(server)
    await once(server, 'listening')
    return (server.address() as AddressInfo).port
  }
  const tooMuch = { response_status: null, error: 'answered with too much data' }

  test.each([
    ['interim responses', 'HTTP/1.1 103 A\r\n\r\n'],
    ['requests to continue', 'HTTP/1.1 100 A\r\n\r\n'],
    ['interim responses with headers', `HTTP/1.1 103 A\r\n${'a: b\r\n'.repeat(900)}\r\n`],
  ])('with %s without end', async (_what, text) => {
    const port = await listen(socket => {
      const flood = Buffer.from(text.repeat(100))
      const pour = () => {
        while (!socket.destroyed && socket.write(flood));
      }
      socket.on('drain', pour)
      pour()
    })
    expect(await post(`http://127.0.0.1:${port}/`, { timeout_ms: 2000 })).toMatchObject(tooMuch)
  })

  test('with a chunk extension without end', async () => {
    const closed = Promise.withResolvers<void>()
    let sent = 0
    const port = await listen(socket => {
      socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n')
      const flood = Buffer.from(`1;${'x'.repeat(15_000)}\r\na\r\n`.repeat(4))
      const pour = () => {
        do sent += flood.length
        while (!socket.destroyed && socket.write(flood))
      }
      socket.on('drain', pour).on('close', () => closed.resolve())
      pour()
    })
    const attempt = await post(`http://127.0.0.1:${port}/`)
    expect(attempt).toMatchObject({ response_status: 200, error: null })
    await closed.promise
    // Most of the bytes sent are in the buffers of the two sockets.
    expect(sent).toBeLessThan(32 * 1024 * 1024)
  })

  test('but some interim responses are accepted', async () => {
    const port = await listen(socket => {
      socket.write('HTTP/1.1 100 Continue\r\n\r\n')
      socket.end(`${'HTTP/1.1 103 A\r\n\r\n'.repeat(3)}HTTP/1.1 202 Accepted\r\n\r\n`)
    })
    const attempt = await post(`http://127.0.0.1:${port}/`)
    expect(attempt).toMatchObject({ response_status: 202, error: null })
  })

  test('with data that arrives at once: it is parsed in pieces', async () => {
    const port = await listen(socket => socket.end(Buffer.alloc(65_536)))
    const socket = connect(port, '127.0.0.1')
    const sizes: number[] = []
    limitReceived(socket)
    socket.on('data', piece => {
      sizes.push(piece.length)
      if (sizes.length === 3) socket.destroy()
    })
    socket.write('{}')
    await once(socket, 'close')
    expect(sizes).toEqual([1024, 1024, 1024])
  })

  test('with a key exchange whose size it chooses', async () => {
    const hello = Promise.withResolvers<Buffer>()
    const port = await listen((socket, first) => {
      hello.resolve(first)
      socket.destroy()
    })
    await post(`https://127.0.0.1:${port}/`)
    const offered = cipherSuites(await hello.promise)
    // ECDHE-RSA-AES128-GCM-SHA256 is offered, but no DHE-RSA suite with AES or ChaCha20.
    expect(offered).toContain(0xc02f)
    const finite = [0x33, 0x39, 0x67, 0x6b, 0x9e, 0x9f, 0xc09e, 0xc09f, 0xc0a2, 0xc0a3, 0xccaa]
    expect(offered.filter(suite => finite.includes(suite))).toEqual([])
  })
})

/** The cipher suites of a ClientHello (RFC 8446, section 4.1.2). */
function cipherSuites(record: Buffer): number[] {
  const session = 5 + 4 + 2 + 32
  const start = session + 1 + record[session]!
  const length = record.readUInt16BE(start) / 2
  return Array.from({ length }, (_, i) => record.readUInt16BE(start + 2 + 2 * i))
}

test('a receiver that switches protocols fails and is disconnected', async () => {
  const closed = Promise.withResolvers<void>()
  const bare = createServer(socket => {
    socket.on('error', () => {}).on('close', () => closed.resolve())
    const lines = ['HTTP/1.1 101 Switching Protocols', 'Upgrade: websocket', 'Connection: Upgrade']
    socket.once('data', () => socket.write(`${lines.join('\r\n')}\r\n\r\n`))
  }).listen(0, '127.0.0.1')
  await once(bare, 'listening')
  const { port } = bare.address() as AddressInfo
  const attempt = await post(`http://127.0.0.1:${port}/`, { timeout_ms: 60_000 })
  expect(attempt).toMatchObject({ response_status: 101, error: 'answered 101' })
  await closed.promise
  bare.close()
})

test('an absent receiver fails, with the reason', async () => {
  await receiver.close()
  const attempt = await post(receiver.url)
  expect(attempt).toMatchObject({
    response_status: null,
    error: 'could not be reached: ECONNREFUSED',
  })
})

describe('private networks', () => {
  const named = `https://hooks.example.com/hook`
  const to =
    (...addresses: string[]): Resolve =>
    async () =>
      addresses.map(address => ({ address, family: address.includes(':') ? 6 : 4 }))
  const refusal = 'the name leads into a private network'

  test.each([
    ['127.0.0.1'],
    ['10.1.2.3'],
    ['169.254.169.254'],
    ['::1'],
    ['::ffff:127.0.0.1'],
    ['64:ff9b::7f00:1'],
    ['1.1.1.1', '192.168.0.1'],
  ])('are not reached through a name that resolves to %s', async (...addresses) => {
    const attempt = await send(named, {}, '', {
      policy: live,
      timeout_ms: 5000,
      resolve: to(...addresses),
    })
    expect(attempt).toMatchObject({ response_status: null, error: refusal })
  })

  test('are not reached through a name whose address changes after the check', async () => {
    let looks = 0
    const rebinding: Resolve = (name, signal) => {
      looks++
      return to(looks === 1 ? '10.0.0.1' : '127.0.0.1')(name, signal)
    }
    const url = `http://hooks.example.com:${receiver.port}/hook`
    expect((await post(url, { resolve: rebinding })).error).toBe(refusal)
    // The connection uses the address that was checked: one lookup per attempt.
    expect((await post(url, { resolve: rebinding })).response_status).toBe(204)
    expect(looks).toBe(2)
    expect(receiver.arrivals).toHaveLength(1)
  })

  test('are not reached through the name localhost or an address in the URL', async () => {
    const { port } = receiver
    const urls = [
      `https://localhost:${port}/`,
      `https://127.0.0.1:${port}/`,
      `https://[::1]:${port}/`,
    ]
    for (const url of urls) {
      const attempt = await send(url, {}, '', { policy: live, timeout_ms: 5000 })
      expect(attempt.error).toBe('the address must not point into a private network')
    }
    const mapped = await post(`http://[::ffff:127.0.0.1]:${port}/`)
    expect(mapped.error).toBe('the address must not point into a private network')
    expect(receiver.arrivals).toEqual([])
  })

  test('a sandbox reaches its own machine, by name and by address', async () => {
    const { port } = receiver
    expect((await post(`http://127.0.0.1:${port}/`)).response_status).toBe(204)
    expect((await post(`http://localhost:${port}/`)).response_status).toBe(204)
  })
})
