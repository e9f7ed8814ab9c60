/** Payments whose day can no longer be kept move to the first one that can. */
import type { Tx } from '../../platform/db/transaction.ts'
import { type Day, max } from '../../platform/kit/dates.ts'
import { firstDayOf } from './dates.ts'
import { setDays } from './store.ts'
import type { PaymentRow } from './types.ts'

/**
 * Payments that are handed to the bank on a day (by default today), with the days that they have
 * then: a debit is never announced for a day that leaves less than its notice, nothing else for
 * one that is past. Source: domain.md, SDD.
 */
export async function keepDays(
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
