/** The service when its embedded database is signaled or lost: requests finish, or it recovers. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { renameSync } from 'node:fs'
import { join } from 'node:path'
import { createClient } from '@headroom/sdk'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { programFile } from '../../../scripts/program.ts'
import { knownSocketFolder, layoutOf, port } from '../../src/platform/db/embedded/layout.ts'
import { readPasswords } from '../../src/platform/db/embedded/passwords.ts'
import { allGone, kill9, onLinux, processesOf } from '../embedded/support/index.ts'
import { seededFolder } from '../support/seeded-folder.ts'
import { freePort, isReady, type Service, startService } from '../support/service.ts'
import { until } from '../support/until.ts'

/** Less than the 25 seconds after which a stop is cut off. */
const SOON_MS = 15_000

async function startSeeded(): Promise<{ folder: string; service: Service }> {
  const data = await seededFolder()
  onTestFinished(data.remove)
  const service = await startService(data.folder, await freePort(), { HEADROOM_LOG: 'info' })
  onTestFinished(async () => {
    const { exitCode, signalCode } = service.child
    if (exitCode === null && signalCode === null) await service.kill()
  })
  return { folder: data.folder, service }
}

async function superuser(folder: string): Promise<pg.Client> {
  const layout = layoutOf(folder)
  const host = knownSocketFolder(layout)!.socket_folder
  const { postgres: password } = readPasswords(layout)
  const client = new pg.Client({ host, port, user: 'postgres', password, database: 'headroom' })
  client.on('error', () => {})
  await client.connect()
  return client
}

test.skipIf(!onLinux)(
  'SIGTERM to the supervisor, and repeated to the service: running requests finish',
  async () => {
    const { folder, service } = await startSeeded()
    const key = service.credentials.partner_key
    const client = createClient({ base_url: service.base_url, key, attempts_max: 1 })
    const blocking = await superuser(folder)
    // Every transaction reads this table first.
    await blocking.query('begin; lock table deployment in access exclusive mode')
    const running = client.listLoans({}).catch(error => error)
    const looking = await superuser(folder)
    await until(async () => {
      // Uses a connection outside any transaction: within one, pg_stat_activity would not change.
      const { rows } = await looking.query(
        `select from pg_stat_activity where wait_event_type = 'Lock' and query like '%deployment%'`,
      )
      return rows.length > 0
    })
    await looking.end()
    process.kill(processesOf(folder).supervisor[0]!, 'SIGTERM')
    const stopped = service.stop()
    // The service accepts no new connections once the signal has arrived.
    await until(() =>
      fetch(`${service.base_url}/healthz`).then(
        () => false,
        () => true,
      ),
    )
    service.child.kill('SIGTERM')
    await blocking.query('commit')
    await blocking.end()
    expect(await running).not.toBeInstanceOf(Error)
    expect(await stopped).toBe(0)
  },
  240_000,
)

test.skipIf(!onLinux)(
  'a database that cannot start is reported by /readyz, and served once it can',
  async () => {
    const { folder, service } = await startSeeded()
    const control = join(layoutOf(folder).data, 'global', 'pg_control')
    renameSync(control, `${control}.away`)
    const { server, supervisor } = processesOf(folder)
    kill9([...supervisor, ...server])
    await until(async () => !(await isReady(service.base_url)))
    // The first supervisor started after the loss has given up.
    await until(() => service.output().includes('the database is not started'))
    const live = await fetch(`${service.base_url}/healthz`)
    expect(await live.json()).toEqual({ status: 'ok' })
    renameSync(`${control}.away`, control)
    await until(() => isReady(service.base_url))
    expect(await service.stop()).toBe(0)
  },
  240_000,
)

test.skipIf(!onLinux)(
  'SIGTERM while the database cannot start ends the service at once',
  async () => {
    const data = await seededFolder()
    onTestFinished(data.remove)
    // Recovery opens this file first, and waits until another process writes to it.
    execFileSync('mkfifo', ['-m', '666', join(layoutOf(data.folder).data, 'backup_label')])
    const { PATH, HOME, TMPDIR } = process.env
    const own = { HEADROOM_DATA: data.folder, PORT: `${await freePort()}`, HEADROOM_LOG: 'error' }
    const env = { PATH, HOME, TMPDIR, ...own }
    const main = await programFile('service')
    const child = spawn(process.execPath, [main, 'serve'], { env, stdio: 'ignore' })
    const exited = once(child, 'exit')
    // Waits for the postmaster and its recovery process.
    await until(() => processesOf(data.folder).server.length > 1)
    const requested = Date.now()
    child.kill('SIGTERM')
    expect(await exited).toEqual([0, null])
    await allGone(data.folder)
    expect(Date.now() - requested).toBeLessThan(SOON_MS)
  },
  240_000,
)
