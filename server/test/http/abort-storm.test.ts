/** Clients that disconnect right after requesting a large page hold no resources. */
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { connect as dial, type Socket } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { createCaller } from '../../src/platform/access/index.ts'
import { POOL_MAX } from '../../src/platform/db/connect.ts'
import { transaction } from '../../src/platform/db/transaction.ts'
import { testApp } from '../support/app.ts'
import { until } from '../support/until.ts'

const CLIENTS = 500
/** The number of clients connected at the same time. */
const AT_ONCE = 50
const KEYS = 500
/** The event loop and the HTTP parsers may still refer to the last few requests. */
const KEPT_MAX = 10

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

test(`${CLIENTS} clients that leave at once hold no connection, turn or memory`, async () => {
  const app = await testApp({ connections: POOL_MAX, work: false })
  const { database } = app.context
  await transaction(database, { partners: '*', actor: 'service' }, async tx => {
    const input = { actor: 'agent', scopes: null, version: '2026-07' } as const
    for (let n = 0; n < KEYS; n++) {
      await createCaller(tx, app.partner_id, { ...input, name: `Key ${n}` })
    }
  })
  const page = () => app.client.listKeys({ page_size: KEYS })
  expect((await page()).count).toBe(KEYS)

  const requests: WeakRef<IncomingMessage>[] = []
  const clients = new Map<number, Socket>()
  const { server } = app.httpServer
  const note = (request: IncomingMessage) => {
    requests.push(new WeakRef(request))
    const client = clients.get(request.socket.remotePort!)
    if (client) setImmediate(() => client.destroy())
  }
  server.on('request', note)
  const { port, hostname } = new URL(app.base_url)
  const askAndLeave = async (before_read: boolean) => {
    const client = dial(Number(port), hostname).on('error', () => {})
    await once(client, 'connect')
    const { localPort } = client
    if (!before_read) clients.set(localPort!, client)
    const closed = once(client, 'close')
    client.write(
      `GET /keys?page_size=${KEYS} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${app.key}\r\n\r\n`,
    )
    if (before_read) client.destroySoon()
    await closed
    clients.delete(localPort!)
  }
  let left = 0
  const storm = Array.from({ length: AT_ONCE }, async () => {
    while (left < CLIENTS) await askAndLeave(left++ % 2 === 0)
  })
  let answered = 0
  const others = (async () => {
    while (left < CLIENTS) {
      await app.second.listKeys()
      answered += 1
    }
  })()
  await Promise.all([...storm, others])
  expect(answered).toBeGreaterThan(0)
  server.off('request', note)

  const { pool } = database
  await until(() => pool.waitingCount === 0 && pool.idleCount === pool.totalCount)
  // If a turn were still held, this request would never be answered.
  expect((await page()).count).toBe(KEYS)
  const kept = () => {
    collectGarbage()
    return requests.filter(one => one.deref() !== undefined).length
  }
  await until(() => kept() <= KEPT_MAX)
}, 240_000)
