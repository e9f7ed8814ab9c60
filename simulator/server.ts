/** A database server for simulated lives, with a migrated template; gone when they are over. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from '../server/src/db/connect.ts'
import { startEmbedded } from '../server/src/db/embedded/index.ts'
import { migrate } from '../server/src/db/migrate.ts'
import { JobQueue } from '../server/src/jobs/index.ts'
import { JOB_NAMES } from '../server/src/worker.ts'

export const TEMPLATE = 'template_of_lives'

export interface LifeServer {
  readonly server: { host: string; port: number; user: string; password: string }
  close(): Promise<void>
}

/**
 * Simulated crashes are of the service, not of the database, so nothing is flushed to the disk; and
 * nobody vacuums, for rows must lie where the story put them.
 */
export async function startLifeServer(): Promise<LifeServer> {
  const folder = mkdtempSync(join(tmpdir(), 'headroom-lives-'))
  const settings = {
    ...{ fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', autovacuum: 'off' },
    ...{ wal_level: 'minimal', max_wal_senders: '0', deadlock_timeout: '1ms' },
    // Who waits for a lock is told so, and nothing is written down of it.
    ...{ log_lock_waits: 'on', log_min_messages: 'panic' },
    // Rows are read in the order they lie in, whoever else reads.
    ...{ synchronize_seqscans: 'off', max_parallel_workers_per_gather: '0', jit: 'off' },
  }
  const embedded = await startEmbedded({
    folder,
    settings: { ...settings, max_connections: '200' },
  })
  const pool = connect(embedded.connection, () => {})
  await pool.query(`create database ${TEMPLATE}`)
  await pool.end()
  const template = connect({ ...embedded.connection, database: TEMPLATE }, () => {})
  await migrate(template)
  const queue = new JobQueue(template)
  await queue.start(JOB_NAMES)
  await queue.stop()
  // A job that failed is tried again when the story says so, not when real time has passed.
  await template.query('update pgboss.queue set retry_delay = 86400, retry_backoff = false')
  await template.end()
  const { host, port, user, password } = embedded.connection
  return {
    server: { host, port, user, password },
    close: async () => {
      await embedded.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
