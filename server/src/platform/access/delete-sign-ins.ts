/** Deletes old sessions and sign-in attempts. */
import { type Database, transaction } from '../db/transaction.ts'
import { deleteSessions, deleteSignIns } from './session-store.ts'

/** Retention in real days, during which sign-ins can still be investigated. */
const SESSIONS_KEPT_DAYS = 90
const SIGN_INS_KEPT_DAYS = 365

export async function deleteOldSignIns(database: Database): Promise<number> {
  return transaction(database, { partners: '*', actor: 'service' }, async tx => {
    const sessions = await deleteSessions(tx, SESSIONS_KEPT_DAYS)
    return sessions + (await deleteSignIns(tx, SIGN_INS_KEPT_DAYS))
  })
}
