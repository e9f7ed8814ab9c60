/** The server never runs as root, wherever its files are. */
import { spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { copyBinaries, installedBinaries } from '../../src/platform/db/embedded/binaries.ts'
import { account, namespace } from '../../src/platform/db/embedded/identity.ts'
import {
  chooseProgram,
  giveFolder,
  runs,
  thisMachine,
} from '../../src/platform/db/embedded/program.ts'
import {
  allGone,
  newFolder,
  onLinux,
  postmasterOf,
  removeFolders,
  startClient,
} from './support/index.ts'

afterEach(removeFolders)

const isRoot = process.getuid!() === 0
const noNamespace = { ...namespace(), prefix: ['false'] }

/** A copy of the server accessible to its owner only, and without the library links. */
function privateBinaries(): string {
  const native = copyBinaries(installedBinaries(), newFolder())
  for (const link of libraryLinks(native)) fs.rmSync(link)
  fs.copyFileSync(
    join(dirname(installedBinaries()), 'package.json'),
    join(dirname(native), 'package.json'),
  )
  return native
}

function libraryLinks(native: string): string[] {
  const list = JSON.parse(fs.readFileSync(join(native, 'pg-symlinks.json'), 'utf8'))
  return list.map((each: { target: string }) => join(dirname(native), each.target))
}

test.skipIf(!onLinux)('the running server is not root in its namespace', async () => {
  const folder = newFolder()
  const client = await startClient(folder)
  const status = fs.readFileSync(`/proc/${postmasterOf(folder)}/status`, 'utf8')
  const uid = Number(/^Uid:\s+(\d+)/m.exec(status)![1])
  const world = (pid: number | 'self') => fs.readlinkSync(`/proc/${pid}/ns/user`)
  if (uid === 0) expect(world(postmasterOf(folder))).not.toBe(world('self'))
  else expect(uid).toBeGreaterThan(0)
  await client.stop()
})

test.skipIf(!isRoot)('root runs reachable binaries as the user postgres', context => {
  const postgres = account('postgres')
  if (!postgres || !runs({ native: installedBinaries(), identity: postgres })) context.skip()
  expect(chooseProgram(newFolder(), () => newFolder()).identity).toEqual(postgres)
})

test.skipIf(!isRoot)('root runs binaries that only root can reach in a user namespace', context => {
  const native = privateBinaries()
  const program = chooseProgram(newFolder(), () => newFolder(), { ...thisMachine(), native })
  if (!runs({ native, identity: namespace() })) context.skip()
  expect(program).toEqual({ native, identity: namespace() })
  expect(libraryLinks(native).every(link => fs.existsSync(link))).toBe(true)
})

test.skipIf(!isRoot)('where namespaces are forbidden, an ordinary user gets a copy', () => {
  const choice = { ...thisMachine(), native: privateBinaries(), namespace: noNamespace }
  const folder = newFolder()
  const program = chooseProgram(
    newFolder(),
    identity => {
      giveFolder(folder, identity)
      return folder
    },
    choice,
  )
  expect(program.identity.uid).toBeGreaterThan(0)
  expect(program.native.startsWith(folder)).toBe(true)
  expect(runs(program)).toBe(true)
})

test.skipIf(!isRoot)('root without a user to run as gets instructions', () => {
  const choice = { ...thisMachine(), namespace: noNamespace, account: () => undefined }
  expect(() => chooseProgram(newFolder(), () => newFolder(), choice)).toThrow(/DATABASE_URL/)
})

test.skipIf(!isRoot)('an ordinary user starts the server directly', async context => {
  const nobody = account('nobody')!
  const { uid, gid } = nobody
  const client = new URL('support/client.ts', import.meta.url).pathname
  const reached = spawnSync(process.execPath, ['--check', client], { uid, gid }).status === 0
  if (!reached) context.skip()
  const folder = newFolder()
  fs.chownSync(folder, uid, gid)
  const held = await startClient(folder, { uid, gid })
  expect(fs.statSync(`/proc/${postmasterOf(folder)}`).uid).toBe(uid)
  await held.stop()
  await allGone(folder)
})

test('a machine without binaries gets the advice to set DATABASE_URL', () => {
  expect(() => installedBinaries('win32', 'x64')).toThrow(/win32 x64.*DATABASE_URL/)
})
