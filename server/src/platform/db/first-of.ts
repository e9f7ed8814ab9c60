/** Returns the first of two columns that is not null, in a form that can use an index. */
import { type RawBuilder, sql } from 'kysely'

/**
 * Equivalent to `coalesce`. Under row-level security a comparison with `coalesce` cannot use an
 * index, because PostgreSQL does not consider it leakproof; `case` can.
 */
export function firstOf(preferred: string, otherwise: string): RawBuilder<unknown> {
  const [a, b] = [sql.ref(preferred), sql.ref(otherwise)]
  return sql`(case when ${a} is null then ${b} else ${a} end)`
}
