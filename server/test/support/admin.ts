/** Runs statements as the owner of the test databases, and drops them. */
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { inject } from 'vitest'

const PATIENCE_MS = 60_000
const PAUSE_MS = 50
const INSUFFICIENT_PRIVILEGE = '42501'

/** Runs one statement as the databases' owner, by default on the server shared by all tests. */
export async function asAdmin(
  statement: string,
  server: pg.ClientConfig = inject('server'),
): Promise<void> {
  const client = new pg.Client({ ...server, database: 'headroom' })
  await client.connect()
  await client.query(statement).finally(() => client.end())
}

/** Drops a database, disconnecting its remaining clients. */
export async function dropDatabase(name: string, server?: pg.ClientConfig): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS
  for (;;) {
    try {
      return await asAdmin(`drop database if exists ${name} with (force)`, server)
    } catch (error) {
      // Only a superuser may terminate an autovacuum worker. With so little data it ends soon.
      const worker = (error as pg.DatabaseError).code === INSUFFICIENT_PRIVILEGE
      if (!worker || Date.now() > deadline) throw error
      await sleep(PAUSE_MS)
    }
  }
}
