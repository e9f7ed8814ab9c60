/** Records an incoming transfer as a payment that is PAID from the start. */

import type { Insertable } from 'kysely'
import type { Transfer } from '../../integrations/ports/bank.ts'
import { repaymentAccount } from '../../platform/db/collection-accounts.ts'
import { initialStatus, recordCreation } from '../../platform/db/move.ts'
import type { DB } from '../../platform/db/schema.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { ibanAccount } from '../../platform/kit/payment-account.ts'
import { insertPayment, type PaymentName } from './store.ts'
import type { BankNewsRow, PaymentRow } from './types.ts'

/** What bank news does not say about a payment: its owner, its type and its debts. */
export interface ReceivedPayment
  extends Pick<
    Insertable<DB['payments']>,
    'partner_id' | 'borrower_id' | 'loan_id' | 'bill_id' | 'installment_id' | 'terms_id'
  > {
  readonly payment_type: 'REPAYMENT_NOMINAL' | 'REPAYMENT_FEES' | 'REPAYMENT_FULL' | 'SUBSCRIPTION'
}

/** The payment's targets, in the order in which it pays them. Stored only if there are several. */
type Names = readonly PaymentName[]

/** Inserts the payment, with the amount and value date of the news, and returns it. */
export async function receivePayment(
  tx: Tx,
  { amount, value_on, bank_reference, bank_account_id, booked_on }: BankNewsRow,
  { from_iban, from_name, to_iban, reference }: Transfer,
  received: ReceivedPayment,
  names: Names = [],
): Promise<PaymentRow> {
  const initial = initialStatus('payment', ['receive'])
  const id = tx.newId()
  const row = {
    id,
    ...received,
    status: initial.status,
    from_account: from_iban ? ibanAccount(from_iban, null, from_name ?? undefined) : null,
    to_account: repaymentAccount(tx.settings, to_iban),
    from_references: reference ? [reference] : [],
    payment_method: 'SCT',
    direction: 'IN',
    amount,
    currency: 'EUR',
    bank_reference,
    bank_account_id,
    bank_booked_on: booked_on,
    scheduled_on: value_on,
    paid_on: value_on,
    paid_at: tx.now,
    created_at: tx.now,
    updated_at: tx.now,
  }
  const payment = await insertPayment(tx, row, names.length > 1 ? names : [])
  recordCreation(tx, [{ id, partner_id: received.partner_id, initial }])
  return payment
}
