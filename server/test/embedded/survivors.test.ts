/** Processes of a dead server that may not be killed are reported. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import * as fs from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, onTestFinished, test } from 'vitest'
import { account } from '../../src/platform/db/embedded/identity.ts'
import { killSurvivors } from '../../src/platform/db/embedded/survivors.ts'
import { until } from '../support/until.ts'
import { linkOf, newFolder, onLinux, removeFolders } from './support/index.ts'

afterEach(removeFolders)

const isRoot = process.getuid!() === 0
const source = new URL('../../src/platform/db/embedded/survivors.ts', import.meta.url).href

/** Starts another user's process that looks like a server process of the folder's database. */
async function startSurvivor(folder: string) {
  const [data, program] = [join(folder, 'data'), join(folder, 'postgres')]
  fs.chmodSync(folder, 0o755)
  fs.mkdirSync(data)
  fs.copyFileSync('/bin/sleep', program)
  const { uid, gid } = account('nobody')!
  const child = spawn(program, ['60'], { cwd: data, uid, gid, stdio: 'ignore' })
  onTestFinished(() => void child.kill('SIGKILL'))
  await until(() => linkOf(`/proc/${child.pid}/exe`) === program)
  return { data, child }
}

test.skipIf(!onLinux || !isRoot)('processes that end are counted, the others named', async () => {
  const { data, child } = await startSurvivor(newFolder())
  const exited = once(child, 'exit')
  const script = `
    const { killSurvivors } = await import(${JSON.stringify(source)})
    console.log(JSON.stringify(await killSurvivors({ data: ${JSON.stringify(data)} })))`
  // Root without the right to signal processes of other users, as in a container.
  const args = ['--bounding-set=-kill', process.execPath, '--input-type=module', '-e', script]
  const refused = JSON.parse(execFileSync('setpriv', args, { encoding: 'utf8' }))
  expect(refused).toEqual({ killed: 0, left: [`${child.pid} (EPERM)`] })
  expect(child.exitCode).toBeNull()
  expect(await killSurvivors({ data })).toEqual({ killed: 1, left: [] })
  await exited
})
