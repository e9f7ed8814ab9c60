/** Checks that the database can serve: it answers, has this code's schema and accepts writes. */
import type pg from 'pg'
import { type ConnectionPool, withConnection } from './connect.ts'
import { pendingMigrations } from './migrate.ts'

/**
 * Allocates two megabytes of new pages, which are dropped at once and never flushed. This proves
 * that files can grow; small writes into free space may succeed even on a full disk.
 */
const NEEDS_ROOM = `
  create temp table room_probe (filler text) on commit drop;
  alter table room_probe alter filler set storage plain;
  insert into room_probe select repeat('x', 8000) from generate_series(1, 256)`

/**
 * Returns the migrations not applied yet. If the last write found the disk full or the server
 * read-only, tries one and throws its error. Closes a connection that does not answer within
 * `answer_ms`.
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
