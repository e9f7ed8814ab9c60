/** Whether the process lives, and whether it can serve. */
import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.ts'
import { pendingMigrations } from '../db/migrate.ts'
import { problem } from '../kit/problem.ts'

/** `/healthz` answers while the process does; `/readyz` when the database is there and migrated. */
export function addHealth(app: FastifyInstance, { database }: Context): void {
  app.get('/healthz', async () => ({ status: 'ok' }))
  app.get('/readyz', async request => {
    const pending = await pendingMigrations(database.pool).catch(error => {
      request.log.warn({ err: error }, 'the database does not answer')
      throw problem('not_ready', 'The database does not answer.', { retry_after_seconds: 2 })
    })
    if (pending.length > 0) {
      const detail = `Migrations are still to be applied: ${pending.join(', ')}.`
      throw problem('not_ready', detail, { retry_after_seconds: 2 })
    }
    return { status: 'ready' }
  })
}
