/** SQL conditions on the outcome of a payment. `payment` is the alias of its row in the query. */
import { type RawBuilder, sql } from 'kysely'

/** Whether it was settled and not returned. Never null, even if an outer join found no row. */
export function isSettled(payment: string): RawBuilder<boolean> {
  return sql`coalesce(${sql.ref(`${payment}.status`)} = 'PAID'
    and not ${isReturned(payment)}, false)`
}

/** Whether a settled payment was returned. */
export function isReturned(payment: string): RawBuilder<boolean> {
  return sql`(${sql.ref(`${payment}.returned_at`)} is not null)`
}

/** Whether it failed, was canceled or was returned, so that its money stayed or was sent back. */
export function isUnsuccessful(payment: string): RawBuilder<boolean> {
  return sql`(${sql.ref(`${payment}.status`)} in ('FAILED', 'CANCELED') or ${isReturned(payment)})`
}

/**
 * Whether an outgoing payment's money counts as gone: the payment was instructed, is in transit, or
 * was settled and not returned.
 */
export function isSentOrSettled(payment: string): RawBuilder<boolean> {
  return sql`(${sql.ref(`${payment}.status`)} in ('INSTRUCTED', 'IN_TRANSIT')
    or ${isSettled(payment)})`
}
