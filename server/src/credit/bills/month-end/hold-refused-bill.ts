/** Holds a bill that did not reach its payer because every mail with it was refused. */
import type { FactOf } from '../../../facts.ts'
import { areAllRefused } from '../../../integrations/mails/index.ts'
import { lockCollections } from '../../../money/payments/index.ts'
import { raiseAlert } from '../../../platform/alerts/index.ts'
import { move } from '../../../platform/db/move.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { enqueue } from '../../../platform/jobs/index.ts'
import { payersOf } from '../parties.ts'
import { type BillRow, lockBills, setRecipients } from '../store.ts'

/**
 * Moves the bill from TO_PAY back to VALIDATED, as if it had no recipient: it is neither debited
 * nor dunned until an operator has informed the payer and released it. A debit at the bank is
 * recalled; if that is too late, it pays the bill. A bill that a plan collects, or that its partner
 * reports having sent, stays TO_PAY.
 */
export async function holdRefusedBill(
  tx: Tx,
  { partner_id, bill_id, reason }: FactOf<'mail_refused'>,
): Promise<void> {
  if (!bill_id) return
  const key = { partner_id, id: bill_id }
  // The lock comes first: of two last mails refused at once, the later sees the other's outcome.
  const [bill] = (await lockBills(tx, [key])) as [BillRow]
  if (bill.status !== 'TO_PAY' || bill.email_sent_at || bill.installment_plan_id) return
  if (!(await areAllRefused(tx, 'bill_id', key))) return
  await move(tx, 'bill', [bill], 'hold', 'every mail with it was refused')
  await setRecipients(tx, [{ ...key, sent_to: [] }])
  for (const { id: payment_id, status } of await lockCollections(tx, 'bill_id', [key])) {
    const isAtBank = status === 'INSTRUCTED' || status === 'IN_TRANSIT'
    if (isAtBank) enqueue(tx, 'recall_payment', { payment_id })
  }
  const { party } = (await payersOf(tx, [bill])).get(bill.payer_id)!
  const what = `Bill ${bill.invoice_number} of ${party.name} was not sent`
  const next = 'Inform the payer, then release the bill'
  await raiseAlert(tx, 'bill_unsent', bill_id, `${what}: its mail was refused (${reason}). ${next}`)
}
