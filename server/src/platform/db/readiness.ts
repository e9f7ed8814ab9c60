/** Whether the database can serve: it answers, its schema is this code's, and it takes writes. */
import type pg from 'pg'
import { type ConnectionPool, withConnection } from './connect.ts'
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
 * found the disk full or the server read-only, and gives a connection up that does not answer
 * within `answer_ms`.
 */
export async function readReadiness(pool: ConnectionPool, answer_ms: number): Promise<string[]> {
  return withConnection(pool, async (client, discard) => {
    const ask = async (text: string) => {
      const query: pg.QueryConfig & { query_timeout: number } = { text, query_timeout: answer_ms }
      return client.query(query).catch(error => {
        const isAnswer = error.code !== undefined
        if (!isAnswer) discard(error)
        throw error
      })
    }
    const pending = await pendingMigrations({ query: ask })
    if (pool.refuses_writes) {
      await ask(NEEDS_ROOM)
      pool.refuses_writes = false
    }
    return pending
  })
}
