/** Another user who takes the name of the socket folder gets no connection. */
import * as fs from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { account } from '../../src/platform/db/embedded/identity.ts'
import {
  knownSocketFolder,
  layoutOf,
  requireSocketFolder,
} from '../../src/platform/db/embedded/layout.ts'
import { openDatabase } from '../../src/platform/db/open.ts'
import { until } from '../support/until.ts'
import { kill9, processesOf, removeFolders } from './support/index.ts'
import { madeFolder } from './support/made-folder.ts'

afterAll(removeFolders)

/** Only root can make a folder that belongs to another user. */
const isRoot = process.getuid!() === 0

/** Puts another user's folder with listening sockets in a folder's place. */
function takeName(folder: string, uid: number): { connections(): number } {
  let connections = 0
  fs.rmSync(folder, { recursive: true, force: true })
  fs.mkdirSync(folder, { mode: 0o777 })
  fs.chownSync(folder, uid, uid)
  for (const name of ['.s.PGSQL.5432', 'control']) {
    const server = createServer(socket => {
      connections += 1
      socket.on('error', () => {}).end()
    }).listen(join(folder, name))
    onTestFinished(() => void server.close())
  }
  onTestFinished(() => fs.rmSync(folder, { recursive: true, force: true }))
  return { connections: () => connections }
}

test.skipIf(!isRoot)('a running service finds its database in another folder', async () => {
  const folder = await madeFolder()
  const layout = layoutOf(folder)
  const { pool, close } = await openDatabase({ data_folder: folder, database_url: null }, () => {})
  await pool.query('create table kept (number int)')
  const { socket_folder } = knownSocketFolder(layout)!
  const { server, supervisor } = processesOf(folder)
  kill9([...supervisor, ...server])
  const other = takeName(socket_folder, account('nobody')!.uid)
  expect(() => requireSocketFolder(layout)).toThrow(/belongs to user .* nothing connects there/)

  await until(() => pool.query('select number from kept').catch(() => undefined))
  const moved = knownSocketFolder(layout)!.socket_folder
  expect(moved).not.toBe(socket_folder)
  expect(fs.readFileSync(layout.log, 'utf8')).toContain(`takes the place of ${socket_folder}`)
  await close()
  expect(fs.existsSync(moved)).toBe(false)
  expect(fs.existsSync(socket_folder)).toBe(true)
  expect(other.connections()).toBe(0)
})
