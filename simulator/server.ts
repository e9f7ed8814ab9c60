/** A temporary database server for simulated lives, with a migrated template. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from '../server/src/platform/db/connect.ts'
import { startEmbedded } from '../server/src/platform/db/embedded/index.ts'
import { migrate } from '../server/src/platform/db/migrate.ts'
import { TIME_SETTING } from './deterministic/clock.ts'

export const TEMPLATE = 'template_of_lives'
/** The time that connections see outside the simulation. */
const BEFORE_ALL = '2031-01-01'

/** The server that lives connect to, each with its own database. */
export interface Server {
  readonly host: string
  readonly port: number
  readonly user: string
  readonly password: string
  readonly options: string
}

export interface LifeServer {
  readonly server: Server
  close(): Promise<void>
}

/** Our functions take precedence over PostgreSQL's of the same name. */
const OPTIONS = '-c search_path=simulated,pg_catalog,public'

/** Makes `now()` return the simulated time. */
const SIMULATED = `
  create schema simulated;
  create function simulated.now() returns timestamptz language sql stable
    as $$ select current_setting('${TIME_SETTING}')::timestamptz $$`

/** Makes column defaults use the simulated clock. */
const DEFAULTS = `
  select format('alter table %s alter column %I set default %s', d.adrelid::regclass, a.attname,
    pg_get_expr(d.adbin, d.adrelid)) as alter
  from pg_attrdef d join pg_attribute a on a.attrelid = d.adrelid and a.attnum = d.adnum
  where pg_get_expr(d.adbin, d.adrelid) like '%now()%' order by d.adrelid, d.adnum`

/**
 * Starts the server. Nothing is flushed to disk, because only the service crashes, not the
 * database. Vacuum is off, so that rows stay where they were written. `extra` settings of the
 * server may change plans and speed, but not a story.
 */
export async function startLifeServer(extra: Record<string, string> = {}): Promise<LifeServer> {
  const folder = mkdtempSync(join(tmpdir(), 'headroom-lives-'))
  const settings = {
    fsync: 'off',
    full_page_writes: 'off',
    autovacuum: 'off',
    // An asynchronous commit would become visible to some readers only later.
    synchronous_commit: 'on',
    max_logical_replication_workers: '0',
    [TIME_SETTING]: BEFORE_ALL,
    wal_level: 'minimal',
    max_wal_senders: '0',
    deadlock_timeout: '1ms',
    // Only the session that waits for a lock is notified; the server writes no log.
    log_lock_waits: 'on',
    log_min_messages: 'panic',
    // Scans return rows in storage order, even while other scans read the same table.
    synchronize_seqscans: 'off',
    max_parallel_workers_per_gather: '0',
    jit: 'off',
  }
  const embedded = await startEmbedded({
    folder,
    settings: { ...settings, max_connections: '200', ...extra },
  })
  const pool = connect(embedded.connection, () => {})
  await pool.query(`create database ${TEMPLATE}`)
  await pool.end()
  const template = connect({ ...embedded.connection, database: TEMPLATE }, () => {})
  await migrate(template)
  await template.query(SIMULATED)
  const { rows } = await template.query(DEFAULTS)
  await template.end()
  const { host, port, user, password } = embedded.connection
  const server = { host, port, user, password, options: OPTIONS }
  const simulated = connect({ ...server, database: TEMPLATE }, () => {})
  for (const { alter } of rows) await simulated.query(alter)
  await simulated.end()
  return {
    server,
    close: async () => {
      await embedded.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
