/**
 * Measures the upper limit of loans per second with pgbench, on the PostgreSQL that the service
 * uses.
 */
import { execFile } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { type Connection, startEmbedded } from '../server/src/platform/db/embedded/index.ts'

const run = promisify(execFile)
const schema = readFileSync(new URL('./limit.sql', import.meta.url), 'utf8')
const DATABASE = 'headroom_limit'
const PLACES = ['pgbench', ...globSync('/usr/lib/postgresql/*/bin/pgbench').sort().reverse()]

export interface Limit {
  /** Returns loans per second, with 64 clients spread over `lines` credit lines. */
  measure(lines: number, seconds: number): Promise<number>
  /** Vacuums and checkpoints, so that earlier writes do not slow the next measurement. */
  settle(): Promise<void>
  close(): Promise<void>
}

export async function findPgbench(): Promise<string | null> {
  for (const path of PLACES) {
    const found = await run(path, ['--version']).catch(() => null)
    if (found) return path
  }
  return null
}

/** Creates a separate database with `lines` credit lines on the service's PostgreSQL. */
export async function openLimit(pgbench: string, folder: string, lines: number): Promise<Limit> {
  const server = await startEmbedded({ folder })
  const connection = { ...server.connection, database: DATABASE }
  await query(server.connection, `create database ${DATABASE}`)
  await query(connection, schema)
  await query(
    connection,
    `insert into lines select n, 1000000000 from generate_series(1, ${lines}) n`,
  )
  await query(connection, 'vacuum analyze')
  const scripts = mkdtempSync(join(tmpdir(), 'headroom-pgbench-'))
  const script = join(scripts, 'lend.sql')
  writeFileSync(
    script,
    '\\set line random(1, :lines)\nselect lend(:line, 1, gen_random_uuid()::text);\n',
  )
  return {
    measure: (onLines, seconds) => measure(pgbench, connection, script, onLines, seconds),
    settle: async () => {
      await query(connection, 'vacuum analyze')
      await query(server.admin, 'checkpoint')
    },
    close: async () => {
      rmSync(scripts, { recursive: true })
      await server.stop()
    },
  }
}

async function query(connection: Connection, text: string): Promise<void> {
  const client = new pg.Client(connection)
  await client.connect()
  await client.query(text).finally(() => client.end())
}

async function measure(
  pgbench: string,
  { host, port, user, password, database }: Connection,
  script: string,
  lines: number,
  seconds: number,
): Promise<number> {
  const where = ['-h', host, '-p', `${port}`, '-U', user]
  const how = ['-n', '-M', 'prepared', '-c', '64', '-j', '2', '-T', `${seconds}`]
  const what = ['-D', `lines=${lines}`, '-f', script, database]
  const env = { ...process.env, PGPASSWORD: password }
  const { stdout } = await run(pgbench, [...where, ...how, ...what], { env })
  const failed = Number(/failed transactions: (\d+)/.exec(stdout)?.[1] ?? 0)
  const rate = Number(/^tps = ([\d.]+)/m.exec(stdout)?.[1])
  if (failed > 0 || !(rate > 0)) throw new Error(`pgbench did not do its work:\n${stdout}`)
  return rate
}
