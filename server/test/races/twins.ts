/** Two servers on one database, like two processes, and many concurrent calls to them. */
import { type Client, createClient } from '@headroom/sdk'
import { pino } from 'pino'
import { expect, inject } from 'vitest'
import { buildApp } from '../../src/doors/http/app.ts'
import { handlers } from '../../src/handlers.ts'
import { furnish } from '../../src/house.ts'
import { connect, POOL_MAX } from '../../src/platform/db/connect.ts'
import { closeAfterwards } from '../support/closing.ts'
import { type TestHouse, testHouse } from '../support/house.ts'
import { freePort } from '../support/service.ts'

export interface Twins {
  /** The first server, which also runs the worker. */
  readonly house: TestHouse
  /** The same caller at alternating servers. */
  client(turn: number): Client
}

/** Starts both. By default clients do not retry, because a race is a single attempt each. */
export async function twins(options: { attempts_max?: number } = {}): Promise<Twins> {
  const house = await testHouse({ connections: POOL_MAX })
  const { config, database } = house.context
  const name = database.pool.options.database!
  const pool = connect({ ...inject('server'), database: name }, () => {})
  const port = await freePort()
  const settled = { ...config, port, base_url: `http://127.0.0.1:${port}` }
  const context = await furnish(settled, pool, pino({ level: config.log_level }))
  const app = await buildApp(context, handlers, { check_answers: true })
  await app.listen({ port, host: '127.0.0.1' })
  // Closed before the first server, which drops the database.
  closeAfterwards(async () => {
    await app.close()
    await pool.end()
  })
  const { attempts_max = 1 } = options
  const clients = [house.base_url, settled.base_url].map(base_url =>
    createClient({ base_url, key: house.key, attempts_max }),
  )
  return { house, client: turn => clients[turn % clients.length]! }
}

/** The outcomes of many concurrent calls: their answers and their refusals. */
export async function atOnce<T>(count: number, call: (turn: number) => Promise<T>) {
  const outcomes = await Promise.allSettled(Array.from({ length: count }, (_, turn) => call(turn)))
  return {
    answers: outcomes.flatMap(o => (o.status === 'fulfilled' ? [o.value] : [])),
    refusals: outcomes.flatMap(o => (o.status === 'rejected' ? [o.reason] : [])),
  }
}

export async function expectRightBooks(house: TestHouse): Promise<void> {
  expect((await house.verify()).findings).toEqual([])
}
