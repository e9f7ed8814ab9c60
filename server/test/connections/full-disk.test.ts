/** A full disk: a tmpfs holds the data folder or the log, and a file fills it. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdirSync, openSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type Client, createClient } from '@headroom/sdk'
import pg from 'pg'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { programFile } from '../../../scripts/program.ts'
import { layoutOf, port, requireSocketFolder } from '../../src/platform/db/embedded/layout.ts'
import { readPasswords } from '../../src/platform/db/embedded/passwords.ts'
import { allGone, kill9, postmasterOf } from '../embedded/support/index.ts'
import { dataFolder, freePort, headroom, isReady, startService } from '../support/service.ts'
import { fill, MEGABYTE, requireSmallDisk, unmount } from '../support/small-disk.ts'
import { until } from '../support/until.ts'

const AGAIN_MS = 60_000
const STORAGE_FULL = 'storage_full'

afterAll(unmount)

function adminOf(folder: string): pg.ClientConfig {
  const layout = layoutOf(folder)
  const { socket_folder: host } = requireSocketFolder(layout)
  const { postgres: password } = readPasswords(layout)
  return { host, port, user: 'postgres', password, database: 'postgres' }
}

async function outcomes(client: Client, count: number): Promise<Map<string, number>> {
  const seen = new Map<string, number>()
  for (let n = 0; n < count; n++) {
    const business = await client.generateSandboxBusiness({ is_borrower: true })
    const output = await client.createBorrower(business).then(
      () => 'created',
      error => `${error.status} ${error.code} ${error.headers?.get('retry-after')}`,
    )
    seen.set(output, (seen.get(output) ?? 0) + 1)
  }
  return seen
}

/** The space left: none, or enough for tables but not for a new file of the write-ahead log. */
for (const [what, leave_bytes] of [
  ['tables', 0],
  ['the log of the database', 6 * MEGABYTE],
] as const) {
  test(`a disk too full for ${what} refuses writes with a 503 until there is space`, async ({
    skip,
  }) => {
    const disk = requireSmallDisk(skip)
    const folder = join(disk, 'data')
    mkdirSync(folder)
    const service = await startService(folder, await freePort(), { HEADROOM_LOG: 'fatal' })
    const { base_url, credentials } = service
    const client = createClient({ base_url, key: credentials.partner_key, attempts_max: 1 })
    expect([...(await outcomes(client, 3)).keys()]).toEqual(['created'])

    const ballast = join(disk, 'ballast')
    fill(ballast, leave_bytes)
    const refusal = /^503 (storage_full 30|not_ready 2)$/
    await until(async () => {
      const seen = [...(await outcomes(client, 20)).keys()]
      expect(seen.filter(output => output !== 'created' && !refusal.test(output))).toEqual([])
      return !seen.includes('created')
    }, AGAIN_MS)
    const unready = await fetch(`${base_url}/readyz`)
    expect(unready.status).toBe(503)
    expect(await unready.json()).toMatchObject({ code: expect.stringMatching(/storage_full|not_/) })

    rmSync(ballast)
    await until(() => isReady(base_url), AGAIN_MS)
    expect([...(await outcomes(client, 3)).keys()]).toEqual(['created'])
    expect(await service.stop()).toBe(0)
    await allGone(folder)
    expect(await headroom(['verify'], { HEADROOM_DATA: folder })).toMatchObject({ code: 0 })
    await allGone(folder)
  }, 240_000)
}

test('PostgreSQL cannot start on a full disk: 503 storage_full until there is space', async ({
  skip,
}) => {
  const folder = join(requireSmallDisk(skip), 'data')
  mkdirSync(folder)
  const service = await startService(folder, await freePort(), { HEADROOM_LOG: 'info' })
  const { base_url, credentials } = service
  const client = createClient({ base_url, key: credentials.partner_key, attempts_max: 1 })
  const session = new pg.Client(adminOf(folder))
  session.on('error', () => {})
  await session.connect()
  const ballast = join(folder, 'ballast')
  fill(ballast, 0)
  // The server's recovery needs a new file for its write-ahead log.
  await session.query('select pg_switch_wal()').catch(() => {})
  kill9([postmasterOf(folder)])
  await until(() => service.output().includes('PostgreSQL did not start'), AGAIN_MS)

  const full = { status: 503, code: STORAGE_FULL }
  const ready = await fetch(`${base_url}/readyz`)
  expect(await ready.json()).toMatchObject(full)
  expect(ready.headers.get('retry-after')).toBe('30')
  for (let n = 0; n < 20; n++) {
    await expect(client.listLoans({})).rejects.toMatchObject(full)
    await expect(client.generateSandboxBusiness({})).rejects.toMatchObject(full)
  }
  rmSync(ballast)
  await until(() => isReady(base_url), AGAIN_MS)
  expect([...(await outcomes(client, 3)).keys()]).toEqual(['created'])
  expect(service.output().match(/PostgreSQL did not start/g)).toHaveLength(1)
  expect(await service.stop()).toBe(0)
  await allGone(folder)
}, 240_000)

test('a service whose log is on a full disk serves, and logs again once there is space', async ({
  skip,
}) => {
  const disk = requireSmallDisk(skip)
  const { folder, remove } = dataFolder()
  const [log, ballast] = [join(disk, 'log'), join(disk, 'ballast')]
  const service = await startLogged(folder, log)
  const answer = async (times: number) => {
    for (let n = 0; n < times; n++) {
      expect((await fetch(`${service.base_url}/healthz`)).status).toBe(200)
    }
  }
  await answer(3)
  fill(ballast, 0)
  // More lines than fit into the last page of the log's file.
  await answer(50)
  const { size } = statSync(log)
  rmSync(ballast)
  await until(() => statSync(log).size > size, AGAIN_MS)
  for (const line of readFileSync(log, 'utf8').split('\n')) {
    if (line.startsWith('{')) expect(JSON.parse(line)).toHaveProperty('msg')
  }
  fill(ballast, 0)
  await answer(50)
  service.child.kill('SIGTERM')
  expect(await service.exited).toEqual([0, null])
  await remove()
}, 240_000)

/** Starts `serve` with its output in a file, and waits until it is ready. */
async function startLogged(folder: string, log: string) {
  const port = `${await freePort()}`
  const output = openSync(log, 'a')
  const child = spawn(process.execPath, [await programFile('service'), 'serve'], {
    env: { ...process.env, HEADROOM_DATA: folder, PORT: port, HEADROOM_LOG: 'info' },
    stdio: ['ignore', output, output],
  })
  closeSync(output)
  onTestFinished(() => void child.kill('SIGKILL'))
  const base_url = `http://127.0.0.1:${port}`
  await until(() => isReady(base_url), AGAIN_MS)
  return { child, base_url, exited: once(child, 'exit') }
}

for (const end of ['stop', 'kill'] as const) {
  test(`a service started on a full disk after its ${end} serves once there is space`, async ({
    skip,
  }) => {
    const disk = requireSmallDisk(skip)
    const folder = join(disk, 'data')
    mkdirSync(folder)
    const port = await freePort()
    const first = await startService(folder, port, { HEADROOM_LOG: 'fatal' })
    await first[end]()
    await allGone(folder)
    const ballast = join(disk, 'ballast')
    fill(ballast, 0)
    let output = ''
    const starting = startService(folder, port, { HEADROOM_LOG: 'info' }, piece => {
      output += piece
    })
    await until(() => /no space left/i.test(output), AGAIN_MS)
    rmSync(ballast)
    const second = await starting
    const key = second.credentials.partner_key
    const client = createClient({ base_url: second.base_url, key, attempts_max: 1 })
    expect([...(await outcomes(client, 3)).keys()]).toEqual(['created'])
    expect(await second.stop()).toBe(0)
    await allGone(folder)
  }, 240_000)
}
