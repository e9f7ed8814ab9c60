/**
 * A new deployment serves concurrent calls. One whose database hangs refuses requests, and then
 * serves again or stops.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type Client, createClient } from '@headroom/sdk'
import type pg from 'pg'
import { afterAll, expect, test } from 'vitest'
import { programFile } from '../../../scripts/program.ts'
import { urlOf } from '../commands/databases.ts'
import type { TestApp } from '../support/app.ts'
import { closeAfterwards } from '../support/closing.ts'
import { testDatabase } from '../support/database.ts'
import { approvedDecision, sendPlanned, statusOf } from '../support/decisions.ts'
import { dataFolder, freePort, isReady, type Service, startService } from '../support/service.ts'
import { readyBorrower } from '../support/story.ts'
import { until } from '../support/until.ts'

const FLOOD = 32
const AGENTS = 20
/** A request waiting for a connection is refused sooner than this. */
const SECONDS_MS = 20_000
/** A stop is cut off after 25 s; the rest is time for the process to exit. */
const STOP_MS_MAX = 30_000

const data = dataFolder()
afterAll(() => data.remove())

function callersOf({ base_url, credentials }: Service) {
  const clientOf = (key: string) => createClient({ base_url, key, attempts_max: 1 })
  return {
    base_url,
    agent_key: credentials.agent_key,
    client: clientOf(credentials.partner_key),
    agent: clientOf(credentials.agent_key),
  } as TestApp
}

const holder = { first_name: 'Ada', last_name: 'Byron', phone_number: '+33612345678' }

const newFolder = () => mkdtempSync(join(data.folder, 'service-'))

/** A service on its own empty database, where nothing has run yet. */
async function freshService(folder = newFolder()): Promise<{ service: Service; pool: pg.Pool }> {
  const pool = await testDatabase('empty')
  const service = await startService(folder, await freePort(), { DATABASE_URL: urlOf(pool) })
  closeAfterwards(async () => {
    if (service.child.exitCode === null && service.child.signalCode === null) await service.kill()
  })
  return { service, pool }
}

test('with a DATABASE_URL the data folder need not exist', async () => {
  const folder = join(newFolder(), 'not', 'there')
  const { service } = await freshService(folder)
  expect(service.credentials.partner_key).toBeTruthy()
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  expect(await service.stop()).toBe(0)
})

test('32 concurrent card orders on a fresh server are all issued', async () => {
  const { service } = await freshService()
  const app = callersOf(service)
  const { id: borrower_id } = await readyBorrower(app)
  const cards = Array.from({ length: FLOOD }, () =>
    app.client.createCard({ borrower_id, ...holder }),
  )
  expect(new Set((await Promise.all(cards)).map(card => card.id)).size).toBe(FLOOD)
  expect(await isReady(service.base_url)).toBe(true)
  expect(await service.stop()).toBe(0)
})

test('20 agents with one decision on a fresh server: exactly one executes it', async () => {
  const { service } = await freshService()
  const app = callersOf(service)
  const { id: borrower_id } = await readyBorrower(app)
  const step = { method: 'POST' as const, path: '/cards', body: { borrower_id, ...holder } }
  const decision = await approvedDecision(app, [step])
  const headers = { 'x-decision-id': decision.id }
  // Opens every connection of the pool, so that all agents arrive together.
  await Promise.all(Array.from({ length: FLOOD }, () => app.client.listLoans({})))
  const output = await Promise.all(
    Array.from({ length: AGENTS }, () => statusOf(sendPlanned(app, step, { headers }))),
  )
  expect(output.filter(one => one === '201 done')).toHaveLength(1)
  expect(output.filter(one => !/^(201 done|403 step_executed|409 \w+)$/.test(one))).toEqual([])
  expect(await isReady(service.base_url)).toBe(true)
  expect(await service.stop()).toBe(0)
})

/** Locks the first table every transaction reads, so that all of them hang. */
async function hang(pool: pg.Pool): Promise<pg.PoolClient> {
  const client = await pool.connect()
  await client.query('begin; lock table deployment in access exclusive mode')
  return client
}

/** Starts another process on a hanging database, so that the process hangs at startup. */
async function startThatHangs(port: number, pool: pg.Pool) {
  const main = await programFile('service')
  const { PATH, HOME } = process.env
  const own = {
    HEADROOM_DATA: join(data.folder, `${port}`),
    PORT: `${port}`,
    HEADROOM_LOG: 'fatal',
  }
  const env = { PATH, HOME, ...own, DATABASE_URL: urlOf(pool) }
  const child = spawn(process.execPath, [main, 'serve'], { env, stdio: 'ignore' })
  closeAfterwards(async () => void child.kill('SIGKILL'))
  const code = once(child, 'exit').then(([code]) => code as number | null)
  return { child, code }
}

const outcome = (client: Client) =>
  client.getSandboxClock().then(
    () => '200',
    error => `${error.status} ${error.code} ${error.headers?.get('retry-after')}`,
  )

test('while the database hangs, requests fail in seconds; then it serves or stops', async () => {
  const { service, pool } = await freshService()
  const { client } = callersOf(service)
  const { base_url, credentials } = service
  const other = createClient({ base_url, key: credentials.second_partner_key, attempts_max: 1 })
  const first = await hang(pool)
  // Each partner gets at most half of the connections, so two partners exhaust them.
  const hanging = Array.from({ length: FLOOD }, () => [outcome(client), outcome(other)]).flat()
  const begun = performance.now()
  expect(await outcome(client)).toBe('503 connections_exhausted 2')
  const unready = await fetch(`${service.base_url}/readyz`)
  expect(unready.status).toBe(503)
  expect(await unready.json()).toMatchObject({ code: 'connections_exhausted' })
  expect(performance.now() - begun).toBeLessThan(SECONDS_MS)

  await first.query('rollback')
  first.release()
  const seen = await Promise.all(hanging)
  expect(seen.filter(one => one !== '200' && one !== '503 connections_exhausted 2')).toEqual([])
  await until(() => isReady(service.base_url))
  expect(await outcome(client)).toBe('200')

  const second = await hang(pool)
  const starting = await startThatHangs(await freePort(), pool)
  const again = Array.from({ length: FLOOD }, () =>
    [client, other].map(caller => outcome(caller).catch(() => 'cut off')),
  ).flat()
  await until(async () => !(await isReady(service.base_url)))
  await until(async () => {
    const { rows } = await pool.query(`select from pg_stat_activity
      where wait_event_type = 'Lock' and query like '%insert into deployment%'`)
    return rows.length > 0
  })
  const requested = performance.now()
  starting.child.kill('SIGTERM')
  expect(await Promise.all([service.stop(), starting.code])).toEqual([143, 0])
  expect(performance.now() - requested).toBeLessThan(STOP_MS_MAX)
  await Promise.all(again)
  await second.query('rollback')
  second.release()
})
