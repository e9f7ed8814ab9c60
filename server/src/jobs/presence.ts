/**
 * Tells whether other workers live on this database: each holds a shared lock for its life, on a
 * connection of its own. Who finds nobody else knows that whatever is being run was left behind.
 */
import type pg from 'pg'

const LOCK = 7_320_005

export interface Presence {
  /**
   * Makes known that this worker lives, where that was not known (any more); then calls `first`
   * before anybody else can become known, if nobody else is.
   */
  renew(first: () => Promise<void>): Promise<void>
  end(): void
}

export function createPresence(pool: pg.Pool): Presence {
  let held: pg.PoolClient | null = null

  function letGo(client: pg.PoolClient, broken?: Error): void {
    if (held !== client) return
    held = null
    client.release(broken ?? true)
  }

  return {
    async renew(first) {
      if (held) return
      const client = await pool.connect()
      held = client
      client.once('error', error => letGo(client, error))
      try {
        const { rows } = await client.query('select pg_try_advisory_lock($1) as alone', [LOCK])
        if (rows[0].alone) await first()
        await client.query('select pg_advisory_lock_shared($1)', [LOCK])
        if (rows[0].alone) await client.query('select pg_advisory_unlock($1)', [LOCK])
      } catch (error) {
        letGo(client, error as Error)
        throw error
      }
    },
    end() {
      if (held) letGo(held)
    },
  }
}

/** Whether no worker lives; then none can begin before the transaction of `client` has ended. */
export async function nobodyWorks(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query('select pg_try_advisory_xact_lock($1) as alone', [LOCK])
  return rows[0].alone
}
