/** kill -9 during writes, and servers that do not start again: acknowledged commits survive. */
import { execFileSync } from 'node:child_process'
import { readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterEach, expect, test } from 'vitest'
import {
  type Connection,
  type Embedded,
  startEmbedded,
} from '../../src/platform/db/embedded/index.ts'
import { layoutOf } from '../../src/platform/db/embedded/layout.ts'
import { until } from '../support/until.ts'
import { kill9, onLinux, postmasterOf, processesOf, query, removeFolders } from './support/index.ts'
import { madeFolder } from './support/made-folder.ts'

const ROUNDS = 20
const WRITERS = 4

let embedded: Embedded | undefined
afterEach(async () => {
  await embedded?.stop()
  await removeFolders()
})

/** Commits numbers one by one until the connection breaks; returns those acknowledged. */
async function write(connection: Connection, writer: number, round: number): Promise<string[]> {
  const acknowledged: string[] = []
  const client = new pg.Client(connection)
  client.on('error', () => {})
  try {
    await client.connect()
    for (let number = 0; ; number++) {
      const key = `${round}/${writer}/${number}`
      await client.query('INSERT INTO written VALUES ($1)', [key])
      acknowledged.push(key)
    }
  } catch {
    return acknowledged
  }
}

/** In rotation: the main process alone, the whole server, and the server with its supervisor. */
function victims(folder: string, round: number): number[] {
  const { server, supervisor } = processesOf(folder)
  if (round % 3 === 0) return [postmasterOf(folder)]
  return round % 3 === 1 ? server : [...supervisor, ...server]
}

test.skipIf(!onLinux)(`${ROUNDS} kills during writes lose no acknowledged commit`, async () => {
  const folder = await madeFolder()
  embedded = await startEmbedded({ folder })
  const { connection } = embedded
  await query(connection, 'CREATE TABLE written (key text PRIMARY KEY)')
  const acknowledged: string[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const writers = Array.from({ length: WRITERS }, (_, n) => write(connection, n, round))
    // Waits for a random time on purpose, so that the kill can come at any moment.
    await sleep(20 + Math.random() * 100)
    kill9(victims(folder, round))
    acknowledged.push(...(await Promise.all(writers)).flat())
    const rows = await until(() =>
      query(connection, 'SELECT key FROM written').catch(() => undefined),
    )
    const found = new Set(rows.map(row => row.key))
    expect(acknowledged.filter(key => !found.has(key))).toEqual([])
    // Per writer and round, only the commit in flight may have succeeded unacknowledged.
    expect(found.size - acknowledged.length).toBeLessThanOrEqual(WRITERS * (round + 1))
  }
  expect(acknowledged.length).toBeGreaterThan(ROUNDS)
})

test.skipIf(!onLinux)('a server that cannot restart is started once it can', async () => {
  const folder = await madeFolder()
  const lines: string[] = []
  embedded = await startEmbedded({ folder, log: line => lines.push(line) })
  const { connection } = embedded
  const control = join(layoutOf(folder).data, 'global', 'pg_control')
  renameSync(control, `${control}.away`)
  kill9([postmasterOf(folder)])
  // More attempts than are made without a delay between them.
  const tries = () => readFileSync(layoutOf(folder).log, 'utf8').split('pg_control').length
  await until(() => tries() > 8, 30_000)
  expect(lines.filter(line => line.includes('did not start'))).toHaveLength(1)
  renameSync(`${control}.away`, control)
  await until(() => query(connection, 'SELECT').catch(() => undefined))
})

test.skipIf(!onLinux)('a server whose log was removed is started again', async () => {
  const folder = await madeFolder()
  embedded = await startEmbedded({ folder })
  const { connection } = embedded
  rmSync(layoutOf(folder).log)
  kill9([postmasterOf(folder)])
  await until(() => query(connection, 'SELECT 1').catch(() => undefined))
})

test.skipIf(!onLinux)('a server stuck in recovery is stopped and started again', async () => {
  const folder = await madeFolder()
  const lines: string[] = []
  embedded = await startEmbedded({ folder, log: line => lines.push(line), stuck_ms: 6_000 })
  const { connection } = embedded
  await query(connection, 'CREATE TABLE written AS SELECT 1 AS number')
  // Recovery opens this file first, and waits until another process writes to it.
  const endless = join(layoutOf(folder).data, 'backup_label')
  execFileSync('mkfifo', ['-m', '666', endless])
  const client = new pg.Client(connection)
  client.on('error', () => {})
  await client.connect()
  const { rows } = await client.query('SELECT pg_backend_pid() AS pid')
  const before = postmasterOf(folder)
  kill9([rows[0].pid])
  await until(() => lines.some(line => line.includes('makes no progress')))
  // The restarted server gets stuck as well, during startup.
  await until(() => lines.some(line => line.includes('did not start: it made no progress')))
  rmSync(endless)
  const found = await until(() =>
    query(connection, 'SELECT number FROM written').catch(() => undefined),
  )
  expect(found).toEqual([{ number: 1 }])
  expect(postmasterOf(folder)).not.toBe(before)
})
