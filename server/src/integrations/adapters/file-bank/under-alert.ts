/** Tells operators of work that fails for all files or orders, until it succeeds again. */
import { clearAlert, raiseAlert } from '../../../platform/alerts/index.ts'
import { type Database, transaction } from '../../../platform/db/transaction.ts'
import { LENDER_ID } from '../../../platform/kit/ids.ts'
import { OWN_TABLES } from './received-store.ts'

/** Runs `work`. Raises the alert and throws if it fails; clears the alert if it succeeds. */
export async function underAlert<T>(
  database: Database,
  { kind, what }: { kind: 'bank_unreachable' | 'orders_unwritten'; what: string },
  work: () => Promise<T>,
): Promise<T> {
  try {
    const done = await work()
    await transaction(database, OWN_TABLES, tx => clearAlert(tx, kind, LENDER_ID))
    return done
  } catch (error) {
    const detail = `${what}: ${(error as Error).message}`
    await transaction(database, OWN_TABLES, tx => raiseAlert(tx, kind, LENDER_ID, detail))
    throw error
  }
}
