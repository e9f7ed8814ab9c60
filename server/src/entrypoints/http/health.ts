/** Liveness and readiness probes. */
import type { FastifyInstance } from 'fastify'
import type { Context } from '../../context.ts'
import { readReadiness } from '../../platform/db/readiness.ts'
import { transaction } from '../../platform/db/transaction.ts'
import { coalesceLookups } from '../../platform/kit/coalesce-lookups.ts'
import { problem } from '../../platform/kit/problem.ts'
import { asProblem } from './problems.ts'
import { databaseTimeout, withTimeout } from './timeout.ts'

/** Load balancers probe every few seconds and treat a timeout as a failure. */
const READY_MS_MAX = 2_000
/** Probes within this interval share one check, so that they do not hold up other requests. */
const PROBE_INTERVAL_MS = 250
const READINESS = 'readiness'
const ALL = { partners: '*', read_only: true } as const

/**
 * `/healthz` answers while the process runs. `/readyz` succeeds if, within two seconds, the
 * database has a free connection, is fully migrated and does not refuse writes, and the process is
 * connected to the lender's bank.
 */
export function addHealth(app: FastifyInstance, { database }: Context): void {
  const { pool } = database
  const late = () => databaseTimeout(pool)
  const read = async () => {
    const pending = await readReadiness(pool, READY_MS_MAX)
    // In a live deployment, no transaction opens while the process is connected to a former bank.
    if (database.lenders) await transaction(database, ALL, async () => {})
    return pending
  }
  const look = async () => new Map([[READINESS, await withTimeout(read(), READY_MS_MAX, late)]])
  const readPending = coalesceLookups(look, PROBE_INTERVAL_MS)
  app.get('/healthz', async () => ({ status: 'ok' }))
  app.get('/readyz', async request => {
    const pending = await withTimeout(readPending(READINESS), READY_MS_MAX, late).catch(error => {
      if (asProblem(error).status === 503) throw error
      request.log.warn({ err: error }, 'the database does not serve')
      throw databaseTimeout(pool)
    })
    if (pending && pending.length > 0) {
      const detail = `Migrations are still to be applied: ${pending.join(', ')}.`
      throw problem('not_ready', detail, { retry_after_seconds: 2 })
    }
    return { status: 'ready' }
  })
}
