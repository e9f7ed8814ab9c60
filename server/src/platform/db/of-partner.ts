/** What statements name their partner by, where all partners may be meant. */
import { type RawBuilder, sql } from 'kysely'

/** Rows of the partner, or of all; `table` is whose column it is, where several have one. */
export function ofPartner(partner_id: string | null, table?: string): RawBuilder<boolean> {
  const column = sql.ref(table ? `${table}.partner_id` : 'partner_id')
  return partner_id === null ? sql`true` : sql`${column} = ${partner_id}`
}
