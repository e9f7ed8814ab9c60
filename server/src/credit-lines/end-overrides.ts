/** Limits by hand whose last day has passed: the scorecard's count again. */
import { type Selectable, sql } from 'kysely'
import { move } from '../db/move.ts'
import type { DB } from '../db/schema.ts'
import { inSlices } from '../db/slices.ts'
import type { Database, Tx } from '../db/transaction.ts'
import type { Day } from '../kit/dates.ts'
import { assessLines } from './assess-lines.ts'

/** Lines of one transaction: few, so that whoever lends on one of them hardly waits. */
const SLICE = 50

/** Answers how many ended. */
export async function endOverrides(database: Database, today: Day): Promise<number> {
  return inSlices(database, tx => endSlice(tx, today))
}

async function endSlice(tx: Tx, today: Day): Promise<number> {
  const lines = await tx.all(sql<{ id: string }>`
    select id from credit_lines where id in (select credit_line_id from limit_overrides
      where status = 'IN_FORCE' and until_on < ${today})
    order by id limit ${SLICE} for no key update skip locked`)
  if (lines.length === 0) return 0
  const ids = lines.map(line => line.id)
  const over = await tx.all(sql<Selectable<DB['limit_overrides']>>`
    select * from limit_overrides where credit_line_id = any(${ids}::uuid[])
      and status = 'IN_FORCE' and until_on < ${today} for no key update`)
  await move(tx, 'service', 'limit_override', over, 'end', 'its last day has passed')
  await assessLines(tx, ids, 'OVERRIDE')
  return over.length
}
