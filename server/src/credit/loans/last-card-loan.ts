/**
 * Finds the newest card loan of a credit line. Card refunds that belong to no other loan are
 * applied to it.
 */
import { type RawBuilder, sql } from 'kysely'
import type { Tx } from '../../platform/db/transaction.ts'

/** A credit line by its key, or by the columns of a query. */
export interface LineOf {
  readonly partner_id: string | RawBuilder<unknown>
  readonly credit_line_id: string | RawBuilder<unknown>
}

export const LINE: LineOf = { partner_id: sql`l.partner_id`, credit_line_id: sql`l.id` }

export function lastCardLoanOf({ partner_id, credit_line_id }: LineOf) {
  return sql<{ id: string }>`
    select n.id from loans n
    where n.partner_id = ${partner_id} and n.borrower_id = (select borrower_id from credit_lines
        where partner_id = ${partner_id} and id = ${credit_line_id})
      and n.credit_line_id = ${credit_line_id} and n.loan_type = 'CREDIT_CARD_FINANCING'
    order by n.id desc limit 1`
}

export async function lastCardLoan(tx: Tx, line: LineOf): Promise<string | null> {
  return (await tx.maybe(lastCardLoanOf(line)))?.id ?? null
}
