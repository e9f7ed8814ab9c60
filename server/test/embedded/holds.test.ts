/** The server runs as long as a process holds it, and no longer. */
import { spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, expect, onTestFinished, test } from 'vitest'
import { startEmbedded } from '../../src/platform/db/embedded/index.ts'
import {
  allGone,
  type Client,
  kill9,
  newFolder,
  onLinux,
  postmasterOf,
  processesOf,
  query,
  removeFolders,
  startClient,
} from './support/index.ts'
import { madeFolder } from './support/made-folder.ts'

const clients: Client[] = []
const start = async (folder: string) => {
  const client = await startClient(folder)
  clients.push(client)
  return client
}
afterEach(async () => {
  await Promise.all(clients.splice(0).map(client => client.kill()))
  await removeFolders()
})

test.skipIf(!onLinux)('the server stops when the process that started it is killed', async () => {
  const folder = await madeFolder()
  const client = await start(folder)
  expect(processesOf(folder).server).toContain(postmasterOf(folder))
  await client.kill()
  await allGone(folder)
})

test.skipIf(!onLinux)('a second process joins, and outlives the first', async () => {
  const folder = await madeFolder()
  const first = await start(folder)
  await query(first.connection, 'CREATE TABLE kept (number int)')
  const second = await start(folder)
  expect(second.connection).toEqual(first.connection)
  const postmaster = postmasterOf(folder)

  await first.kill()
  await query(second.connection, 'INSERT INTO kept VALUES (1)')
  const third = await start(folder)
  await second.stop()
  expect(await query(third.connection, 'SELECT number FROM kept')).toEqual([{ number: 1 }])
  expect(postmasterOf(folder)).toBe(postmaster)
  await third.stop()
  await allGone(folder)
})

test.skipIf(!onLinux)('a stop returns once the server is down', async () => {
  const folder = await madeFolder()
  const client = await start(folder)
  await client.stop()
  expect(processesOf(folder).server).toEqual([])
})

test.skipIf(!onLinux)('processes that start together on an empty folder share one', async () => {
  const folder = newFolder()
  const [first, ...others] = await Promise.all([start(folder), start(folder), start(folder)])
  for (const other of others) expect(other.connection).toEqual(first!.connection)
  expect(processesOf(folder).supervisor).toHaveLength(1)
  await query(first!.connection, 'CREATE TABLE shared (number int)')
  expect(await query(others[0]!.connection, 'SELECT * FROM shared')).toEqual([])
})

test.skipIf(!onLinux)('a running server without a supervisor is taken over', async () => {
  const folder = await madeFolder()
  const client = await start(folder)
  const postmaster = postmasterOf(folder)
  const [supervisor] = processesOf(folder).supervisor
  kill9([supervisor!])
  const second = await start(folder)
  expect(second.connection).toEqual(client.connection)
  expect(postmasterOf(folder)).toBe(postmaster)
  expect(await query(client.connection, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
  await client.kill()
  await second.stop()
  await allGone(folder)
})

test('the reason of a failed start is reported even if it arrives after the exit', async () => {
  const folder = newFolder()
  const supervisor = join(folder, 'supervisor')
  const late = `(sleep 0.2; echo '{"failed": "there is no space left"}') & exit 0`
  fs.writeFileSync(supervisor, `#!/bin/sh\n${late}\n`, { mode: 0o700 })
  const { execPath } = process
  onTestFinished(() => {
    process.execPath = execPath
  })
  process.execPath = supervisor
  await expect(startEmbedded({ folder })).rejects.toThrow('there is no space left')
})

test('a process whose supervisor dies before it answers reports it', async () => {
  const folder = newFolder()
  const supervisor = join(folder, 'supervisor')
  // This supervisor closes the pipe for its answer, so the process waits only for it to exit.
  fs.writeFileSync(supervisor, '#!/bin/sh\nexec >&-\nsleep 0.2\nkill -9 $$\n', { mode: 0o700 })
  const script = fileURLToPath(new URL('support/client.ts', import.meta.url))
  const instead = `data:text/javascript,process.execPath=${JSON.stringify(supervisor)}`
  const args = ['--import', instead, script, folder]
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  expect(stderr).toContain('the supervisor of the database ended with SIGKILL')
  expect(status).toBe(1)
})
