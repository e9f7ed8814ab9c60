/**
 * Detects whether other workers are running on this database: each holds a shared lock in a
 * separate session while it runs. If no other worker runs, jobs marked as running were abandoned.
 */
import type pg from 'pg'
import type { ConnectionPool, Session } from '../db/connect.ts'
import { LOCKS } from '../db/locks.ts'

const LOCK = LOCKS.presence

export interface Presence {
  /**
   * Registers this worker, unless it already is registered. If no other worker is, calls `first`
   * before any other can register.
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

/** Whether no worker is running. If so, none can register before the client's transaction ends. */
export async function noWorkerLives(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query('select pg_try_advisory_xact_lock($1) as alone', [LOCK])
  return rows[0].alone
}
