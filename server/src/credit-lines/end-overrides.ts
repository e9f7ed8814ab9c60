/** Limits by hand whose last day has passed: the scorecard's count again. */
import { type Selectable, sql } from 'kysely'
import { move } from '../db/move.ts'
import type { DB } from '../db/schema.ts'
import { inPages } from '../db/slices.ts'
import type { Database, Tx } from '../db/transaction.ts'
import type { Day } from '../kit/dates.ts'
import { assessLines } from './assess-lines.ts'

/** Lines of one transaction: few, so that whoever lends on one of them hardly waits. */
const SLICE = 50

/** Answers how many ended. */
export async function endOverrides(database: Database, today: Day): Promise<number> {
  const read = (tx: Tx, after: string) =>
    tx.all(sql<{ id: string }>`
      select credit_line_id as id from limit_overrides
      where status = 'IN_FORCE' and until_on < ${today} and credit_line_id > ${after}
      order by 1 limit ${SLICE}`)
  return inPages(database, 'limits by hand to end', read, (tx, ids) => endTogether(tx, today, ids))
}

async function endTogether(tx: Tx, today: Day, ids: readonly string[]): Promise<number> {
  // The lines first, as by all who lock both.
  await tx.run(sql`select from credit_lines where id = any(${ids}::uuid[])
    order by id for no key update`)
  const over = await tx.all(sql<Selectable<DB['limit_overrides']>>`
    select * from limit_overrides where credit_line_id = any(${ids}::uuid[])
      and status = 'IN_FORCE' and until_on < ${today} for no key update`)
  await move(tx, 'service', 'limit_override', over, 'end', 'its last day has passed')
  await assessLines(tx, ids, 'OVERRIDE')
  return over.length
}
