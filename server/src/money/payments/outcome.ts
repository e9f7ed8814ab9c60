/** Conditions on what became of a payment. `payment` is the row's name in the query. */
import { type RawBuilder, sql } from 'kysely'

/** Whether it was settled and not returned. Never null, also for a row of an outer join. */
export function isSettled(payment: string): RawBuilder<boolean> {
  return sql`coalesce(${sql.ref(`${payment}.status`)} = 'PAID'
    and not ${isReturned(payment)}, false)`
}

/** Whether a settled payment was returned. */
export function isReturned(payment: string): RawBuilder<boolean> {
  return sql`(${sql.ref(`${payment}.returned_at`)} is not null)`
}

/** Whether it failed, was canceled or was returned, so that its money is not where it was to be. */
export function isUndone(payment: string): RawBuilder<boolean> {
  return sql`(${sql.ref(`${payment}.status`)} in ('FAILED', 'CANCELED') or ${isReturned(payment)})`
}

/** Whether money that we send is gone: it is at the bank, or was settled and not returned. */
export function isGone(payment: string): RawBuilder<boolean> {
  return sql`(${sql.ref(`${payment}.status`)} in ('INSTRUCTED', 'IN_TRANSIT')
    or ${isSettled(payment)})`
}
