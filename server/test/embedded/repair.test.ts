/** A database starts after a crash, a move or accidental changes to its folder. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import * as fs from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { startEmbedded } from '../../src/platform/db/embedded/index.ts'
import { layoutOf } from '../../src/platform/db/embedded/layout.ts'
import { until } from '../support/until.ts'
import {
  allGone,
  kill9,
  newFolder,
  onLinux,
  processesOf,
  query,
  removeFolders,
  startClientProcess,
} from './support/index.ts'
import { madeFolder } from './support/made-folder.ts'

afterEach(removeFolders)

async function roundTrip(folder: string, sql = 'SELECT 1 AS one') {
  const embedded = await startEmbedded({ folder })
  try {
    return await query(embedded.connection, sql)
  } finally {
    await embedded.stop()
  }
}

function halfMade(folder: string): string[] {
  const { home } = layoutOf(folder)
  return fs.existsSync(home) ? fs.readdirSync(home).filter(name => name.startsWith('data.')) : []
}

test.skipIf(!onLinux).each([0, 250, 500, 700])(
  'a creation killed %i ms after it began is repeated',
  async delay => {
    const folder = newFolder()
    const client = startClientProcess(folder)
    const exited = once(client, 'exit')
    await until(() => halfMade(folder).length > 0)
    // Waits for a given time on purpose, so that kills come in different phases of the creation.
    await sleep(delay)
    const { server, supervisor } = processesOf(folder)
    kill9([client.pid!, ...supervisor, ...server])
    await exited
    expect(await roundTrip(folder)).toEqual([{ one: 1 }])
    expect(halfMade(folder)).toEqual([])
  },
)

test.skipIf(!onLinux)(
  'a process killed while creating a database leaves nothing running',
  async () => {
    const folder = newFolder()
    const client = startClientProcess(folder)
    await until(() => halfMade(folder).length > 0)
    client.kill('SIGKILL')
    await allGone(folder)
    expect(await roundTrip(folder)).toEqual([{ one: 1 }])
  },
)

test('a pid file whose number now belongs to another process does not block', async () => {
  const folder = await madeFolder()
  await roundTrip(folder, 'CREATE TABLE kept (number int)')
  const { data } = layoutOf(folder)
  const { uid, gid } = fs.statSync(data)
  // Runs as the server's user, so that the server itself would take it for one of its own.
  const other = spawn('sleep', ['60'], { uid, gid, stdio: 'ignore' })
  const file = join(data, 'postmaster.pid')
  const lines = [other.pid, data, 1700000000, 5432, '/tmp/headroom-gone', '', '1 2', 'ready']
  fs.writeFileSync(file, `${lines.join('\n')}\n`)
  fs.chownSync(file, uid, gid)
  try {
    expect(await roundTrip(folder, 'SELECT * FROM kept')).toEqual([])
    expect(other.exitCode).toBeNull()
  } finally {
    other.kill()
  }
})

test('lost passwords are recreated', async () => {
  const folder = await madeFolder()
  await roundTrip(folder, 'CREATE TABLE kept (number int)')
  fs.rmSync(layoutOf(folder).passwords)
  expect(await roundTrip(folder, 'SELECT * FROM kept')).toEqual([])
})

test('a moved folder keeps working', async () => {
  const [before, after] = [await madeFolder(), join(newFolder(), 'after')]
  await roundTrip(before, 'CREATE TABLE kept (number int)')
  fs.renameSync(before, after)
  expect(await roundTrip(after, 'SELECT * FROM kept')).toEqual([])
})

test('a copy of a folder is a separate database, while the original runs', async () => {
  const [first, copy] = [await madeFolder(), join(newFolder(), 'copy')]
  const original = await startEmbedded({ folder: first })
  try {
    await query(original.connection, 'CREATE TABLE kept (number int)')
    await query(original.admin, 'CHECKPOINT')
    execFileSync('cp', ['-a', first, copy])
    await roundTrip(copy, 'INSERT INTO kept VALUES (1)')
    expect(await query(original.connection, 'SELECT * FROM kept')).toEqual([])
    expect(await roundTrip(copy, 'SELECT * FROM kept')).toEqual([{ number: 1 }])
  } finally {
    await original.stop()
  }
})

test('a database of another PostgreSQL version is refused and left untouched', async () => {
  const folder = await madeFolder()
  await roundTrip(folder)
  const version = join(layoutOf(folder).data, 'PG_VERSION')
  fs.writeFileSync(version, '17\n')
  await expect(roundTrip(folder)).rejects.toThrow(/PostgreSQL 17.*export/)
  fs.writeFileSync(version, '18\n')
  await allGone(folder)
  expect(await roundTrip(folder)).toEqual([{ one: 1 }])
})
