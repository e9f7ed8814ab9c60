/**
 * The interest formula in SQL, for bulk runs. It mirrors `interestTo` of interest.ts, and a test
 * compares the two.
 */
import { type RawBuilder, sql } from 'kysely'

/** The principal steps of loans in a table, each with the first day of the next step. */
export function stepsUntil(
  table: RawBuilder<unknown> = sql`loan_principal_steps`,
): RawBuilder<unknown> {
  return sql`(select partner_id, loan_id, from_on, principal, coalesce(
      lead(from_on) over (partition by partner_id, loan_id order by from_on), 'infinity'::date)
      as until
    from ${table})`
}

/**
 * Cents times days of a loan's steps `s` before a day. `interest_cents` multiplies this by a rate
 * in ppm and rounds once.
 */
export function centDaysTo(day: RawBuilder<unknown>): RawBuilder<bigint> {
  return sql`sum(s.principal * greatest(0, least(s.until, ${day}) - s.from_on))`
}
