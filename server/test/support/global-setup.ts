/** One database server for a whole test run, with a migrated template to clone. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { connect } from '../../src/platform/db/connect.ts'
import { startEmbedded } from '../../src/platform/db/embedded/index.ts'
import { migrate } from '../../src/platform/db/migrate.ts'
import { shapeOf } from './shape.ts'

interface Login {
  host: string
  port: number
  user: string
  password: string
}

declare module 'vitest' {
  interface ProvidedContext {
    /** The login that owns the test databases. */
    server: Login
    /** The same server's superuser, who may bypass triggers. */
    admin: Login
    /** Holds the server's data and other files of this run, and is removed after it. */
    folder: string
    /** The fingerprint of the template (`shapeOf`). */
    shape: string
  }
}

export default async function setup(project: TestProject) {
  const folder = mkdtempSync(join(tmpdir(), 'headroom-test-'))
  // Tests of crashes start their own server. This one is fast, and would not survive a power cut.
  const settings = {
    fsync: 'off',
    synchronous_commit: 'off',
    full_page_writes: 'off',
    // No backup or replica reads the write-ahead log, so it can be minimal, with rare checkpoints.
    wal_level: 'minimal',
    max_wal_senders: '0',
    max_wal_size: '4GB',
    checkpoint_timeout: '1h',
    // New statistics would make every connection plan its statements again. Tests that need
    // statistics run ANALYZE.
    autovacuum: 'off',
    max_connections: '200',
  }
  const embedded = await startEmbedded({ folder, settings })
  const pool = connect(embedded.connection, () => {})
  await pool.query('create database template_of_tests')
  await pool.end()
  const template = connect({ ...embedded.connection, database: 'template_of_tests' }, () => {})
  await migrate(template)
  await template.end()
  const { database: _, ...server } = embedded.connection
  const { database: __, ...admin } = embedded.admin
  const looking = new pg.Client({ ...admin, database: 'template_of_tests' })
  await looking.connect()
  project.provide('shape', await shapeOf(looking))
  await looking.end()
  project.provide('folder', folder)
  project.provide('server', server)
  project.provide('admin', admin)
  return async () => {
    await embedded.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}
