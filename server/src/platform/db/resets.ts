/** Keeps sandbox resets from running at the same time as snapshot transactions. */
import { sql } from 'kysely'
import { problem } from '../kit/problem.ts'
import type { Tx } from './transaction.ts'

/**
 * Waits for a running reset, then prevents others until the transaction ends, because TRUNCATE
 * empties tables for earlier snapshots too. A table lock, unlike an advisory lock, can be taken
 * before the snapshot. Resets are the only other code that locks this table explicitly.
 */
export const PREVENT_RESETS = 'lock table migrations in row share mode'

const RESET_WAIT_MS = 20_000
const LOCK_NOT_AVAILABLE = '55P03'

/**
 * Waits for other resets and for open snapshots, then prevents both until the transaction ends.
 * Throws `not_ready` if they take longer than `ms`.
 */
export async function lockForReset(tx: Tx, ms = RESET_WAIT_MS): Promise<void> {
  await tx.run(sql`select set_config('lock_timeout', ${`${ms}ms`}, true)`)
  try {
    await tx.run(sql`lock table migrations in exclusive mode`)
  } catch (error) {
    if ((error as { code?: string }).code !== LOCK_NOT_AVAILABLE) throw error
    const detail = 'An export, a report or another reset is still running: reset again later.'
    throw problem('not_ready', detail, { retry_after_seconds: 30 })
  }
  await tx.run(sql`set local lock_timeout to default`)
}
