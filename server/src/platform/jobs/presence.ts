/**
 * Tells whether other workers live on this database: each holds a shared lock for its life, in a
 * session of its own. Who finds nobody else knows that whatever is being run was left behind.
 */
import type pg from 'pg'
import type { ConnectionPool, Session } from '../db/connect.ts'
import { LOCKS } from '../db/locks.ts'

const LOCK = LOCKS.presence

export interface Presence {
  /**
   * Makes known that this worker lives, where that was not known (any more); then calls `first`
   * before anybody else can become known, if nobody else is.
   */
  renew(first: () => Promise<void>): Promise<void>
  end(): void
}

export function createPresence(pool: ConnectionPool): Presence {
  let held: Session | null = null

  function letGo(session: Session): void {
    if (held !== session) return
    held = null
    session.end().catch(() => {})
  }

  return {
    async renew(first) {
      if (held) return
      const session = await pool.session()
      held = session
      session.once('error', () => letGo(session)).once('end', () => letGo(session))
      try {
        const { rows } = await session.query('select pg_try_advisory_lock($1) as alone', [LOCK])
        if (rows[0].alone) await first()
        await session.query('select pg_advisory_lock_shared($1)', [LOCK])
        if (rows[0].alone) await session.query('select pg_advisory_unlock($1)', [LOCK])
      } catch (error) {
        letGo(session)
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
