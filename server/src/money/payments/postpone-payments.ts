/** Moves payments whose date can no longer be kept to the first date that can. */
import type { Tx } from '../../platform/db/transaction.ts'
import { type Day, max } from '../../platform/kit/dates.ts'
import { firstDayOf } from './dates.ts'
import { setDays } from './store.ts'
import type { PaymentRow } from './types.ts'

/**
 * Returns the payments with the dates they have if sent on `handed_over_on`: a direct debit keeps
 * its notice period, and no other payment is dated before that day. Stores changed dates.
 */
export async function postponePayments(
  tx: Tx,
  payments: readonly PaymentRow[],
  handed_over_on: Day = tx.today,
): Promise<PaymentRow[]> {
  const kept = payments.map(payment => {
    const first = firstDayOf(payment, handed_over_on)
    return { ...payment, scheduled_on: max(payment.scheduled_on, first) }
  })
  await setDays(
    tx,
    kept.filter((payment, index) => payment.scheduled_on !== payments[index]!.scheduled_on),
  )
  return kept
}
