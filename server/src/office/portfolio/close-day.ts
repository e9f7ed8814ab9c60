/** Writes down how the business stood at the end of a day. */
import { type Database, transaction } from '../../platform/db/transaction.ts'
import type { Day } from '../../platform/kit/dates.ts'
import { insertDay } from './store.ts'

/** As the first thing of the day after it. Answers how many partners; a repeat writes nothing. */
export function closeDay(database: Database, ended: Day): Promise<number> {
  return transaction(database, { partners: '*' }, tx => insertDay(tx, ended))
}
