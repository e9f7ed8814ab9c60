/** Holds every status against the history of how it came about. */
import { sql } from 'kysely'
import { HOLDERS } from './move.ts'
import type { Tx } from './transaction.ts'

/** Old deliveries are cleared away, their history stays. */
const CLEARED = ['delivery']

/**
 * Answers a sentence for each thing that has another status than its history leads to, or of whose
 * history a step is missing; a few at most. Whatever order the steps were noted in: a thing comes
 * into each status as often as it leaves it, and once more into the one that it has.
 */
export async function verifyHistory(tx: Tx): Promise<{ check: string; detail: string }[]> {
  const now = Object.entries(HOLDERS)
    .filter(([resource]) => !CLEARED.includes(resource))
    .map(([resource, { table, key, ...holder }]) => {
      const row = sql`${sql.lit(resource)}, ${sql.ref(key)}, status, -1`
      const born = 'since' in holder ? sql`where ${sql.ref(holder.since)} is not null` : sql``
      return sql`union all select ${row} from ${sql.table(table)} ${born}`
    })
  const wrong = await tx.all(sql<{ resource: string; id: string; status: string }>`
    select resource, resource_id as id, min(status) as status from (
      select resource, resource_id, status from (
        select resource, resource_id, to_status as status, 1 as step from state_changes
        union all select resource, resource_id, from_status, -1 from state_changes
          where from_status is not null
        ${sql.join(now, sql` `)}) steps
      where resource <> all(${CLEARED}::text[])
      group by resource, resource_id, status having sum(step) <> 0) wrong
    group by resource, resource_id order by resource_id limit 5`)
  return wrong.map(({ resource, id, status }) => ({
    check: 'history',
    detail: `${resource} ${id}: its history and its status differ about ${status}`,
  }))
}
