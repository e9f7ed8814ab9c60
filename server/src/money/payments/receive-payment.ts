/** Money that came by a transfer: a payment of its own, PAID from its birth. */
import type { Insertable } from 'kysely'
import type { Transfer } from '../../outside/ports/bank.ts'
import { type Actor, birth, recordBirths } from '../../platform/db/move.ts'
import type { DB } from '../../platform/db/schema.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { collectionAccount, ibanAccount } from '../../platform/kit/payment-account.ts'
import { insertNames, insertPayment, type PaymentName } from './store.ts'
import type { BankNewsRow, PaymentRow } from './types.ts'

/** What the bank's news do not say themselves: whose it is, and what it pays. */
export interface Received
  extends Pick<
    Insertable<DB['payments']>,
    'partner_id' | 'borrower_id' | 'loan_id' | 'bill_id' | 'installment_id' | 'terms_id'
  > {
  readonly payment_type: 'REPAYMENT_NOMINAL' | 'REPAYMENT_FEES' | 'REPAYMENT_FULL' | 'SUBSCRIPTION'
}

/** What it pays where that is more than one thing, in the order in which it does. */
type Names = readonly PaymentName[]

/** Writes it down and answers it, locked. The amount and the value date are the bank's. */
export async function receivePayment(
  tx: Tx,
  actor: Actor,
  { amount, value_on, bank_reference }: BankNewsRow,
  { from_iban, from_name, to_iban, reference }: Transfer,
  received: Received,
  names: Names = [],
): Promise<PaymentRow> {
  const born = birth('payment', ['receive'])
  const id = tx.newId()
  const payment = await insertPayment(tx, {
    id,
    ...received,
    status: born.status,
    from_account: from_iban ? ibanAccount(from_iban, null, from_name ?? undefined) : null,
    to_account: { ...collectionAccount(tx.settings.lender), account_number: to_iban },
    from_references: reference ? [reference] : [],
    payment_method: 'SCT',
    direction: 'IN',
    amount,
    currency: 'EUR',
    bank_reference,
    scheduled_on: value_on,
    paid_on: value_on,
    paid_at: tx.now,
    created_at: tx.now,
    updated_at: tx.now,
  })
  recordBirths(tx, actor, [{ id, partner_id: received.partner_id, birth: born }])
  if (names.length > 1) await insertNames(tx, { id, partner_id: received.partner_id }, names)
  return payment
}
