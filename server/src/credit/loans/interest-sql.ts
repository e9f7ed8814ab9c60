/**
 * The interest formula for bulk runs, the only rule that also exists in SQL. It mirrors
 * `interestTo` of interest.ts; a test compares both.
 */
import { type RawBuilder, sql } from 'kysely'

/** The principal steps of loans in a table, each with the first day of the next step. */
export function stepsUntil(
  table: RawBuilder<unknown> = sql`loan_principal_steps`,
): RawBuilder<unknown> {
  return sql`(select loan_id, from_on, principal, coalesce(
      lead(from_on) over (partition by loan_id order by from_on), 'infinity'::date) as until
    from ${table})`
}

/**
 * Cents times days of a loan's steps `s` before a day. Multiplied by a rate in ppm, it is what
 * `interest_cents` rounds, once.
 */
export function centDaysTo(day: RawBuilder<unknown>): RawBuilder<bigint> {
  return sql`sum(s.principal * greatest(0, least(s.until, ${day}) - s.from_on))`
}
