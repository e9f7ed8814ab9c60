/**
 * Limits by hand whose last day has passed: the scorecard's count again. Nobody is asked any more
 * about those that were only proposed, nor about those for a line that is closed.
 */
import { type Selectable, sql } from 'kysely'
import { move } from '../../platform/db/move.ts'
import type { DB } from '../../platform/db/schema.ts'
import { inPages, type Paged } from '../../platform/db/slices.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import type { Day } from '../../platform/kit/dates.ts'
import { assessLines } from './assess-lines.ts'

/** Lines of one transaction: few, so that whoever lends on one of them hardly waits. */
const SLICE = 50

export function endOverrides(today: Day): Paged {
  const read = (tx: Tx, after: string) =>
    tx.all(sql<{ id: string }>`
      select distinct credit_line_id as id from limit_overrides o
      where ${isOver(today)} and credit_line_id > ${after}
      order by 1 limit ${SLICE}`)
  return inPages('limits by hand to end', read, (tx, ids) => endTogether(tx, today, ids))
}

/** Of a limit `o`. */
function isOver(today: Day) {
  return sql`(o.status in ('IN_FORCE', 'PROPOSED') and o.until_on < ${today}
    or o.status = 'PROPOSED' and exists (select from credit_lines c
      where c.id = o.credit_line_id and c.closed_at is not null))`
}

async function endTogether(tx: Tx, today: Day, ids: readonly string[]): Promise<number> {
  // The lines first, as by all who lock both.
  await tx.run(sql`select from credit_lines where id = any(${ids}::uuid[])
    order by id for no key update`)
  const over = await tx.all(sql<Selectable<DB['limit_overrides']>>`
    select * from limit_overrides o where credit_line_id = any(${ids}::uuid[])
      and ${isOver(today)} order by id for no key update`)
  const [ended, proposed] = [
    over.filter(one => one.status === 'IN_FORCE'),
    over.filter(one => one.status === 'PROPOSED'),
  ]
  await move(tx, 'service', 'limit_override', ended, 'end', 'its last day has passed')
  await move(tx, 'service', 'limit_override', proposed, 'reject', 'it is out of date')
  const lines = ended.map(one => one.credit_line_id)
  if (lines.length > 0) await assessLines(tx, lines, 'OVERRIDE')
  return over.length
}
