/** Checks that the database can serve: it answers, has this code's schema and accepts writes. */
import pg from 'pg'
import { type ConnectionPool, firstAnswer, withConnection } from './connect.ts'
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
 * Returns the migrations not applied yet. If writes were refused lately, tries one and throws its
 * error. Closes a connection that does not answer within `answer_ms`, and has the other idle ones
 * replaced.
 */
export async function readReadiness(pool: ConnectionPool, answer_ms: number): Promise<string[]> {
  return withConnection(pool, async (client, discard) => {
    const ask = async <Row extends pg.QueryResultRow>(text: string) => {
      const query: pg.QueryConfig & { query_timeout: number } = { text, query_timeout: answer_ms }
      return firstAnswer<Row>(pool, client, 'select', query, answer_ms).catch(error => {
        const isAnswer = error instanceof pg.DatabaseError
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
