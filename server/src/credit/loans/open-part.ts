/** What is open of an installment, where SQL sums it up: `openParts` of installments.ts. */
import { type RawBuilder, sql } from 'kysely'

/**
 * Cents open of an installment `i` of a loan `l`, one with `amount_until` above what is covered.
 * Refunds that are lent beyond all repayments are due with the first one.
 */
export const OPEN_PART: RawBuilder<bigint> = sql`case when i.position = 1
  then i.amount_until - l.principal_covered
  else least(i.amount, i.amount_until - l.principal_covered) end`
