/** The databases of tests are made and dropped by the owner of the server they share. */
import pg from 'pg'
import { inject } from 'vitest'

const PATIENCE_MS = 60_000
const BREATH_MS = 50
const INSUFFICIENT_PRIVILEGE = '42501'

/** Carries out one statement as the owner, by default of the server that all tests share. */
export async function asAdmin(
  statement: string,
  server: pg.ClientConfig = inject('server'),
): Promise<void> {
  const client = new pg.Client({ ...server, database: 'headroom' })
  await client.connect()
  await client.query(statement).finally(() => client.end())
}

/** Drops a database with whoever is still connected to it. */
export async function dropDatabase(name: string, server?: pg.ClientConfig): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS
  for (;;) {
    try {
      return await asAdmin(`drop database if exists ${name} with (force)`, server)
    } catch (error) {
      // An autovacuum worker may only be ended by a superuser; it is done with so little soon.
      const worker = (error as pg.DatabaseError).code === INSUFFICIENT_PRIVILEGE
      if (!worker || Date.now() > deadline) throw error
      await new Promise(resume => setTimeout(resume, BREATH_MS))
    }
  }
}
