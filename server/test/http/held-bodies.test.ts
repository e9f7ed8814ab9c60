/** Small bodies count toward their owner's share of memory until their requests are answered. */
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { connect as dial, type Socket } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { NewPartner } from '../../src/platform/access/index.ts'
import { problem } from '../../src/platform/kit/problem.ts'
import { until } from '../support/until.ts'
import { type HttpFixture, startHttpFixture } from './fixture.ts'

const BYTES = 250_000
/** The number of bodies that fill an owner's share of 32 MB. */
const ADMITTED = Math.ceil((32 * 1024 * 1024) / BYTES)
const TIMES = ADMITTED + 5
const BODY = `{"is_draft":true,"document":"${'A'.repeat(BYTES - 29 - 2)}"}`
const LARGE = `{"is_draft":true,"document":"${'A'.repeat(300_000)}"}`

let app: HttpFixture
/** Each call of the handler awaits this. */
let meanwhile: () => Promise<void>
let handled = 0
beforeAll(async () => {
  const handle = async (): Promise<never> => {
    handled += 1
    await meanwhile()
    throw problem('resource_unknown')
  }
  app = await startHttpFixture({ handlers: { createInvoice: { orchestrate: handle } } })
})
afterAll(() => app.stop())

const sockets: Socket[] = []
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy()
})

interface Sent {
  readonly socket: Socket
  text: string
}

const statusOf = ({ text }: Sent) => (text === '' ? null : Number(text.slice(9, 12)))

/** Sends a body, or its first bytes, on a new connection. */
function send(
  { key }: NewPartner,
  body: string,
  { bytes = body.length, type = 'json' } = {},
): Sent {
  const { port, hostname } = new URL(app.base_url)
  const socket = dial(Number(port), hostname).on('error', () => {})
  sockets.push(socket)
  socket.write(
    `POST /invoices HTTP/1.1\r\nHost: x\r\nContent-Type: application/${type}\r\n` +
      `Authorization: Bearer ${key.key}\r\nContent-Length: ${body.length}\r\n\r\n`,
  )
  socket.write(body.slice(0, bytes))
  const sent = { socket, text: '' }
  socket.on('data', piece => {
    sent.text += piece
  })
  return sent
}

/** Sends the body without a length, on a reusable connection. */
function sendStream({ key }: NewPartner, body: string): Promise<Response> {
  return app.fetch('/invoices', {
    method: 'POST',
    key: key.key,
    body: new Blob([body]).stream(),
    duplex: 'half',
    headers: { 'content-type': 'application/json' },
  } as Parameters<HttpFixture['fetch']>[1])
}

async function answerTo(sent: Sent): Promise<number> {
  return until(() => statusOf(sent))
}

/** Checks that a body is admitted. It is refused if earlier bodies still fill the owner's share. */
async function isServed(partner: NewPartner): Promise<void> {
  meanwhile = async () => {}
  expect(await answerTo(send(partner, BODY))).toBe(404)
}

describe('an owner that has used up its share', () => {
  it('gets 503 for new bodies, while those in progress are received and answered', async () => {
    meanwhile = async () => {}
    const partner = await app.newPartner('Full')
    const all = Array.from({ length: TIMES }, () => send(partner, BODY, { bytes: 100_000 }))
    await until(() => all.some(sent => statusOf(sent) !== null))
    const refused = () => all.filter(sent => statusOf(sent) === 503)
    await until(() => refused().length === TIMES - ADMITTED)
    const underWay = all.filter(sent => statusOf(sent) === null)
    expect(await answerTo(send(partner, BODY, { bytes: 0 }))).toBe(503)
    for (const { socket } of underWay) socket.write(BODY.slice(100_000))
    await until(() => underWay.every(sent => statusOf(sent) !== null))
    expect(new Set(underWay.map(statusOf))).toEqual(new Set([404]))
    await isServed(partner)
  })

  it('is admitted again only when the work for its disconnected senders is done', async () => {
    const partner = await app.newPartner('Left')
    const gone = Promise.withResolvers<void>()
    meanwhile = () => gone.promise
    handled = 0
    const all: Sent[] = []
    for (let n = 0; n < ADMITTED; n++) all.push(send(partner, BODY))
    await until(() => handled === all.length)
    const open = await connections()
    for (const { socket } of all) socket.destroy()
    await until(async () => (await connections()) <= open - all.length)
    expect(await answerTo(send(partner, BODY))).toBe(503)
    gone.resolve()
    await until(async () => (await answerTo(send(partner, BODY))) === 404)
  })
})

function connections(): Promise<number> {
  return new Promise((resolve, reject) =>
    app.httpServer.server.getConnections((error, count) =>
      error ? reject(error) : resolve(count),
    ),
  )
}

/** Disconnects at a given point, and waits until the server has noticed. */
async function leaveOnce(sent: Sent, reached: (raw: IncomingMessage) => Promise<unknown>) {
  const [raw] = (await once(app.httpServer.server, 'request')) as [IncomingMessage]
  await reached(raw)
  sent.socket.destroy()
  await until(() => raw.socket.closed)
}

it('a body without a length counts as much as its operation reads', async () => {
  const chunked = () => {
    const { port, hostname } = new URL(app.base_url)
    const socket = dial(Number(port), hostname).on('error', () => {})
    sockets.push(socket)
    const sent = { socket, text: '' }
    socket.on('data', piece => {
      sent.text += piece
    })
    socket.write(
      'POST /admin/session HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n' +
        'Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n',
    )
    return sent
  }
  const waiting: IncomingMessage[] = []
  const onRequest = (raw: IncomingMessage) => waiting.push(raw)
  app.httpServer.server.on('request', onRequest)
  const all = Array.from({ length: TIMES }, chunked)
  await until(() => waiting.length === TIMES && waiting.every(raw => raw.readableDidRead))
  app.httpServer.server.off('request', onRequest)
  const last = chunked()
  last.socket.write('1\r\n}\r\n0\r\n\r\n')
  expect(await answerTo(last)).toBe(422)
  expect(all.map(statusOf)).toEqual(all.map(() => null))
})

describe('a body is released', () => {
  const WAYS: Record<string, (partner: NewPartner) => Promise<void>> = {
    'when it is answered': async partner => {
      expect(await answerTo(send(partner, BODY))).toBe(404)
    },
    'when it is answered on a connection that goes on': async partner => {
      const answer = await sendStream(partner, BODY)
      expect(answer.status).toBe(404)
      await answer.arrayBuffer()
    },
    'when it is no JSON': async partner => {
      expect(await answerTo(send(partner, BODY.replace('{', '[')))).toBe(422)
    },
    'when it is of another type': async partner => {
      expect(await answerTo(send(partner, BODY, { type: 'xml' }))).toBe(415)
    },
    'when it enters a room': async partner => {
      expect((await sendStream(partner, LARGE)).status).toBe(404)
    },
    'when its sender leaves before its key is looked up': partner =>
      leaveOnce(send(partner, BODY, { bytes: 1_000 }), async raw => raw.socket.destroy()),
    'when its sender leaves while it arrives': partner =>
      leaveOnce(send(partner, BODY, { bytes: 1_000 }), raw => until(() => raw.readableDidRead)),
    'when its sender leaves once it has arrived': partner =>
      leaveOnce(send(partner, BODY), raw => until(() => raw.readableEnded)),
    'when its sender leaves while it is handled': async partner => {
      const gone = Promise.withResolvers<void>()
      meanwhile = () => gone.promise
      const before = handled
      await leaveOnce(send(partner, BODY), () => until(() => handled > before))
      gone.resolve()
    },
  }

  it.each(Object.entries(WAYS))('%s', async (_, end) => {
    const partner = await app.newPartner('Again and again')
    meanwhile = async () => {}
    for (let n = 0; n < TIMES; n++) await end(partner)
    await isServed(partner)
  })
})

it('many bodies of one partner are not all read before one of another', async () => {
  meanwhile = async () => {}
  const [many, one] = [await app.newPartner('Many'), await app.newPartner('One')]
  const names = Array.from({ length: 9_900 }, (_, n) => `"unknown_${n}":1234567`).join()
  let arrived = 0
  const onRequest = (raw: IncomingMessage) => raw.once('end', () => (arrived += 1))
  app.httpServer.server.on('request', onRequest)
  const all = Array.from({ length: 60 }, () => send(many, `{${names}}`))
  const answered = () => all.filter(sent => statusOf(sent) !== null).length
  await until(() => arrived === all.length)
  app.httpServer.server.off('request', onRequest)
  const before = answered()
  expect(await answerTo(send(one, `{${names}}`))).toBe(422)
  expect(answered() - before).toBeLessThan((all.length - before) / 2)
  await until(() => answered() === all.length)
})
