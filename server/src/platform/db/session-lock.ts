/** A lock across all processes, held by a session outside the pool while the pool does the work. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type ConnectionPool, querySession } from './connect.ts'
import { NoConnectionError } from './unavailable.ts'

const POLL_MS = 50

export interface SessionLock {
  /** Throws if the session is lost or silent, because another process may then hold the lock. */
  check(): Promise<void>
}

/**
 * Runs `work` while holding the advisory lock `key`. Waits until it is free; returns null if
 * `signal` aborts first.
 */
export async function withSessionLock<T>(
  pool: ConnectionPool,
  key: number,
  signal: AbortSignal,
  work: (lock: SessionLock) => Promise<T>,
): Promise<T | null> {
  const session = await pool.session()
  let lost = false
  const lose = () => {
    lost = true
  }
  session.once('error', lose).once('end', lose)
  const check = async () => {
    await querySession(session, 'select').catch(lose)
    if (lost) throw new NoConnectionError('away', `the session that held the lock ${key} was lost`)
  }
  try {
    for (;;) {
      if (signal.aborted) return null
      const [row] = await querySession(session, 'select pg_try_advisory_lock($1) as got', [key])
      if (row!.got) return await work({ check })
      await sleep(POLL_MS)
    }
  } finally {
    // Release the lock explicitly: the server may take a while to notice that the session ended.
    await querySession(session, 'select pg_advisory_unlock_all()').catch(() => {})
    session.end().catch(() => {})
  }
}
