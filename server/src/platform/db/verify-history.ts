/** Checks every status against its recorded history. */

import { sql } from 'kysely'
import { HOLDERS } from './move.ts'
import { LENDER } from './of-partner.ts'
import type { Tx } from './transaction.ts'

/** Old deliveries are deleted, but their history remains. */
const CLEARED = ['delivery']

/**
 * Returns a message for each resource whose status or partner does not match its history or whose
 * history lacks a step, up to a limit. The order of steps does not matter: under its partner, a
 * resource must enter its current status one more time than it leaves it, and any other status as
 * often as it leaves it. Amendments do neither, but need another step under the same partner.
 */
export async function verifyHistory(tx: Tx): Promise<{ check: string; detail: string }[]> {
  const now = Object.entries(HOLDERS)
    .filter(([resource]) => !CLEARED.includes(resource))
    .map(([resource, { table, key, ...holder }]) => {
      const partner = 'lenders' in holder ? LENDER : sql`partner_id`
      const row = sql`${sql.lit(resource)}, ${sql.ref(key)}, ${partner}, status, -1`
      const initial = 'since' in holder ? sql`where ${sql.ref(holder.since)} is not null` : sql``
      return sql`union all select ${row} from ${sql.table(table)} ${initial}`
    })
  const wrong = await tx.all(sql<Wrong>`
    select resource, resource_id as id, min(status) as status,
      string_agg(distinct partner_id::text, ' and ') as partners
    from (select resource, resource_id, partner_id, status from (
        select resource, resource_id, partner_id, to_status as status,
          case when from_status = to_status then 0 else 1 end as step from state_changes
        union all select resource, resource_id, partner_id, from_status, -1 from state_changes
          where from_status <> to_status
        ${sql.join(now, sql` `)}) steps
      where resource <> all(${CLEARED}::text[])
      group by resource, resource_id, partner_id, status
      having sum(step) <> 0 or bool_and(step = 0)) wrong
    group by resource, resource_id order by resource_id limit 5`)
  return wrong.map(({ resource, id, status, partners }) => ({
    check: 'history',
    detail: `${resource} ${id}: its history and its row differ about ${status} of ${partners}`,
  }))
}

interface Wrong {
  readonly resource: string
  readonly id: string
  readonly status: string
  readonly partners: string
}
