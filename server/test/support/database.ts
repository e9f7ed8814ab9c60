/** Databases of their own for tests that need no running house. */
import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { afterAll, inject } from 'vitest'
import { connect } from '../../src/db/connect.ts'

/**
 * A database on the test run's server, cloned from the migrated template or empty; dropped after
 * the file's tests.
 */
export async function testDatabase(content: 'migrated' | 'empty'): Promise<pg.Pool> {
  const name = `test_${randomBytes(6).toString('hex')}`
  const template = content === 'migrated' ? 'template_of_tests' : 'template0'
  await asAdmin(`create database ${name} template ${template}`)
  const pool = connect({ ...inject('server'), database: name }, () => {})
  afterAll(async () => {
    await pool.end()
    await asAdmin(`drop database if exists ${name} with (force)`)
  })
  return pool
}

async function asAdmin(statement: string): Promise<void> {
  const client = new pg.Client({ ...inject('server'), database: 'headroom' })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
