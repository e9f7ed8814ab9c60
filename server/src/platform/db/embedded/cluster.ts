/** Creates the database cluster: complete and on disk, or not at all. */
import { spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Layout, Passwords } from './layout.ts'
import { readPasswords, writePasswords } from './passwords.ts'
import { dataArgument, type Program, startProgram } from './program.ts'

const FRESH = 'data.new-'
const MAJOR = '18'

/**
 * Ensures that there is a cluster that this program can run, owned by the program's user. Call only
 * while holding the lock, with no server running.
 * @throws Error when the cluster is of another PostgreSQL version or user, or cannot be created
 */
export async function ensureCluster(
  layout: Layout,
  program: Program,
  log: (line: string) => void,
): Promise<void> {
  await removeLeftovers(layout.home)
  if (!fs.existsSync(layout.data)) {
    log(`creating a database in ${layout.home}`)
    await createCluster(layout, program)
    return
  }
  const major = fs.readFileSync(join(layout.data, 'PG_VERSION'), 'utf8').trim()
  if (major !== MAJOR) {
    throw new Error(
      `${layout.data} is of PostgreSQL ${major} and this is ${MAJOR}: ` +
        'export it with the release that made it, and import it into a new folder.',
    )
  }
  giveTo(program, layout.data)
  if (!fs.existsSync(layout.passwords)) {
    log(`${layout.passwords} is missing: making new passwords`)
    await runSql(program, layout.data, passwordSql(writePasswords(layout)))
  }
}

/** Removes an interrupted creation. Retries, because its initdb may still be writing there. */
async function removeLeftovers(home: string): Promise<void> {
  const leftovers = () => fs.readdirSync(home).filter(name => name.startsWith(FRESH))
  for (let tries = 0; leftovers().length > 0; tries++) {
    try {
      for (const name of leftovers()) fs.rmSync(join(home, name), { recursive: true, force: true })
    } catch (error) {
      if (tries === 100) throw error
      await sleep(20)
    }
  }
}

async function createCluster(layout: Layout, program: Program): Promise<void> {
  const known = fs.existsSync(layout.passwords)
  const passwords = known ? readPasswords(layout) : writePasswords(layout)
  const fresh = fs.mkdtempSync(join(layout.home, FRESH))
  giveTo(program, fresh)
  const locale = ['--encoding=UTF8', '--locale-provider=builtin', '--builtin-locale=C.UTF-8']
  await finish(program, 'initdb', fresh, [
    '--username=postgres',
    '--auth-local=reject',
    '--auth-host=reject',
    '--no-sync',
    ...locale,
    '--locale=C',
    '--no-instructions',
  ])
  fs.writeFileSync(join(fresh, 'pg_hba.conf'), 'local all all scram-sha-256\n')
  await runSql(program, fresh, [
    'CREATE ROLE headroom LOGIN CREATEDB',
    ...passwordSql(passwords),
    'CREATE DATABASE headroom OWNER headroom',
  ])
  await finish(program, 'initdb', fresh, ['--sync-only'])
  fs.renameSync(fresh, layout.data)
  syncFolder(layout.home)
}

function passwordSql(passwords: Passwords): string[] {
  return Object.entries(passwords).map(([role, word]) => `ALTER ROLE ${role} PASSWORD '${word}'`)
}

/**
 * Runs statements in a single-user server, which accepts no connections and ends with a checkpoint.
 */
function runSql(program: Program, data: string, statements: string[]): Promise<void> {
  const args = ['--single', '-j', '-c', 'exit_on_error=on', '-D', dataArgument(data), 'postgres']
  return finish(program, 'postgres', data, args, statements.map(each => `${each};\n\n`).join(''))
}

async function finish(
  program: Program,
  name: 'initdb' | 'postgres',
  data: string,
  args: string[],
  input = '',
): Promise<void> {
  const all = name === 'initdb' ? [...args, '-D', dataArgument(data)] : args
  const child = startProgram(program, name, all, { cwd: data, stdio: ['pipe', 'ignore', 'pipe'] })
  const ended = new Promise<number | string>((resolve, reject) => {
    child.on('error', reject).on('exit', (code, signal) => resolve(code ?? signal!))
  })
  child.stdin!.on('error', () => {}).end(input)
  const [result, output] = await Promise.all([ended, text(child.stderr!)])
  if (result !== 0) throw new Error(`${name} ended with ${result} in ${data}: ${output.trim()}`)
}

/** Changes a folder's owner to the user who runs the server. */
function giveTo({ identity }: Program, folder: string): void {
  const owner = fs.statSync(folder).uid
  if (owner === identity.uid) return
  const to = `${identity.uid}:${identity.gid}`
  const done = spawnSync('chown', ['-R', to, folder], { encoding: 'utf8' })
  if (done.status !== 0) {
    throw new Error(
      `${folder} belongs to user ${owner} and the server runs as ${identity.name}: ` +
        `start as the user who made it. ${done.stderr.trim()}`,
    )
  }
}

function syncFolder(folder: string): void {
  const handle = fs.openSync(folder, 'r')
  fs.fsyncSync(handle)
  fs.closeSync(handle)
}
