/** Opens the database: an external PostgreSQL, or the embedded one in the data folder. */
import type { Config } from '../../config.ts'
import { type ConnectionPool, connect } from './connect.ts'
import { startEmbedded } from './embedded/index.ts'

export interface Opened {
  readonly pool: ConnectionPool
  close(): Promise<void>
}

const VERSION_MIN = 150_000

/**
 * Opens the database. Throws when the server is too old or unreachable. Turn `pipeline` off to copy
 * whole tables.
 */
export async function openDatabase(
  config: Pick<Config, 'database_url' | 'data_folder'>,
  log: (line: string) => void,
  { pipeline = true } = {},
): Promise<Opened> {
  let closing = false
  const onError = (error: Error) => {
    if (!closing) log(`a database connection was lost: ${error.message}`)
  }
  const close = async (pool: ConnectionPool) => {
    // The server may exit before the last connection has closed cleanly.
    closing = true
    await pool.end()
  }
  if (config.database_url) {
    const pool = connect({ connectionString: config.database_url }, onError, pipeline)
    await checkVersion(pool)
    await warnOfSuperuser(pool, log)
    return { pool, close: () => close(pool) }
  }
  const embedded = await startEmbedded({ folder: config.data_folder, log })
  const { connection, openSocket } = embedded
  const pool = connect({ ...connection, stream: openSocket }, onError, pipeline)
  return {
    pool,
    close: async () => {
      await close(pool)
      await embedded.stop()
    },
  }
}

async function checkVersion(pool: ConnectionPool): Promise<void> {
  const pending = pool.query("select current_setting('server_version_num')::int as version")
  const { rows } = await pending.catch(error => {
    throw new Error(`DATABASE_URL: no PostgreSQL answers there (${error.message || error.code})`)
  })
  if (rows[0].version < VERSION_MIN) {
    throw new Error(`DATABASE_URL is PostgreSQL ${rows[0].version / 10_000}; 15 or later is needed`)
  }
}

/** Warns if the role bypasses row-level security, the second barrier between partners. */
async function warnOfSuperuser(pool: ConnectionPool, log: (line: string) => void): Promise<void> {
  const { rows } = await pool.query(
    'select rolsuper or rolbypassrls as free from pg_roles where rolname = current_user',
  )
  if (rows[0]?.free) {
    log('DATABASE_URL names a superuser: use an ordinary role, or row-level security is off')
  }
}
