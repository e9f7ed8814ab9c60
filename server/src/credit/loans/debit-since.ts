/** Since when what a loan owes next is to be debited: what waits for its debit is not late. */
import { type RawBuilder, sql } from 'kysely'
import type { Day } from '../../platform/kit/dates.ts'

/**
 * The day since which, without a gap, the debit of a loan has been to come; null when none is.
 * `alias` is the loan's in the query. Of most that are late no debit is to come, which is soon
 * seen: the function alone costs ten times as much.
 */
export function debitSince(alias: string): RawBuilder<unknown> {
  const loan = sql.id(alias)
  return sql`case when exists (select from payments d
      where d.loan_id = ${loan}.id and d.direction = 'IN'
        and d.payment_method <> 'SCT' and d.status in ('SCHEDULED', 'INSTRUCTED', 'IN_TRANSIT'))
    then debit_to_come_since(${loan}.id, null, ${loan}.due_part, ${loan}.due_on, 'infinity') end`
}

/**
 * The day that what a loan owes next is due on. A contractual plan says it; `alias` is the loan's
 * in the query.
 */
export function lateOn(alias: string): RawBuilder<Day> {
  const loan = sql.id(alias)
  return sql`coalesce(${loan}.plan_due_on, ${loan}.due_on)`
}
