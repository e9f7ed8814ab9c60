/** Stopping during business days: prompt, between days, and without losing a finished day. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createClient } from '@headroom/sdk'
import pg from 'pg'
import { expect, inject, onTestFinished, test } from 'vitest'
import { programFile } from '../../../scripts/program.ts'
import { LOCKS } from '../../src/platform/db/locks.ts'
import { addDays, day } from '../../src/platform/kit/dates.ts'
import { testApp, until } from '../support/app.ts'
import { seededFolder } from '../support/seeded-folder.ts'
import { dataFolder, freePort, headroom, isReady, startService } from '../support/service.ts'
import { readyBorrower, requestLoan } from '../support/story.ts'

const SOON_MS = 15_000
const DAYS = 400

test('SIGTERM while the clock advances: it stops between days, and continues later', async () => {
  const data = await seededFolder()
  onTestFinished(data.remove)
  const port = await freePort()
  const service = await startService(data.folder, port)
  const key = service.credentials.partner_key
  const client = createClient({ base_url: service.base_url, key, attempts_max: 1 })
  const first = day((await client.getSandboxClock()).business_date.slice(0, 10))
  const moving = client.advanceSandboxClock({ days: DAYS }).catch(error => error)
  const later = addDays(first, 3)
  await until(async () => (await client.getSandboxClock()).business_date > later)
  const requested = Date.now()
  expect(await service.stop()).toBe(0)
  expect(Date.now() - requested).toBeLessThan(SOON_MS)
  expect(await moving).toMatchObject({ status: 503, code: 'not_ready' })

  const again = await startService(data.folder, port)
  try {
    const { business_date } = await client.getSandboxClock()
    expect(business_date > later && business_date < addDays(first, DAYS)).toBe(true)
    const days = 2
    const moved = await client.advanceSandboxClock({ days })
    const next = addDays(day(business_date.slice(0, 10)), days)
    expect(moved.business_date.slice(0, 10)).toBe(next)
  } finally {
    expect(await again.stop()).toBe(0)
  }
  expect(await headroom(['verify'], { HEADROOM_DATA: data.folder })).toMatchObject({ code: 0 })
})

test('the worker stops while it catches up on missed days', async () => {
  const app = await testApp()
  await requestLoan(app, await readyBorrower(app), { amount: 100_000, days: 45 })
  const { pool } = app.context.database
  const daysDone = async () => {
    const { rows } = await pool.query('select count(*)::int as n from business_days')
    return rows[0].n as number
  }
  await until(async () => (await daysDone()) === 1)
  await pool.query('update deployment set clock_offset_ms = clock_offset_ms + $1', [
    DAYS * 86_400_000,
  ])
  await until(async () => (await daysDone()) > 3)
  const requested = Date.now()
  await app.context.worker.stop()
  expect(Date.now() - requested).toBeLessThan(SOON_MS)
  expect(await daysDone()).toBeLessThan(DAYS)
})

test('a worker waiting for an import to end stops at once', async () => {
  const app = await testApp({ work: false, new: true })
  const { database, worker } = app.context
  const name = database.pool.options.database!
  const importing = new pg.Client({ ...inject('server'), database: name })
  await importing.connect()
  await importing.query('select pg_advisory_lock($1)', [LOCKS.presence])
  worker.start()
  // The worker's session keeps polling the lock.
  const looking = `select from pg_stat_activity where datname = current_database()
    and query like '%pg_try_advisory_lock_shared%' and pid <> pg_backend_pid()`
  await until(async () => (await importing.query(looking)).rowCount === 1)
  const requested = Date.now()
  await worker.stop()
  expect(Date.now() - requested).toBeLessThan(SOON_MS)
  await importing.end()
})

test('a service serves and stops even if its log is not read', async () => {
  const { folder, remove } = dataFolder()
  const base_url = `http://127.0.0.1:${await freePort()}`
  const { PATH, HOME, TMPDIR } = process.env
  const own = { HEADROOM_DATA: folder, PORT: new URL(base_url).port, HEADROOM_LOG: 'info' }
  const child = spawn(process.execPath, [await programFile('service'), 'serve'], {
    env: { PATH, HOME, TMPDIR, ...own },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const exited = once(child, 'exit')
  await until(() => isReady(base_url))
  // Logs more than a pipe holds.
  for (let n = 0; n < 1_000; n++) expect((await fetch(`${base_url}/healthz`)).status).toBe(200)
  child.kill('SIGTERM')
  expect(await exited).toEqual([0, null])
  await remove()
})
