/**
 * Resets the deployment: deletes the business data of all partners, including the ledger, and sets
 * the clock back to real time. `KEPT_TABLES` in `db/tables.ts` lists what stays.
 */
import { sql } from 'kysely'
import type { OrchestratedHandler } from '../context.ts'
import { removeNamesExcept } from '../platform/db/directory.ts'
import { lockForReset } from '../platform/db/resets.ts'
import { EMPTIED_TABLES, TABLES_DELETED_BY_ROW } from '../platform/db/tables.ts'
import { type Tx, transaction } from '../platform/db/transaction.ts'
import { problem } from '../platform/kit/problem.ts'
import { requester } from '../platform/kit/requester.ts'

/** Tables with triggers against deletion, which a reset disables. */
const GUARDED_TABLES = [
  'ledger_accounts',
  'ledger_entries',
  'ledger_postings',
  'ledger_seals',
  'state_changes',
  'events',
  'event_snapshots',
  'decision_attempts',
  'audit_seals',
  'bank_orders',
  'lender_orders',
]

export const resetSandbox: OrchestratedHandler<'resetSandbox'> = {
  orchestrate: async ({ database, worker, log }, { caller }) => {
    if (database.settings.mode !== 'sandbox') throw problem('route_unknown')
    // Finishes all jobs first. Otherwise the bank would later report on orders that no longer
    // exist.
    await worker.drain()
    await transaction(database, { partners: '*', actor: 'sandbox' }, async tx => {
      await lockForReset(tx)
      requester()?.left?.throwIfAborted()
      await emptyDeployment(tx)
    })
    log.warn({ caller_id: caller.caller_id }, 'the sandbox was reset')
    return null
  },
}

/**
 * Deletes all business data in one transaction, which must hold the lock for resets: two resets
 * would deadlock on each other's tables. Must never run in a live deployment.
 */
export async function emptyDeployment(tx: Tx): Promise<void> {
  // Jobs first, so that none starts on data about to be deleted.
  for (const name of TABLES_DELETED_BY_ROW) await tx.run(sql`delete from ${sql.table(name)}`)
  const tables = sql.join(EMPTIED_TABLES.map(name => sql.table(name)))
  for (const table of GUARDED_TABLES) await guard(tx, table, 'disable')
  await tx.run(sql`truncate ${tables}`)
  // The directory is not truncated, because every request looks up its key there.
  await removeNamesExcept(tx, 'key')
  await tx.run(sql`delete from audit_seals where record = any(${EMPTIED_TABLES}::text[])`)
  for (const table of GUARDED_TABLES) await guard(tx, table, 'enable')
  await tx.run(sql`update bank_accounts set opening_balance = null, opened_on = null`)
  await tx.run(sql`update partners set exposure = 0, invoice_review = 'NONE'`)
  await tx.run(sql`update deployment set clock_offset_ms = 0`)
}

async function guard(tx: Tx, table: string, how: 'disable' | 'enable'): Promise<void> {
  await tx.run(sql`alter table ${sql.table(table)} ${sql.raw(how)} trigger user`)
}
