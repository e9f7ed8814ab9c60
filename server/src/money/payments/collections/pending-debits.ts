/** Pending debits of loans, and which of them are frozen. */
import { sql } from 'kysely'
import { haveKeys, type RowKey } from '../../../platform/db/of-partner.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import type { Day } from '../../../platform/kit/dates.ts'
import type { PaymentRow } from '../types.ts'

/** Locks and returns the pending debits of loans, from mandates and wallets. */
export async function pendingDebits(tx: Tx, loans: readonly RowKey[]): Promise<PaymentRow[]> {
  return tx.all(sql<PaymentRow>`
    select * from payments where ${haveKeys(loans, 'payments', 'loan_id')}
      and payment_method <> 'SCT' and direction = 'IN'
      and status in ('SCHEDULED', 'INSTRUCTED', 'IN_TRANSIT')
    order by id for no key update`)
}

/**
 * Splits pending debits into frozen ones, which keep their date and account, and free ones.
 * Instructed debits are frozen, and so are direct debits due by `frozen_until`.
 */
export function splitFrozen(
  debits: readonly PaymentRow[],
  frozen_until: Day,
): { frozen: PaymentRow[]; free: PaymentRow[] } {
  const isFree = ({ status, payment_method, scheduled_on }: PaymentRow) =>
    status === 'SCHEDULED' && (payment_method === 'P2P' || scheduled_on > frozen_until)
  return { frozen: debits.filter(d => !isFree(d)), free: debits.filter(isFree) }
}
