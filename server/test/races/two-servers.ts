/** Two servers on one database, like two processes, and many concurrent calls to them. */
import { type Client, createClient } from '@headroom/sdk'
import { pino } from 'pino'
import { expect, inject } from 'vitest'
import { createContext } from '../../src/app.ts'
import { buildHttpServer } from '../../src/entrypoints/http/server.ts'
import { handlers } from '../../src/handlers.ts'
import { connect, POOL_MAX } from '../../src/platform/db/connect.ts'
import { type TestApp, testApp } from '../support/app.ts'
import { closeAfterwards } from '../support/closing.ts'
import { freePort } from '../support/service.ts'

export interface TwoServers {
  /** The first server, which also runs the worker. */
  readonly app: TestApp
  /** A client with the same key, of either server in turn. */
  client(turn: number): Client
}

/** Starts both servers. By default clients do not retry, so every call is a single attempt. */
export async function startTwoServers(
  options: { attempts_max?: number } = {},
): Promise<TwoServers> {
  const app = await testApp({ connections: POOL_MAX })
  const { config, database } = app.context
  const name = database.pool.options.database!
  const pool = connect({ ...inject('server'), database: name }, () => {})
  const port = await freePort()
  const settled = { ...config, port, base_url: `http://127.0.0.1:${port}` }
  const context = await createContext(settled, pool, pino({ level: config.log_level }))
  const httpServer = await buildHttpServer(context, handlers, { check_answers: true })
  await httpServer.listen({ port, host: '127.0.0.1' })
  // Registered last and so closed first, because closing the first server drops the database.
  closeAfterwards(async () => {
    await httpServer.close()
    await pool.end()
  })
  const { attempts_max = 1 } = options
  const clients = [app.base_url, settled.base_url].map(base_url =>
    createClient({ base_url, key: app.key, attempts_max }),
  )
  return { app, client: turn => clients[turn % clients.length]! }
}

/** Makes many concurrent calls; returns their answers and their refusals. */
export async function atOnce<T>(count: number, call: (turn: number) => Promise<T>) {
  const outcomes = await Promise.allSettled(Array.from({ length: count }, (_, turn) => call(turn)))
  return {
    answers: outcomes.flatMap(o => (o.status === 'fulfilled' ? [o.value] : [])),
    refusals: outcomes.flatMap(o => (o.status === 'rejected' ? [o.reason] : [])),
  }
}

export async function expectVerifiedBooks(app: TestApp): Promise<void> {
  expect((await app.verify()).findings).toEqual([])
}
