/** A server that cannot start on a full disk says so, and starts once there is space. */
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { afterEach, expect, test } from 'vitest'
import { connect } from '../../src/platform/db/connect.ts'
import { freeBytes, isWithoutRoom } from '../../src/platform/db/embedded/disk-full.ts'
import { type Embedded, startEmbedded } from '../../src/platform/db/embedded/index.ts'
import { layoutOf } from '../../src/platform/db/embedded/layout.ts'
import { unavailabilityOf } from '../../src/platform/db/unavailable.ts'
import { fill, MEGABYTE, requireSmallDisk, unmount } from '../support/small-disk.ts'
import { until } from '../support/until.ts'
import { allGone, kill9, postmasterOf, processesOf, query } from './support/index.ts'

const PATIENCE_MS = 60_000
/** With this many bytes of space the server starts, but its first session does not. */
const ROOM_FOR_SERVER = 1100 * 1024

let embedded: Embedded | undefined
let folder: string
afterEach(async () => {
  await embedded?.stop()
  embedded = undefined
  if (folder) await allGone(folder)
  unmount()
})

/** What is killed, and whether the server can still log why it does not start. */
const cases = [
  { what: 'the server ends without any space', leave_bytes: 0, supervisor: false },
  {
    what: 'the server ends without space for its log',
    leave_bytes: 3 * MEGABYTE,
    supervisor: false,
  },
  { what: 'the server and its supervisor end', leave_bytes: 0, supervisor: true },
]

for (const { what, leave_bytes, supervisor } of cases) {
  test(`on a full disk, ${what}: clients learn why until there is space`, async ({ skip }) => {
    const disk = requireSmallDisk(skip)
    folder = join(disk, 'data')
    mkdirSync(folder)
    const lines: string[] = []
    embedded = await startEmbedded({ folder, log: line => lines.push(line) })
    const { admin, connection, openSocket } = embedded
    await query(connection, 'CREATE TABLE written AS SELECT 1 AS number')
    const pool = connect({ ...connection, stream: openSocket }, () => {})
    // Opened before the disk is full, because a new session needs disk space.
    const session = new pg.Client(admin)
    session.on('error', () => {})
    await session.connect()
    const ballast = join(disk, 'ballast')
    fill(ballast, leave_bytes)
    // The next write, or the recovery after the kill, needs a new file for the write-ahead log.
    await session.query('SELECT pg_switch_wal()').catch(() => {})
    const found = processesOf(folder)
    kill9([postmasterOf(folder), ...(supervisor ? found.supervisor : [])])

    const refusal = () => pool.query('SELECT').then(() => null, unavailabilityOf)
    await until(async () => (await refusal()) === 'full', PATIENCE_MS)
    expect(pool.refuses_writes).toBe(true)
    // No attempt to start in between changes the reason.
    const tries = () =>
      readFileSync(layoutOf(folder).log, 'utf8').split('starting PostgreSQL').length
    const begun = { tries: tries(), at: performance.now() }
    while (performance.now() < begun.at + 6_000) expect(await refusal()).toBe('full')
    expect(tries() - begun.tries).toBeLessThanOrEqual(1)
    const result = lines.filter(line => /no space left/i.test(line))
    expect(result).toHaveLength(1)

    rmSync(ballast)
    await until(async () => (await refusal()) === null, PATIENCE_MS)
    expect((await pool.query('SELECT number FROM written')).rows).toEqual([{ number: 1 }])
    await pool.end()
  })
}

test('a start waits for space if its first session does not fit', async ({ skip }) => {
  const disk = requireSmallDisk(skip)
  folder = join(disk, 'data')
  mkdirSync(folder)
  embedded = await startEmbedded({ folder })
  await query(embedded.connection, 'CREATE TABLE written AS SELECT 1 AS number')
  await embedded.stop()
  embedded = undefined
  // As after a crash: the first session of each database writes this file.
  for (const file of globSync('**/pg_internal.init', { cwd: layoutOf(folder).data })) {
    rmSync(join(layoutOf(folder).data, file))
  }
  const spare = join(disk, 'spare')
  writeFileSync(spare, Buffer.alloc(ROOM_FOR_SERVER))
  const ballast = join(disk, 'ballast')
  fill(ballast, 0)
  rmSync(spare)
  const lines: string[] = []
  const starting = startEmbedded({ folder, log: line => lines.push(line) })
  await until(() => lines.some(line => /could not write init file: No space left/.test(line)))
  rmSync(ballast)
  embedded = await starting
  expect(await query(embedded.connection, 'SELECT number FROM written')).toEqual([{ number: 1 }])
})

test('a disk that does not say how much space it has is not taken for full', () => {
  expect(freeBytes('/nowhere')).toBeNaN()
  expect(isWithoutRoom('/nowhere')).toBe(false)
})
