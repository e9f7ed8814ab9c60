/** A database works in any folder and is reachable only by its owner. */
import * as fs from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type Embedded, startEmbedded } from '../../src/platform/db/embedded/index.ts'
import { layoutOf } from '../../src/platform/db/embedded/layout.ts'
import {
  linkOf,
  newFolder,
  onLinux,
  postmasterOf,
  processesOf,
  query,
  removeFolders,
} from './support/index.ts'
import { madeFolder } from './support/made-folder.ts'

const started: Embedded[] = []
const start = async (folder: string) => {
  const embedded = await startEmbedded({ folder })
  started.push(embedded)
  return embedded
}
const home = process.cwd()
afterEach(async () => {
  await Promise.all(started.splice(0).map(embedded => embedded.stop()))
  process.chdir(home)
})
afterAll(removeFolders)

test.each([
  ['with spaces', 'a folder  of spaces '],
  ['with letters of many scripts', 'dätä-フォルダ-🐘'],
  ['with special characters of shells and SQL', `it's "$HOME" \\ %s;`],
  ['longer than a socket path may be', join(...Array(4).fill('x'.repeat(80)))],
])('a folder %s', async (_, name) => {
  const folder = join(newFolder(), name)
  const embedded = await start(folder)
  expect(await query(embedded.connection, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
  expect(fs.existsSync(layoutOf(folder).data)).toBe(true)
})

test('a relative folder is resolved from the working directory', async () => {
  const folder = newFolder()
  fs.renameSync(await madeFolder(), join(folder, 'here'))
  process.chdir(folder)
  await start('here')
  expect(postmasterOf(join(folder, 'here'))).toBeGreaterThan(0)
})

describe('one database', () => {
  let folder: string
  beforeAll(async () => {
    folder = await madeFolder()
  })

  test('the service role owns its database and is no superuser', async () => {
    const { connection, admin } = await start(folder)
    const roles = await query(
      connection,
      `SELECT rolsuper, rolbypassrls, rolcreaterole, rolcreatedb,
         pg_get_userbyid(datdba) AS owner, pg_encoding_to_char(encoding) AS encoding
       FROM pg_roles, pg_database WHERE rolname = current_user AND datname = current_database()`,
    )
    expect(roles).toEqual([
      {
        rolsuper: false,
        rolbypassrls: false,
        rolcreaterole: false,
        rolcreatedb: true,
        owner: 'headroom',
        encoding: 'UTF8',
      },
    ])
    await query(connection, 'CREATE TABLE made_by_the_service (number int)')
    const [{ super: isSuper }] = await query(
      admin,
      `SELECT rolsuper AS super FROM pg_roles
      WHERE rolname = current_user`,
    )
    expect(isSuper).toBe(true)
  })

  test('commits are on disk before they are acknowledged', async () => {
    const { connection } = await start(folder)
    const rows = await query(
      connection,
      `SELECT name, setting FROM pg_settings WHERE name IN
         ('fsync', 'synchronous_commit', 'full_page_writes', 'data_checksums') ORDER BY name`,
    )
    expect(rows.map(row => row.setting)).toEqual(['on', 'on', 'on', 'on'])
  })

  test('settings of the caller override the defaults', async () => {
    const embedded = await startEmbedded({ folder, settings: { max_connections: '33' } })
    started.push(embedded)
    const rows = await query(embedded.connection, 'SHOW max_connections')
    expect(rows).toEqual([{ max_connections: '33' }])
  })

  test('a password is required, and only its owner can read it', async () => {
    const { connection } = await start(folder)
    const wrong = { ...connection, password: 'guessed' }
    await expect(query(wrong, 'SELECT 1')).rejects.toMatchObject({ code: '28P01' })
    expect(fs.statSync(layoutOf(folder).passwords).mode & 0o777).toBe(0o600)
    expect(fs.statSync(connection.host).mode & 0o777).toBe(0o700)
    expect(fs.statSync(layoutOf(folder).home).mode & 0o777).toBe(0o700)
  })

  test.skipIf(!onLinux)('nothing listens on TCP', async () => {
    const { connection } = await start(folder)
    const { server, supervisor } = processesOf(folder)
    const sockets = [...server, ...supervisor].flatMap(openSockets)
    expect(sockets.filter(inode => tcpListeners().includes(inode))).toEqual([])
    // The same search finds the Unix socket, so it is able to find listeners.
    const unix = fs.readFileSync('/proc/net/unix', 'utf8')
    const line = unix.split('\n').find(each => each.includes(`${connection.host}/.s.PGSQL`))
    expect(sockets).toContain(line!.trim().split(/\s+/)[6])
  })
})

function openSockets(pid: number): string[] {
  const folder = `/proc/${pid}/fd`
  const links = fs.readdirSync(folder).map(fd => linkOf(join(folder, fd)))
  return links.flatMap(link => /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? [])
}

function tcpListeners(): string[] {
  const LISTEN = '0A'
  return ['/proc/net/tcp', '/proc/net/tcp6']
    .filter(file => fs.existsSync(file))
    .flatMap(file => fs.readFileSync(file, 'utf8').trim().split('\n').slice(1))
    .map(line => line.trim().split(/\s+/))
    .filter(fields => fields[3] === LISTEN)
    .map(fields => fields[9]!)
}
