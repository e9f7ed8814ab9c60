/** Forgets what is long over: sessions, and attempts to sign in. */
import { type Database, transaction } from '../db/transaction.ts'
import { deleteSessions, deleteSignIns } from './session-store.ts'

/** Real days for which it can still be looked up who was signed in, and who tried to. */
const SESSIONS_KEPT_DAYS = 90
const SIGN_INS_KEPT_DAYS = 365

/** Answers how many were forgotten. Safe to repeat. */
export async function forgetSignIns(database: Database): Promise<number> {
  return transaction(database, { partners: '*' }, async tx => {
    const sessions = await deleteSessions(tx, SESSIONS_KEPT_DAYS)
    return sessions + (await deleteSignIns(tx, SIGN_INS_KEPT_DAYS))
  })
}
