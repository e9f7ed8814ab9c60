/**
 * A request that the database cannot serve gets a 503 with the reason and a Retry-After, never a
 * 500.
 */
import { sql } from 'kysely'
import type pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Tx } from '../../src/platform/db/transaction.ts'
import { type HttpFixture, startHttpFixture } from '../http/fixture.ts'
import { asAdmin } from '../support/admin.ts'
import { until } from '../support/until.ts'

const POOL_MAX = 12
const SECONDS_MS = 12_000

let app: HttpFixture
let meanwhile: (tx: Tx) => Promise<void>
beforeAll(async () => {
  const page = {
    data: [],
    count: 0,
    page_size: 100,
    next_page: null,
    previous_page: null,
    total: 0,
  }
  app = await startHttpFixture({
    handlers: {
      listBills: async tx => {
        await meanwhile(tx)
        return page
      },
      createWebhook: async tx => {
        await meanwhile(tx)
        throw new Error('it went on')
      },
    },
  })
})
beforeEach(() => {
  meanwhile = async () => {}
})
afterEach(() => giveBack())
afterAll(() => app.stop())

async function answered(path: string, init?: RequestInit) {
  const response = await app.fetch(path, init)
  const { code, detail } = (await response.json()) as { code?: string; detail?: string }
  const wait = Number(response.headers.get('retry-after'))
  return { status: response.status, code, detail, wait }
}

const readsBills = () => answered('/bills')
const writes = () =>
  answered('/webhooks', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      name: 'In',
      to_url: 'https://hooks.example/in',
      event_types: ['Bill.PAID'],
    }),
  })

let taken: pg.PoolClient[] = []

async function takeAll(): Promise<void> {
  const { pool } = app.database
  taken = await Promise.all(Array.from({ length: POOL_MAX }, () => pool.connect()))
}

function giveBack(): void {
  for (const client of taken.splice(0)) client.release()
}

describe('a pool without a free connection', () => {
  it('refuses within seconds, reports it at /readyz, and recovers on its own', async () => {
    await takeAll()
    const begun = performance.now()
    const requested = [readsBills(), readsBills(), writes()]
    const unready = await answered('/readyz')
    expect(unready).toMatchObject({ status: 503, code: 'connections_exhausted', wait: 2 })
    expect(performance.now() - begun).toBeLessThan(4_000)
    for (const refused of await Promise.all(requested)) {
      expect(refused).toMatchObject({ status: 503, code: 'connections_exhausted', wait: 2 })
    }
    expect(performance.now() - begun).toBeLessThan(SECONDS_MS)
    expect((await answered('/healthz')).status).toBe(200)

    giveBack()
    expect((await answered('/readyz')).status).toBe(200)
    expect((await readsBills()).status).toBe(200)
  })

  it('also refuses requests that arrive while others wait', async () => {
    await takeAll()
    const first = readsBills()
    await until(() => app.database.pool.waitingCount > 0)
    const begun = performance.now()
    // Queued behind a key lookup that is already running.
    const second = readsBills()
    expect(await second).toMatchObject({ status: 503, code: 'connections_exhausted' })
    expect(performance.now() - begun).toBeLessThan(SECONDS_MS)
    expect((await first).status).toBe(503)
    giveBack()
    expect((await readsBills()).status).toBe(200)
  })

  it('drops connections ended by the server, even if their holders hang', async () => {
    await takeAll()
    await asAdmin(`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = '${app.database.pool.options.database}'`)
    expect((await readsBills()).status).toBe(200)
    expect((await answered('/readyz')).status).toBe(200)
    giveBack()
    expect((await readsBills()).status).toBe(200)
  })
})

describe('server errors', () => {
  const raising = (code: string) => async (tx: Tx) => {
    await tx.raw(`do $$ begin raise exception using errcode = '${code}'; end $$`)
  }
  const codes: Record<string, string[]> = {
    storage_full: ['53100'],
    connections_exhausted: ['53300'],
    not_ready: [
      '53000',
      '53200',
      '53400',
      '57P01',
      '57P02',
      '57P03',
      '57P04',
      '57P05',
      '08000',
      '08001',
      '08003',
      '08006',
      '25P03',
      '25P04',
      '58000',
      '58030',
    ],
  }
  for (const [code, states] of Object.entries(codes)) {
    it.each(states)(`map to ${code} for %s`, async state => {
      meanwhile = raising(state)
      const refused = await writes()
      expect(refused).toMatchObject({ status: 503, code })
      expect(refused.wait).toBeGreaterThan(0)
      expect((await readsBills()).status).toBe(503)
      meanwhile = async () => {}
      expect((await readsBills()).status).toBe(200)
    })
  }

  it('any other error is our own fault', async () => {
    meanwhile = raising('23514')
    expect(await writes()).toMatchObject({ status: 500, code: 'internal_error' })
    meanwhile = async tx => {
      await tx.run(sql`update deployment set clock_offset_ms = 0`)
    }
    // Writing fails in the read-only transaction of a GET.
    expect(await readsBills()).toMatchObject({ status: 500, code: 'internal_error' })
    expect((await answered('/readyz')).status).toBe(200)
  })
})

describe('a read-only server', () => {
  async function readOnly(is: boolean): Promise<void> {
    const name = app.database.pool.options.database
    await asAdmin(`alter database ${name} set default_transaction_read_only = ${is}`)
    await asAdmin(`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = '${name}'`)
    await until(() => app.database.pool.totalCount === 0)
  }

  it('serves reads, refuses writes, is not ready, and recovers on its own', async () => {
    meanwhile = async tx => {
      await tx.run(sql`update deployment set clock_offset_ms = clock_offset_ms`)
    }
    await readOnly(true)
    const refused = await writes()
    expect(refused).toMatchObject({ status: 503, code: 'not_ready', wait: 5 })
    expect(refused.detail).toContain('no writes')
    expect(await answered('/readyz')).toMatchObject({ status: 503, code: 'not_ready' })
    meanwhile = async () => {}
    expect((await readsBills()).status).toBe(200)

    await readOnly(false)
    expect((await answered('/readyz')).status).toBe(200)
  })
})
