/** Separate databases for tests that need no running server. */
import { randomBytes } from 'node:crypto'
import type pg from 'pg'
import { inject } from 'vitest'
import { type ConnectionPool, connect } from '../../src/platform/db/connect.ts'
import { asAdmin, dropDatabase } from './admin.ts'
import { closeAfterwards } from './closing.ts'

/**
 * A database on the test run's server, cloned from the migrated template or empty; dropped after
 * the file's tests.
 */
export async function testDatabase(content: 'migrated' | 'empty'): Promise<ConnectionPool> {
  return createFrom(content === 'migrated' ? 'template_of_tests' : 'template0')
}

/** A clone of a database, which must have no other clients. */
export async function cloneOf(pool: pg.Pool): Promise<ConnectionPool> {
  const { database } = pool.options
  // Closes the pool's own idle connections, which reconnect on demand.
  await asAdmin(`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = '${database}'`)
  return createFrom(database!)
}

async function createFrom(template: string): Promise<ConnectionPool> {
  const name = `test_${randomBytes(6).toString('hex')}`
  await asAdmin(`create database ${name} template ${template}`)
  const pool = connect({ ...inject('server'), database: name }, () => {})
  closeAfterwards(async () => {
    await pool.end()
    await dropDatabase(name)
  })
  return pool
}
