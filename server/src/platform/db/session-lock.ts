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
export function withSessionLock<T>(
  pool: ConnectionPool,
  key: number,
  signal: AbortSignal,
  work: (lock: SessionLock) => Promise<T>,
): Promise<T | null> {
  return inSession(pool, key, async ({ attempt, lock }) => {
    for (;;) {
      if (signal.aborted) return null
      if (await attempt()) return await work(lock)
      await sleep(POLL_MS)
    }
  })
}

/** Like `withSessionLock`, without waiting: returns null if another session holds the lock. */
export function trySessionLock<T>(
  pool: ConnectionPool,
  key: number,
  work: (lock: SessionLock) => Promise<T>,
): Promise<T | null> {
  return inSession(pool, key, async ({ attempt, lock }) =>
    (await attempt()) ? await work(lock) : null,
  )
}

interface LockSession {
  readonly attempt: () => Promise<boolean>
  readonly lock: SessionLock
}

async function inSession<T>(
  pool: ConnectionPool,
  key: number,
  use: (session: LockSession) => Promise<T>,
): Promise<T> {
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
  const attempt = async () => {
    const [row] = await querySession(session, 'select pg_try_advisory_lock($1) as got', [key])
    return Boolean(row!.got)
  }
  try {
    return await use({ attempt, lock: { check } })
  } finally {
    // Release the lock explicitly: the server may take a while to notice that the session ended.
    await querySession(session, 'select pg_advisory_unlock_all()').catch(() => {})
    session.end().catch(() => {})
  }
}
