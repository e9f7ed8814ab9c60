/** Closes the line of a borrower that is deactivated: nothing is drawn on it any more. */
import type { Tx } from '../../platform/db/transaction.ts'
import { note } from '../../platform/events/index.ts'
import { setClosed } from './store.ts'

/** The line is locked by the caller; a borrower without one has nothing to close. */
export async function closeLine(tx: Tx, partner_id: string, borrower_id: string): Promise<void> {
  const id = await setClosed(tx, partner_id, borrower_id)
  if (id) note(tx, 'credit_line', id, 'CreditLine.POOL_AMOUNT_UPDATED')
}
