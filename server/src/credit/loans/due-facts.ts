/** SQL for the facts that the rules of dates.ts need: due dates, debits and grace periods. */
import { type RawBuilder, sql } from 'kysely'
import type { Day } from '../../platform/kit/dates.ts'
import type { Debits } from './dates.ts'

/** Selects the debits among payments `d`. */
const IS_DEBIT = sql`d.direction = 'IN' and d.payment_method <> 'SCT'`
const PENDING = sql`('SCHEDULED', 'INSTRUCTED', 'IN_TRANSIT')`

/**
 * The debits `d` of a loan's installment or a bill, with its due date, as of now or of a past time.
 * Null if none was pending at that time, because the rules then ignore the others.
 */
export function debitsOf(
  of: RawBuilder<unknown>,
  fell_due_on: RawBuilder<unknown>,
  before: Date | null = null,
): RawBuilder<Debits | null> {
  const as_of = sql`${before ?? 'infinity'}::timestamptz`
  return sql`(select jsonb_build_object('fell_due_on', ${fell_due_on}, 'debits', jsonb_agg(
      jsonb_build_object('status', s.status, 'scheduled_on', d.scheduled_on,
        'planned_at', d.created_at, 'changed_at', d.updated_at,
        'came_back', coalesce(d.returned_at < ${as_of}, false))))
    from payments d, payment_status_at(d, ${as_of}) as s (status)
    where ${of} and ${IS_DEBIT} and d.created_at < ${as_of}
    having bool_or(s.status in ${PENDING}))`
}

/**
 * The debits of the next amount a loan owes; `alias` names the loan in the query. A cheap check for
 * a pending debit comes first, because most overdue loans have none.
 */
export function nextDebitsOf(alias: string): RawBuilder<Debits | null> {
  const loan = sql.id(alias)
  const own = sql`d.partner_id = ${loan}.partner_id and d.loan_id = ${loan}.id`
  const of = sql`${own} and d.installment is not distinct from ${loan}.due_part`
  return sql`case when exists (select from payments d
      where ${own} and ${IS_DEBIT} and d.status in ${PENDING})
    then ${debitsOf(of, sql`${loan}.due_on`)} end`
}

/** The grace days of each product with loans on a bill; `alias` names the bill in the query. */
export function graceDaysOf(alias: string): RawBuilder<number[]> {
  return sql`array(select g.bill_grace_days from products g
    where g.product_type = any(${sql.id(alias)}.loan_types))`
}

/**
 * The due date from which a loan's days past due count: the one recorded for its payment plan, or
 * else that of the next amount owed; `alias` names the loan in the query.
 */
export function lateOn(alias: string): RawBuilder<Day> {
  const loan = sql.id(alias)
  return sql`coalesce(${loan}.plan_due_on, ${loan}.due_on)`
}
