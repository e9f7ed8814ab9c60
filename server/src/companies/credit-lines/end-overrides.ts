/**
 * Ends overrides after their last day, so that the scorecard's limit applies again. Rejects
 * proposals that are out of date or whose line is closed.
 */
import { type Selectable, sql } from 'kysely'
import { move } from '../../platform/db/move.ts'
import { followKey, haveKeys, type RowKey } from '../../platform/db/of-partner.ts'
import type { DB } from '../../platform/db/schema.ts'
import { keyedJob, type Paged } from '../../platform/db/slices.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import type { Day } from '../../platform/kit/dates.ts'
import { assessLines } from './assess-lines.ts'

/** Lines per transaction: few, so that requests for loans on them hardly wait. */
const SLICE = 50

export function endOverrides(today: Day): Paged {
  const read = (tx: Tx, after: RowKey) =>
    tx.all(sql<RowKey>`
      select distinct partner_id, credit_line_id as id from limit_overrides o
      where ${hasEnded(today)} and ${followKey(after, 'o', 'credit_line_id')}
      order by 1, 2 limit ${SLICE}`)
  return keyedJob('limit overrides to end', read, (tx, keys) => endBatch(tx, today, keys))
}

/** SQL condition: the override `o` is past its last day, or is a proposal for a closed line. */
function hasEnded(today: Day) {
  return sql`(o.status in ('IN_FORCE', 'PROPOSED') and o.until_on < ${today}
    or o.status = 'PROPOSED' and exists (select from credit_lines c
      where c.partner_id = o.partner_id and c.id = o.credit_line_id
        and c.closed_at is not null))`
}

async function endBatch(tx: Tx, today: Day, keys: readonly RowKey[]): Promise<number> {
  // Locks lines before overrides, like all code that locks both.
  await tx.run(sql`select from credit_lines where ${haveKeys(keys, 'credit_lines')}
    order by id for no key update`)
  const over = await tx.all(sql<Selectable<DB['limit_overrides']>>`
    select * from limit_overrides o
    where ${haveKeys(keys, 'o', 'credit_line_id')}
      and ${hasEnded(today)} order by id for no key update`)
  const [ended, proposed] = [
    over.filter(one => one.status === 'IN_FORCE'),
    over.filter(one => one.status === 'PROPOSED'),
  ]
  await move(tx, 'limit_override', ended, 'end', 'its last day has passed')
  await move(tx, 'limit_override', proposed, 'reject', 'it is out of date')
  const lines = ended.map(one => ({ partner_id: one.partner_id, id: one.credit_line_id }))
  if (lines.length > 0) await assessLines(tx, lines, 'OVERRIDE')
  return over.length
}
