/** What credit notes pay back of a payment, and what becomes of that once the payment is undone. */
import { sql } from 'kysely'
import type { Tx } from '../../db/transaction.ts'
import { lockPayments, type PaymentRow } from '../../payments/index.ts'
import { readBills } from '../store.ts'
import { readCreditSources } from './read-credit-sources.ts'
import { setOffNote } from './set-off-reopened.ts'

/**
 * Locks the refunds of credit notes that pay back money of a payment, planned or sent, but none
 * that failed or came back. The money of the payment's loans is locked.
 */
export async function lockCreditRefunds(tx: Tx, payment_id: string): Promise<PaymentRow[]> {
  const payers = await tx.all(sql<{ id: string }>`
    select distinct b.payer_id as id from loan_movements m
    join loan_movements c on c.loan_id = m.loan_id and c.kind = 'CREDIT' and c.voided_at is null
    join bills b on b.id = c.credit_bill_id
    where m.payment_id = ${payment_id} and m.voided_at is null order by 1`)
  const ids: string[] = []
  for (const payer of payers) {
    const { refunded } = await readCreditSources(tx, payer.id)
    for (const [id, parts] of refunded) {
      if (parts.some(part => part.payment_id === payment_id)) ids.push(id)
    }
  }
  return lockPayments(tx, ids)
}

/**
 * A payment was undone while credit notes had planned to pay some of it back: they pay the bills
 * that are open again instead. At once: their new debits, which ask for too much, are recalled.
 */
export async function setOffUndone(
  tx: Tx,
  payment_id: string,
  planned: readonly PaymentRow[],
): Promise<void> {
  if (planned.length === 0) return
  const reopened = await tx.all(sql<{ id: string }>`
    select b.id from bills b
    where b.status in ('VALIDATED', 'SENT_TO_PAYER', 'TO_PAY') and b.amount > b.amount_paid
      and b.id in (select l.bill_id from loan_movements m
        join bill_lines l on l.loan_id = m.loan_id where m.payment_id = ${payment_id})
    order by b.due_on, b.id`)
  const notes = [...new Set(planned.map(refund => refund.bill_id!))].sort()
  for (const note of await readBills(tx, notes)) {
    await setOffNote(
      tx,
      note,
      reopened.map(bill => bill.id),
    )
  }
}
