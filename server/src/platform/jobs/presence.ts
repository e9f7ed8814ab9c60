/**
 * Detects whether other workers are running on this database: each holds a shared lock in a
 * separate session while it runs. If no other worker runs, jobs marked as running were abandoned.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { type ConnectionPool, querySession, retryWhenSilent, type Session } from '../db/connect.ts'
import { LOCKS } from '../db/locks.ts'

const LOCK = LOCKS.presence
const RETRY_MS = 50
/** About a minute. An import keeps workers from starting for as long as it runs. */
const RETRIES_MAX = 1_200

export interface Presence {
  /**
   * Registers this worker, unless it is already registered on a session that answers. If no other
   * worker is registered, calls `first` before any can register.
   */
  renew(first: () => Promise<void>): Promise<void>
  end(): void
}

/** `renew` rejects if `stopping` aborts while the worker waits to be registered. */
export function createPresence(pool: ConnectionPool, stopping: AbortSignal): Presence {
  let held: Session | null = null

  function release(session: Session): void {
    if (held !== session) return
    held = null
    session.end().catch(() => {})
  }

  async function register(first: () => Promise<void>): Promise<void> {
    const session = await pool.session()
    held = session
    session.once('error', () => release(session)).once('end', () => release(session))
    const lock = async (kind: 'lock' | 'lock_shared') => {
      const [row] = await querySession(session, `select pg_try_advisory_${kind}($1) as got`, [LOCK])
      return Boolean(row!.got)
    }
    try {
      const isAlone = await lock('lock')
      if (isAlone) await first()
      // Another worker that is registering, or an import, may hold the lock exclusively.
      for (let look = 1; !(await lock('lock_shared')); look++) {
        if (look === RETRIES_MAX) throw new Error('another process keeps workers from starting')
        await sleep(RETRY_MS, undefined, { signal: stopping })
      }
      if (isAlone) await querySession(session, 'select pg_advisory_unlock($1)', [LOCK])
    } catch (error) {
      release(session)
      throw error
    }
  }

  return {
    async renew(first) {
      // A silent session may have lost its lock, so another replaces it.
      const session = held
      if (session) await querySession(session, 'select').catch(() => release(session))
      if (!held) await retryWhenSilent(() => register(first))
    },
    end() {
      if (held) release(held)
    },
  }
}

/** Whether no worker is running. If so, none can register before the client's transaction ends. */
export async function noWorkerRuns(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query('select pg_try_advisory_xact_lock($1) as alone', [LOCK])
  return rows[0].alone
}
