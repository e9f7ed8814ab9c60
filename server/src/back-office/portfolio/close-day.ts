/** Records the portfolio at the end of a day. */
import { type Database, transaction } from '../../platform/db/transaction.ts'
import type { Day } from '../../platform/kit/dates.ts'
import { insertDay } from './store.ts'

/** Runs first on the next day. Returns the number of partners; a repeat writes nothing. */
export function closeDay(database: Database, ended: Day): Promise<number> {
  return transaction(database, { partners: '*' }, tx => insertDay(tx, ended))
}
