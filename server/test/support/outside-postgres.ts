/** Starts a temporary cluster of an installed PostgreSQL, to test DATABASE_URL and old versions. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import pg from 'pg'
import { account, type Identity, ourselves } from '../../src/platform/db/embedded/identity.ts'
import { until } from './app.ts'

const INSTALLED = '/usr/lib/postgresql'
const MAJOR_MIN = 15

/** The program folder of the oldest supported PostgreSQL installed here; undefined if none is. */
export function installedServer(): string | undefined {
  const majors = existsSync(INSTALLED) ? readdirSync(INSTALLED).map(Number) : []
  const [oldest] = majors.filter(major => major >= MAJOR_MIN).sort((a, b) => a - b)
  const programs = join(INSTALLED, `${oldest}`, 'bin')
  return oldest && existsSync(join(programs, 'initdb')) ? programs : undefined
}

export interface OutsidePostgres {
  /** The server's version number, e.g. 150018. */
  readonly version: number
  /** Creates a database owned by an ordinary role; returns its address. */
  createDatabase(name: string): Promise<string>
  stop(): Promise<void>
}

/**
 * Starts a cluster with the programs in that folder, listening on a Unix socket. With `tcp_port` it
 * also listens on that loopback port, and the returned addresses use the port.
 */
export async function startOutsidePostgres(
  programs: string,
  tcp_port?: number,
): Promise<OutsidePostgres> {
  // PostgreSQL refuses to run as root. Its package creates a user for it.
  const identity = process.getuid!() === 0 ? account('postgres') : ourselves()
  if (!identity) throw new Error('there is no user postgres to run the server')
  const folder = mkdtempSync(join(tmpdir(), 'outside-pg-'))
  chownSync(folder, identity.uid, identity.gid)
  const data = join(folder, 'data')
  run(identity, join(programs, 'initdb'), [
    '-D',
    data,
    '--username=postgres',
    '--auth=trust',
    '--no-sync',
    '--encoding=UTF8',
    '--locale=C.UTF-8',
  ])
  const tcp = tcp_port ? '127.0.0.1' : ''
  const port = tcp_port ?? 5432
  const server = spawn(
    join(programs, 'postgres'),
    ['-D', data, '-k', folder, '-p', `${port}`, '-c', `listen_addresses=${tcp}`, '-c', 'fsync=off'],
    { uid: identity.uid, gid: identity.gid, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] },
  )
  const output = text(server.stderr)
  const superuser = { host: folder, port, user: 'postgres', database: 'postgres' }
  const version = await firstAnswer(superuser, server, output)
  await send(superuser, 'create role headroom login')
  return {
    version,
    createDatabase: async name => {
      await send(superuser, `create database ${name} owner headroom`)
      return tcp
        ? `postgresql://headroom@${tcp}:${port}/${name}`
        : `postgresql://headroom@localhost/${name}?host=${folder}`
    },
    stop: async () => {
      const gone = new Promise(resolve => server.once('exit', resolve))
      server.kill('SIGINT')
      await gone
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function run({ uid, gid }: Identity, program: string, args: string[]): void {
  const done = spawnSync(program, args, { uid, gid, cwd: '/', encoding: 'utf8' })
  if (done.status !== 0) throw new Error(`${program} failed: ${done.stderr}`)
}

async function firstAnswer(
  superuser: pg.ClientConfig,
  server: ChildProcess,
  output: Promise<string>,
): Promise<number> {
  const version = await until(async () => {
    if (server.exitCode !== null) throw new Error(`the server ended: ${await output}`)
    const rows = await send(superuser, 'show server_version_num').catch(() => null)
    return rows && Number(rows[0]!.server_version_num)
  }, 30_000)
  return version
}

async function send(connection: pg.ClientConfig, query: string): Promise<Record<string, string>[]> {
  const client = new pg.Client(connection)
  await client.connect()
  try {
    return (await client.query(query)).rows
  } finally {
    await client.end()
  }
}
