/** Closes the line of a borrower that is deactivated: nothing is drawn on it any more. */
import { sql } from 'kysely'
import type { Tx } from '../db/transaction.ts'
import { note } from '../events/index.ts'

/** The line is locked by the caller; a borrower without one has nothing to close. */
export async function closeLine(tx: Tx, partner_id: string, borrower_id: string): Promise<void> {
  const line = await tx.maybe(sql<{ id: string }>`
    update credit_lines set closed_at = ${tx.now}
    where borrower_id = ${borrower_id} and partner_id = ${partner_id} and closed_at is null
    returning id`)
  if (line) note(tx, 'credit_line', line.id, 'CreditLine.POOL_AMOUNT_UPDATED')
}
