/** A lock over all processes, held by a session beside the pool, which does the work meanwhile. */
import type { ConnectionPool } from './connect.ts'
import { NoConnectionError } from './unavailable.ts'

const LOOK_MS = 50

export interface SessionLock {
  /** Throws once the session was lost: another process may have the lock. */
  check(): void
}

/**
 * Runs `work` while this process holds the advisory lock `key`. Waits for whoever has it, unless
 * `signal` is aborted meanwhile: then it returns null.
 */
export async function underLock<T>(
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
  const check = () => {
    if (lost) throw new NoConnectionError('away', `the session that held the lock ${key} was lost`)
  }
  try {
    for (;;) {
      if (signal.aborted) return null
      const { rows } = await session.query('select pg_try_advisory_lock($1) as got', [key])
      if (rows[0].got) return await work({ check })
      await new Promise(resolve => setTimeout(resolve, LOOK_MS))
    }
  } finally {
    // The server notices the end of a session in its own time.
    await session.query('select pg_advisory_unlock_all()').catch(() => {})
    session.end().catch(() => {})
  }
}
