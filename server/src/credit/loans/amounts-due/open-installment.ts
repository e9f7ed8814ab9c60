/** The open amount of an installment in SQL. It mirrors `openInstallments` of installments.ts. */
import { type RawBuilder, sql } from 'kysely'

/**
 * Open cents of an installment `i` of a loan `l` whose `amount_until` exceeds the covered
 * principal. Refunds lent beyond all repayments are due with the first installment.
 */
export const OPEN_AMOUNT: RawBuilder<bigint> = sql`case when i.position = 1
  then i.amount_until - l.principal_covered
  else least(i.amount, i.amount_until - l.principal_covered) end`
