/** Checks every status against its recorded history. */
import { sql } from 'kysely'
import { HOLDERS } from './move.ts'
import type { Tx } from './transaction.ts'

/** Old deliveries are deleted, but their history remains. */
const CLEARED = ['delivery']

/**
 * Returns a message for each resource whose status does not match its history or whose history
 * lacks a step, up to a limit. The order of steps does not matter: a resource must enter its
 * current status one more time than it leaves it, and any other status as often as it leaves it.
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
