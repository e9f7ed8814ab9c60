/**
 * Sets credit notes off, instead of refunding them, when the payment that funded them is reversed.
 */
import { sql } from 'kysely'
import { lockPayments, type PaymentRow } from '../../../money/payments/index.ts'
import { keysBy, type RowKey } from '../../../platform/db/of-partner.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { lockBillsOfPayers, readBills } from '../store.ts'
import { readCreditSources } from './read-credit-sources.ts'
import { reopenedBills, undebitedBills } from './set-off-credits.ts'
import { setOffNote } from './set-off-reopened.ts'

/**
 * Locks the credit note refunds, planned or sent, that return money of a payment, except those that
 * failed or were canceled or returned. The caller has locked the money of the payment's loans.
 */
export async function lockCreditRefunds(
  tx: Tx,
  { partner_id, id: payment_id }: RowKey,
): Promise<PaymentRow[]> {
  const payers = await tx.all(sql<RowKey>`
    select distinct b.partner_id, b.payer_id as id from loan_movements m
    join loan_movements c on c.partner_id = m.partner_id and c.loan_id = m.loan_id
      and c.kind = 'CREDIT' and c.voided_at is null
    join bills b on b.partner_id = c.partner_id and b.id = c.credit_bill_id
    where m.partner_id = ${partner_id} and m.payment_id = ${payment_id}
      and m.voided_at is null
    order by 2`)
  const refunds: RowKey[] = []
  for (const payer of payers) {
    const { refunded } = await readCreditSources(tx, payer)
    for (const [id, parts] of refunded) {
      if (parts.some(part => part.payment_id === payment_id)) refunds.push({ partner_id, id })
    }
  }
  return lockPayments(tx, refunds)
}

/**
 * Runs `undo`, which reverses a payment, and sets off the credit notes of the `planned` refunds of
 * its money against the bills that `undo` reopens. Both happen in one transaction, because new
 * debits of those bills would otherwise collect too much. Skips bills with a debit under way.
 */
export async function undoRefundedPayment(
  tx: Tx,
  planned: readonly PaymentRow[],
  undo: () => Promise<void>,
): Promise<void> {
  if (planned.length === 0) return undo()
  const notes = await readBills(tx, keysBy(planned, 'bill_id'))
  const payers = keysBy(notes, 'payer_id')
  await lockBillsOfPayers(tx, payers)
  const before = await undebitedBills(tx, payers)
  await undo()
  const reopened = await reopenedBills(tx, before)
  // The set-off is recorded as the service's, whoever reversed the payment.
  for (const note of notes)
    await setOffNote(tx.as('service'), note, reopened.get(note.payer_id) ?? [])
}
