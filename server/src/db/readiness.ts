/** Whether the database can serve: it answers, its schema is this code's, and it takes writes. */
import type { ConnectionPool } from './connect.ts'
import { pendingMigrations } from './migrate.ts'

/**
 * Two megabytes in pages that no table has yet. They are never flushed, and gone at once: what is
 * proven is that files can grow. Small writes into free space may succeed on a full disk.
 */
const NEEDS_ROOM = `
  create temp table room_probe (filler text) on commit drop;
  alter table room_probe alter filler set storage plain;
  insert into room_probe select repeat('x', 8000) from generate_series(1, 256)`

/**
 * The migrations that are still to be applied. Throws what a write would throw now, if the last one
 * found the disk full or the server read-only.
 */
export async function readReadiness(pool: ConnectionPool): Promise<string[]> {
  const pending = await pendingMigrations(pool)
  if (pool.refuses_writes) {
    await pool.query(NEEDS_ROOM)
    pool.refuses_writes = false
  }
  return pending
}
