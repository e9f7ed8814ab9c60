/** Reverses a settled payment with a second payment that refers to the first. */
import { publishFact } from '../../../facts.ts'
import { initialStatus, recordCreation } from '../../../platform/db/move.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import type { Day } from '../../../platform/kit/dates.ts'
import type { BankCash } from '../../../platform/ledger/index.ts'
import { insertReturn } from '../store.ts'
import type { PaymentRow } from '../types.ts'

interface TakeBack {
  readonly value_on: Day
  /** Stored with the reversing payment. */
  readonly reason: string | null
  readonly bank_reference: string | null
  /** The account that the return moved. */
  readonly cash: BankCash
  /** The reason passed to the modules that reverse the payment's effects. */
  readonly fact_reason: string
}

/**
 * Inserts the reversing payment, and publishes the fact on which modules reverse their bookings of
 * the first one. The first payment must be locked, PAID and not yet reversed.
 */
export async function takeBackPayment(
  tx: Tx,
  payment: PaymentRow,
  { value_on, reason, bank_reference, cash, fact_reason }: TakeBack,
): Promise<void> {
  const initial = initialStatus('payment', ['receive'])
  const id = tx.newId()
  const incoming = payment.direction === 'IN'
  const returned_at = tx.now
  await insertReturn(tx, payment, {
    ...payment,
    id,
    payment_type: incoming ? 'CHARGEBACK' : 'RETURNED',
    direction: incoming ? 'OUT' : 'IN',
    status: initial.status,
    from_account: payment.to_account,
    to_account: payment.from_account,
    charged_back_payment_id: payment.id,
    returned_at: null,
    refunded_payment_id: null,
    recalled_payment_id: null,
    submitted_at: null,
    sent_again_at: null,
    reason: null,
    scheduled_on: value_on,
    paid_on: value_on,
    paid_at: tx.now,
    failure_reason: reason,
    bank_reference,
    bank_account_id: cash.owner_id,
    bank_booked_on: cash.bank_booked_on,
    created_at: tx.now,
    updated_at: tx.now,
  })
  recordCreation(tx, [{ id, partner_id: payment.partner_id, initial }])
  await publishFact(tx, 'payment_returned', {
    payment: { ...payment, returned_at },
    back_id: id,
    value_on,
    reason: fact_reason,
    cash,
  })
}
