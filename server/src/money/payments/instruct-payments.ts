/** Instructs planned payments: commits them as INSTRUCTED, then calls the bank in jobs. */
import { publishFact } from '../../facts.ts'
import { move } from '../../platform/db/move.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { areStopped, enqueueOrder } from './held-payments.ts'
import { postponePayments } from './postpone-payments.ts'
import type { PaymentRow } from './types.ts'

/**
 * Moves locked SCHEDULED payments to INSTRUCTED, with a date that can still be kept; the bank is
 * called after the commit. While collections are stopped, debits stay SCHEDULED and are sent later,
 * with other due payments.
 */
export async function instructPayments(tx: Tx, planned: readonly PaymentRow[]): Promise<void> {
  const payments = await postponePayments(tx, await notStopped(tx, planned))
  await move(tx, 'payment', payments, 'instruct')
  await publishInstructed(tx, payments)
  for (const payment of payments) enqueueOrder(tx, payment)
}

/**
 * Publishes the direct debits among the payments, with their current dates, for the
 * pre-notification.
 */
export async function publishInstructed(tx: Tx, payments: readonly PaymentRow[]): Promise<void> {
  const debits = payments.filter(payment => payment.payment_method === 'DIRECT_DEBIT')
  if (debits.length > 0) await publishFact(tx, 'debits_instructed', { payments: debits })
}

async function notStopped(tx: Tx, planned: readonly PaymentRow[]): Promise<readonly PaymentRow[]> {
  const isDebit = ({ direction }: PaymentRow) => direction === 'IN'
  if (!planned.some(isDebit) || !(await areStopped(tx, 'collections'))) return planned
  return planned.filter(payment => !isDebit(payment))
}
