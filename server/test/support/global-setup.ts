/** One database server for a whole test run, with a migrated template to clone. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { connect } from '../../src/db/connect.ts'
import { startEmbedded } from '../../src/db/embedded/index.ts'
import { migrate } from '../../src/db/migrate.ts'
import { JobQueue } from '../../src/jobs/index.ts'
import { JOB_NAMES } from '../../src/worker.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** How to reach the server; `database` is the template. */
    server: { host: string; port: number; user: string; password: string }
  }
}

export default async function setup(project: TestProject) {
  const folder = mkdtempSync(join(tmpdir(), 'headroom-test-'))
  // Tests prove crashes elsewhere; here speed counts more than surviving a power cut.
  const settings = { fsync: 'off', synchronous_commit: 'off', max_connections: '200' }
  const embedded = await startEmbedded({ folder, settings })
  const pool = connect(embedded.connection, () => {})
  await pool.query('create database template_of_tests')
  await pool.end()
  const template = connect({ ...embedded.connection, database: 'template_of_tests' }, () => {})
  await migrate(template)
  const queue = new JobQueue(template)
  await queue.start(JOB_NAMES)
  await queue.stop()
  await template.end()
  const { host, port, user, password } = embedded.connection
  project.provide('server', { host, port, user, password })
  return async () => {
    await embedded.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}
