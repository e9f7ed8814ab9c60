/** The partner condition for statements that may also cover all partners. */
import { type RawBuilder, sql } from 'kysely'

/** Matches the partner's rows, or all rows for null. `table` qualifies the column. */
export function ofPartner(partner_id: string | null, table?: string): RawBuilder<boolean> {
  const column = sql.ref(table ? `${table}.partner_id` : 'partner_id')
  return partner_id === null ? sql`true` : sql`${column} = ${partner_id}`
}
