/** Records the portfolio at the end of a day. */
import { type Database, transaction } from '../../platform/db/transaction.ts'
import type { Day } from '../../platform/kit/dates.ts'
import { insertDay } from './store.ts'

/**
 * Records the portfolio at the end of `ended`, at the start of the next day. Returns the number of
 * rows written. Repeating it has no effect.
 */
export function closeDay(database: Database, ended: Day): Promise<number> {
  return transaction(database, { partners: '*', actor: 'service' }, tx => insertDay(tx, ended))
}
