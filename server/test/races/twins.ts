/** Two servers on one database, as two processes would be, and many calls of theirs at once. */
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
  /** The first of them works too. */
  readonly house: TestHouse
  /** The same caller at each of them in turn. */
  client(turn: number): Client
}

/** Starts both. Callers repeat nothing by themselves unless asked to: a race is one try each. */
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
  // Before the house itself is closed, which drops the database.
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

/** What each of many calls at once came to: what it answered, or what it was refused with. */
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
