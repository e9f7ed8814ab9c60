/** More connections than allowed: those that do the least make room. */
import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Config } from '../../src/config.ts'
import { CONNECTION_LIMITS } from '../../src/entrypoints/http/connections.ts'
import { deviceCookie } from '../../src/platform/access/device-cookie.ts'
import { problem } from '../../src/platform/kit/problem.ts'
import { until } from '../support/until.ts'
import { type HttpFixture, startHttpFixture } from './fixture.ts'
import { connectRaw, type RawClient } from './raw-client.ts'

const LIMITS = { ...CONNECTION_LIMITS, open_max: 8, network_max: 6 }
const HEALTH = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'
/** A request with a key that stays in progress until `finish`. */
const held = (key: string) =>
  `GET /sandbox/clock HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`

let app: HttpFixture
let network = ''
let working = 0
/** Keys of two partners, because a partner runs at most six requests at a time. */
let keys: string[] = []
let finish = Promise.withResolvers<void>()
beforeAll(async () => {
  const getSandboxClock = async (): Promise<never> => {
    working += 1
    await finish.promise
    throw problem('resource_unknown')
  }
  app = await startHttpFixture({ connection_limits: LIMITS, handlers: { getSandboxClock } })
  keys = [app.partner, await app.newPartner('Other')].map(({ key }) => key.key)
  // Tests connect from one address only, so the server is made to see another.
  app.httpServer.server.prependListener('connection', (socket: Socket) => {
    Object.defineProperty(socket, 'remoteAddress', { value: network })
  })
})
afterAll(() => app.stop())

const clients: RawClient[] = []
afterEach(async () => {
  finish.resolve()
  for (const { socket } of clients.splice(0)) socket.destroy()
  await until(async () => (await openConnections()) === 0)
  finish = Promise.withResolvers()
})

function openConnections(): Promise<number> {
  return new Promise((resolve, reject) =>
    app.httpServer.server.getConnections((error, count) =>
      error ? reject(error) : resolve(count),
    ),
  )
}

/** A connection that the server has accepted as one of this network. */
async function open(from: string): Promise<RawClient> {
  network = from
  const { port, hostname } = new URL(app.base_url)
  const accepted = once(app.httpServer.server, 'connection')
  const client = connectRaw(Number(port), hostname)
  clients.push(client)
  await accepted
  return client
}

async function openMany(from: string, count: number): Promise<RawClient[]> {
  const all: RawClient[] = []
  for (let n = 0; n < count; n++) all.push(await open(from))
  return all
}

/** Waits until a health check on the connection is answered. */
async function isServed(client: RawClient): Promise<void> {
  client.socket.write(HEALTH)
  await until(() => client.text.includes('200 OK') || client.is_closed)
  expect(client.is_closed).toBe(false)
}

/** Sends a request with a key, which stays in progress until `finish`. */
async function askWithKey(client: RawClient): Promise<void> {
  const before = working
  const key = keys[working % 2]
  client.socket.write(held(key!))
  await until(() => working > before || client.is_closed)
}

/** Sends the first half of a sign-in, and waits until the server reads it. */
async function askWithoutKey(client: RawClient, cookie = 'none=at all'): Promise<void> {
  const requested = once(app.httpServer.server, 'request')
  client.socket.write(
    `POST /admin/session HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n` +
      `Cookie: ${cookie}\r\nContent-Length: 50\r\n\r\n{`,
  )
  const [raw] = (await requested) as [IncomingMessage]
  await until(() => raw.readableDidRead)
}

const closed = (all: readonly RawClient[]) => all.map(({ is_closed }) => is_closed)

async function busy(from: string): Promise<RawClient> {
  const client = await open(from)
  await askWithKey(client)
  return client
}

/** Runs `during` while key lookups wait for a lock. */
async function withoutLookups(during: () => Promise<void>): Promise<void> {
  const client = await app.database.pool.connect()
  try {
    await client.query('begin; lock table keys in access exclusive mode')
    await during()
  } finally {
    await client.query('rollback')
    client.release()
  }
}

/** Sends a request with a key, and waits until the server has its headers. */
async function askForLookup(client: RawClient): Promise<void> {
  const requested = once(app.httpServer.server, 'request')
  client.socket.write(held(keys[0]!))
  await requested
}

let networks = 0
const newNetwork = () => `198.51.100.${++networks}`

describe('a new connection when as many are open as may be', () => {
  it('replaces the oldest silent one of the network that has the most', async () => {
    const few = await openMany('192.0.2.1', 3)
    const many = await openMany('192.0.2.2', 5)
    await isServed(await open('192.0.2.3'))
    await until(() => many[0]!.is_closed)
    await isServed(await open('192.0.2.3'))
    await until(() => many[1]!.is_closed)
    expect(closed(few)).toEqual([false, false, false])
    expect(closed(many)).toEqual([true, true, false, false, false])
    expect(await openConnections()).toBe(8)
    const warnings = app.log.filter(({ msg }) => String(msg).startsWith('too many connections'))
    expect(warnings).toMatchObject([{ network: '192.0.2.2', open_max: 8, network_max: 6 }])
  })

  it('of the network with the most replaces another one from that network', async () => {
    const few = await openMany('192.0.2.1', 3)
    const many = await openMany('192.0.2.2', 5)
    const more = await openMany('192.0.2.2', 20)
    await isServed(more.at(-1)!)
    expect(closed(few)).toEqual([false, false, false])
    await until(() => many.every(({ is_closed }) => is_closed))
  })

  it('never replaces what a caller does, even if all others are silent', async () => {
    for (let n = 0; n < 8; n++) await open(newNetwork())
    const callers: RawClient[] = []
    for (let n = 0; n < 5; n++) callers.push(await busy('192.0.2.1'))
    for (let n = 0; n < 20; n++) await open(newNetwork())
    expect(closed(callers)).toEqual(callers.map(() => false))
    finish.resolve()
    await until(() => callers.every(({ text }) => text.includes('404')))
    for (let n = 0; n < 20; n++) await open(newNetwork())
    for (const client of callers) await isServed(client)
  })

  it('replaces idle ones, then requests without a key, silent ones, idle callers', async () => {
    const idleCaller = await busy('192.0.2.1')
    finish.resolve()
    await until(() => idleCaller.text.includes('404'))
    finish = Promise.withResolvers()
    const [silent, other] = [await open('192.0.2.2'), await open('192.0.2.3')]
    const withoutKey = await open('192.0.2.4')
    await askWithoutKey(withoutKey)
    const idle = await open('192.0.2.5')
    await isServed(idle)
    const callers: RawClient[] = []
    for (let n = 0; n < 3; n++) callers.push(await busy(newNetwork()))
    const order = [idle, withoutKey, silent, other, idleCaller]
    for (const [n, next] of order.entries()) {
      callers.push(await busy(newNetwork()))
      await until(() => next.is_closed)
      expect(closed(order)).toEqual(order.map((_, at) => at <= n))
    }
    const tooMany = await open(newNetwork())
    await until(() => tooMany.is_closed)
    expect(closed(callers)).toEqual(callers.map(() => false))
    finish.resolve()
    await until(() => callers.every(({ text }) => text.includes('404')))
  })

  it("does not replace a caller's next request while its key is looked up", async () => {
    const caller = await busy('192.0.2.1')
    finish.resolve()
    await until(() => caller.text.includes('404'))
    finish = Promise.withResolvers()
    for (let n = 0; n < 7; n++) await busy(newNetwork())
    await withoutLookups(async () => {
      await askForLookup(caller)
      const tooMany = await open(newNetwork())
      await until(() => tooMany.is_closed)
      expect(caller.is_closed).toBe(false)
    })
  })

  it('replaces requests without a key before one whose key is looked up', async () => {
    for (let n = 0; n < 5; n++) await busy(newNetwork())
    const [looked, withoutKey] = [await open('192.0.2.1'), await open('192.0.2.2')]
    const silent = await open('192.0.2.3')
    await askWithoutKey(withoutKey)
    const before = working
    await withoutLookups(async () => {
      await askForLookup(looked)
      await open('192.0.2.4')
      await until(() => withoutKey.is_closed)
      await open('192.0.2.5')
      await until(() => silent.is_closed)
      expect(looked.is_closed).toBe(false)
    })
    await until(() => working > before)
  })

  it('replaces a request with a wrong key before silent ones', async () => {
    for (let n = 0; n < 5; n++) await busy(newNetwork())
    const [liar, silent] = [await open('192.0.2.1'), await open('192.0.2.2')]
    await open('192.0.2.3')
    const requested = once(app.httpServer.server, 'request')
    liar.socket.write(
      `POST /loans HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer wrong\r\n` +
        `Content-Type: application/json\r\nContent-Length: 50\r\n\r\n{`,
    )
    const [raw] = (await requested) as [IncomingMessage]
    // The server refuses the request, and discards its body before it answers.
    await until(() => raw.readableDidRead)
    await open('192.0.2.4')
    await until(() => liar.is_closed)
    expect([liar.text, silent.is_closed]).toEqual(['', false])
  })
})

it('one network never exceeds its share, even if it is the only one', async () => {
  const all = await openMany('192.0.2.1', 6)
  const one = await open('192.0.2.1')
  await until(() => all[0]!.is_closed)
  await isServed(one)
  expect(await openConnections()).toBe(6)
})

it('requests with a key are never cut off: the excess connection is closed instead', async () => {
  const all = await openMany('192.0.2.1', 6)
  for (const client of all) await askWithKey(client)
  const tooMany = await open('192.0.2.1')
  await until(() => tooMany.is_closed)
  expect(closed(all)).toEqual(all.map(() => false))
  await isServed(await open('192.0.2.2'))
  finish.resolve()
  await until(() => all.every(({ text }) => text.includes('404')))
})

it('a sign-in from a known browser is not cut off either', async () => {
  const { database } = app
  const config = { base_url: app.base_url } as Config
  const cookie = deviceCookie(config, database.settings.secret, null, randomUUID())
  const [known, unknown, ...others] = await openMany('192.0.2.1', 6)
  await askWithoutKey(known!, cookie.split(';', 1)[0]!)
  await askWithoutKey(unknown!)
  for (const client of others) await askWithKey(client)
  const another = await open('192.0.2.1')
  await until(() => unknown!.is_closed)
  await askWithKey(another)
  const tooMany = await open('192.0.2.1')
  await until(() => tooMany.is_closed)
  expect(closed([known!, another, ...others])).toEqual(Array(6).fill(false))
})

it('addresses of one IPv6 network count together', async () => {
  const all: RawClient[] = []
  for (let n = 1; n <= 6; n++) all.push(await open(`2001:db8::${n}`))
  await open('2001:db8::7')
  await until(() => all[0]!.is_closed)
})

it('the limit stays below the number of files that the system lets it open', () => {
  const module = new URL('../../src/entrypoints/http/connections.ts', import.meta.url)
  const print = `import { CONNECTION_LIMITS } from '${module}'
    console.log(CONNECTION_LIMITS.open_max)`
  const run = 'ulimit -n 400 && exec "$0" --input-type=module --eval "$1"'
  const printed = execFileSync('sh', ['-c', run, process.execPath, print], { encoding: 'utf8' })
  expect(Number(printed)).toBe(300)
})
