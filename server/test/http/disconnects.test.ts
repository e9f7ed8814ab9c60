/** A client that disconnects while sending a large body frees the space reserved for the body. */
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { connect as dial } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { NewPartner } from '../../src/platform/access/index.ts'
import { problem } from '../../src/platform/kit/problem.ts'
import { until } from '../support/until.ts'
import { type HttpFixture, startHttpFixture } from './fixture.ts'

let app: HttpFixture
let meanwhile: () => Promise<void>
beforeAll(async () => {
  const handle = async (): Promise<never> => {
    await meanwhile()
    throw problem('resource_unknown')
  }
  app = await startHttpFixture({ handlers: { createInvoice: handle, listBills: handle } })
})
afterAll(() => app.stop())

/** Escapes, so that parsing them takes several event loop turns. */
const letters = (count: number) => '\\u0041'.repeat(count)
const SEVERAL_MB = letters(2_000_000)
const invoice = (document: string) => `{"is_draft":true,"document":"${document}"}`
const message = (method: string, params: object, id: number) =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params })
const list = message('tools/list', { cursor: 'PAD' }, 0)
const pad = (text: string) => list.replace('PAD', text)
const ping = (id: number) => message('ping', {}, id)
const call = (params: object) => message('tools/call', params, 1)

const PINGS = Array.from({ length: 24 }, (_, n) => ping(n + 1))
const TOO_MANY_MESSAGES = `[${[pad(SEVERAL_MB), ...PINGS]}]`
/** A call beside a message whose escapes make the body large. Decoded, it is not too long. */
const CALL = `[${pad(letters(60_000))},${call({ name: 'listBills', arguments: {} })}]`

/** One more than a partner's two places for large bodies. */
const TIMES = 3
const WAIT_MS = 10_000

interface Sent {
  readonly raw: IncomingMessage
  leave(): void
}

/** Sends this many bytes of a body on a new connection, which the test then closes. */
async function send(path: string, partner: NewPartner, body: string, bytes = body.length) {
  const { port, hostname } = new URL(app.base_url)
  const socket = dial(Number(port), hostname).on('error', () => {})
  const requested = once(app.httpServer.server, 'request')
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n` +
      'Accept: application/json, text/event-stream\r\n' +
      `Authorization: Bearer ${partner.key.key}\r\nContent-Length: ${body.length}\r\n\r\n`,
  )
  socket.write(body.slice(0, bytes))
  const [raw] = (await requested) as [IncomingMessage]
  return { raw, leave: () => socket.destroy() }
}

const hasLeft = ({ raw }: Sent) => until(() => raw.socket.closed)

async function isServed(partner: NewPartner): Promise<void> {
  meanwhile = async () => {}
  const answer = await app.fetch('/invoices', {
    method: 'POST',
    body: invoice(letters(100_000)),
    key: partner.key.key,
    headers: { 'content-type': 'application/json' },
    signal: AbortSignal.timeout(WAIT_MS),
  })
  expect(answer.status).toBe(404)
}

describe.each([
  ['/invoices', invoice(SEVERAL_MB), invoice(SEVERAL_MB)],
  ['/mcp', TOO_MANY_MESSAGES, CALL],
])('large bodies to %s', (path, read, handled) => {
  const leavingWhen = (what: string, leave: (partner: NewPartner) => Promise<Sent>) =>
    it(`free their space when the sender leaves ${what}`, async () => {
      const partner = await app.newPartner('Leaver')
      for (let n = 0; n < TIMES; n++) await hasLeft(await leave(partner))
      await isServed(partner)
    })

  leavingWhen('before the body is complete', async partner => {
    const sent = await send(path, partner, read, 1_000_000)
    await until(() => sent.raw.socket.bytesRead > 500_000)
    sent.leave()
    return sent
  })

  leavingWhen('while the body is parsed', async partner => {
    const sent = await send(path, partner, read)
    sent.raw.once('end', sent.leave)
    return sent
  })

  leavingWhen('while the request is handled', async partner => {
    const reached = Promise.withResolvers<void>()
    const gone = Promise.withResolvers<void>()
    meanwhile = () => {
      reached.resolve()
      return gone.promise
    }
    const sent = await send(path, partner, handled)
    await reached.promise
    sent.leave()
    await hasLeft(sent)
    gone.resolve()
    return sent
  })

  leavingWhen('before the response is written', async partner => {
    const reached = Promise.withResolvers<void>()
    let leave = () => {}
    meanwhile = async () => {
      leave()
      reached.resolve()
    }
    const sent = await send(path, partner, handled)
    leave = sent.leave
    await reached.promise
    return sent
  })
})

it('senders that leave while waiting for space no longer count as waiting', async () => {
  const partner = await app.newPartner('Waiting')
  const sent: Sent[] = []
  for (let n = 0; n < 102; n++) {
    sent.push(await send('/invoices', partner, invoice(SEVERAL_MB), 100_000))
  }
  await until(() => sent.every(({ raw }) => raw.socket.bytesRead > 50_000))
  const at_work = sent.splice(0, 2)
  for (const { leave } of sent) leave()
  await Promise.all(sent.map(hasLeft))
  const requested = once(app.httpServer.server, 'request')
  const served = isServed(partner)
  const [raw] = (await requested) as [IncomingMessage]
  await until(() => raw.readableDidRead)
  for (const { leave } of at_work) leave()
  await served
})
