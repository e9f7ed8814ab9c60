/**
 * Signals to any process of a database, and leftovers of killed processes: holders get the database
 * back.
 */
import { execFileSync, spawn } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { afterEach, expect, test } from 'vitest'
import {
  type Connection,
  type Embedded,
  startEmbedded,
} from '../../src/platform/db/embedded/index.ts'
import { layoutOf } from '../../src/platform/db/embedded/layout.ts'
import { closeAfterwards } from '../support/closing.ts'
import { until } from '../support/until.ts'
import {
  allGone,
  kill9,
  onLinux,
  postmasterOf,
  processesOf,
  query,
  removeFolders,
  startClient,
} from './support/index.ts'
import { madeFolder } from './support/made-folder.ts'

/** Far less than the three minutes after which a server counts as stuck. */
const SOON_MS = 30_000
/** Less than the 25 seconds after which a service's stop is cut off. */
const STOP_MS = 15_000

const started: Embedded[] = []
const start = async (folder: string, options: { stuck_ms?: number } = {}) => {
  const embedded = await startEmbedded({ folder, ...options })
  started.push(embedded)
  return embedded
}
afterEach(async () => {
  await Promise.all(started.splice(0).map(embedded => embedded.stop()))
  await removeFolders()
})

const servesAgain = (connection: Connection, sql = 'SELECT 1 AS one') =>
  until(() => query(connection, sql).catch(() => undefined), SOON_MS)

async function openSession(connection: Connection): Promise<{ pid: number }> {
  const client = new pg.Client(connection)
  client.on('error', () => {})
  await client.connect()
  closeAfterwards(async () => void client.end().catch(() => {}))
  const { rows } = await client.query('SELECT pg_backend_pid() AS pid')
  return rows[0]
}

test.skipIf(!onLinux)('signals do not end a supervisor whose database is held', async () => {
  const folder = await madeFolder()
  const { connection } = await start(folder)
  const { supervisor } = processesOf(folder)
  const postmaster = postmasterOf(folder)
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.kill(supervisor[0]!, signal)
    // The supervisor answers the new client only after receiving the signal.
    const another = await start(folder)
    expect(another.connection).toEqual(connection)
  }
  expect(await query(connection, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
  expect(processesOf(folder).supervisor).toEqual(supervisor)
  expect(postmasterOf(folder)).toBe(postmaster)
})

test.skipIf(!onLinux)('a holder that was suspended gets a lost database back', async () => {
  const folder = await madeFolder()
  const late = await startClient(folder)
  try {
    const { supervisor } = processesOf(folder)
    late.process.kill('SIGSTOP')
    kill9(supervisor)
    // Meanwhile another process takes the server over, and stops it.
    const other = await startEmbedded({ folder })
    await other.stop()
    await allGone(folder)
    late.process.kill('SIGCONT')
    expect(await servesAgain(late.connection)).toEqual([{ one: 1 }])
  } finally {
    await late.kill()
  }
})

test.skipIf(!onLinux)('a server told to shut down while it is held is started again', async () => {
  const folder = await madeFolder()
  const { connection } = await start(folder)
  // With SIGTERM alone, the server would wait for this session and refuse others.
  await openSession(connection)
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGQUIT'] as const) {
    const postmaster = postmasterOf(folder)
    process.kill(postmaster, signal)
    await until(() => !processesOf(folder).server.includes(postmaster), SOON_MS)
    await servesAgain(connection)
  }
})

test.skipIf(!onLinux)('a suspended session does not delay a restart for long', async () => {
  const folder = await madeFolder()
  const { connection } = await start(folder)
  const suspended = await openSession(connection)
  process.kill(suspended.pid, 'SIGSTOP')
  process.kill(postmasterOf(folder), 'SIGINT')
  await until(() => !processesOf(folder).server.includes(suspended.pid), SOON_MS)
  await servesAgain(connection)
})

test.skipIf(!onLinux).each(['the server', 'the server and its supervisor'])(
  'processes left by the kill of %s do not block its next start',
  async victims => {
    const folder = await madeFolder()
    const { connection } = await start(folder)
    await query(connection, 'CREATE TABLE written AS SELECT 1 AS number')
    const left = await openSession(connection)
    // A process that runs in the data folder without belonging to the server.
    const other = spawn('sleep', ['60'], { cwd: layoutOf(folder).data, stdio: 'ignore' })
    try {
      process.kill(left.pid, 'SIGSTOP')
      const { supervisor } = processesOf(folder)
      kill9([...(victims === 'the server' ? [] : supervisor), postmasterOf(folder)])
      expect(await servesAgain(connection, 'SELECT number FROM written')).toEqual([{ number: 1 }])
      const { server } = processesOf(folder)
      expect(server).not.toContain(left.pid)
      expect(server).toContain(other.pid)
    } finally {
      other.kill()
      kill9(processesOf(folder).server.filter(pid => pid === left.pid))
    }
  },
)

function isRecovering(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith('postgres: headroom: startup')
  } catch {
    // It has exited.
    return false
  }
}

test.skipIf(!onLinux).each(['a session', 'the server', 'the server and its supervisor'])(
  'a stop is prompt while the recovery after a kill of %s hangs',
  async victims => {
    const folder = await madeFolder()
    const embedded = await start(folder)
    // Recovery opens this file first, and waits until another process writes to it.
    execFileSync('mkfifo', ['-m', '666', join(layoutOf(folder).data, 'backup_label')])
    const session = await openSession(embedded.connection)
    const { supervisor } = processesOf(folder)
    const postmaster = postmasterOf(folder)
    if (victims === 'a session') kill9([session.pid])
    else kill9([...(victims === 'the server' ? [] : supervisor), postmaster])
    await until(() => processesOf(folder).server.some(isRecovering))
    const requested = Date.now()
    await embedded.stop()
    await allGone(folder)
    expect(Date.now() - requested).toBeLessThan(STOP_MS)
  },
)

test.skipIf(!onLinux)('a socket folder that was removed is made again', async () => {
  const folder = await madeFolder()
  const { connection } = await start(folder, { stuck_ms: 3_000 })
  rmSync(connection.host, { recursive: true })
  expect(await servesAgain(connection)).toEqual([{ one: 1 }])
})
