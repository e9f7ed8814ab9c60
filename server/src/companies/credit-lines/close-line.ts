/** Closes the line of a deactivated borrower, so that nothing more can be drawn. */
import type { Tx } from '../../platform/db/transaction.ts'
import { recordEvent } from '../../platform/events/index.ts'
import { setClosed } from './store.ts'

/** Closes the borrower's line; does nothing if none is open. The caller has locked the line. */
export async function closeLine(tx: Tx, partner_id: string, borrower_id: string): Promise<void> {
  const id = await setClosed(tx, partner_id, borrower_id)
  if (id) recordEvent(tx, 'credit_line', { partner_id, id }, 'CreditLine.POOL_AMOUNT_UPDATED')
}
