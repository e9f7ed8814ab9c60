/** Since when what a loan owes next is to be debited: what waits for its debit is not late. */
import { type RawBuilder, sql } from 'kysely'

/**
 * The day since which, without a gap, the debit of a loan has been to come; null when none is.
 * `alias` is the loan's in the query. Of most that are late no debit is to come, which is soon
 * seen: the function alone costs ten times as much.
 */
export function debitSince(alias: string): RawBuilder<unknown> {
  return sql`case when exists (select from payments d
      where d.loan_id = ${sql.ref(`${alias}.id`)} and d.direction = 'IN'
        and d.payment_method <> 'SCT' and d.status in ('SCHEDULED', 'INSTRUCTED', 'IN_TRANSIT'))
    then loan_debit_since(${sql.id(alias)}) end`
}
