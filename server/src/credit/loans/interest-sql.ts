/**
 * The interest formula where runs are set-wise: the one rule that SQL has too. `interestTo` of
 * interest.ts in the same words; a test holds them equal.
 */
import { type RawBuilder, sql } from 'kysely'

/** Principal steps of loans from a table of them, each with the day on which the next begins. */
export function stepsUntil(
  table: RawBuilder<unknown> = sql`loan_principal_steps`,
): RawBuilder<unknown> {
  return sql`(select loan_id, from_on, principal, coalesce(
      lead(from_on) over (partition by loan_id order by from_on), 'infinity'::date) as until
    from ${table})`
}

/**
 * Cents times days of the steps `s` of a loan before a day. Times a rate in ppm it is what
 * `interest_cents` rounds, once.
 */
export function centDaysTo(day: RawBuilder<unknown>): RawBuilder<bigint> {
  return sql`sum(s.principal * greatest(0, least(s.until, ${day}) - s.from_on))`
}
