/**
 * Finds the newest card loan of a credit line, on which money returned beyond all debts is booked.
 */
import { type RawBuilder, sql } from 'kysely'
import type { Tx } from '../../platform/db/transaction.ts'

export function lastCardLoanOf(credit_line_id: string | RawBuilder<unknown>) {
  return sql<{ id: string }>`
    select n.id from loans n
    where n.borrower_id = (select borrower_id from credit_lines where id = ${credit_line_id})
      and n.credit_line_id = ${credit_line_id} and n.loan_type = 'CREDIT_CARD_FINANCING'
    order by n.id desc limit 1`
}

/** The id of that loan; null if the line has no card loan yet. */
export async function lastCardLoan(tx: Tx, credit_line_id: string): Promise<string | null> {
  return (await tx.maybe(lastCardLoanOf(credit_line_id)))?.id ?? null
}
