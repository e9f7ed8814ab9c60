/**
 * A single attempt over real sockets: what counts as delivered, and which targets are unreachable.
 */
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { send } from '../../src/partners/webhooks/send.ts'
import { type Resolve, targetPolicy } from '../../src/partners/webhooks/target.ts'
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

test('a receiver that is absent or does not speak HTTP', async () => {
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
    (_name, _options, answer) =>
      answer(
        null,
        addresses.map(address => ({ address, family: address.includes(':') ? 6 : 4 })),
      )
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
    const rebinding: Resolve = (name, options, answer) => {
      looks++
      to(looks === 1 ? '10.0.0.1' : '127.0.0.1')(name, options, answer)
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
