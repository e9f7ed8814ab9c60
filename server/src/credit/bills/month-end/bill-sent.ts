/** Records a partner's report that it sent a bill to the payer. */
import type { Body } from '@headroom/contract'
import type { Validation } from '../../../context.ts'
import { clearAlert } from '../../../platform/alerts/index.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { enqueue } from '../../../platform/jobs/index.ts'
import { isInFuture, parisDay, readWireMoment } from '../../../platform/kit/dates.ts'
import { problem } from '../../../platform/kit/problem.ts'
import { type BillRow, lockBills, setSent } from '../store.ts'
import { postponeDueDates } from './due-day.ts'
import { makeDue } from './send-bills.ts'

/**
 * Records when the bill was sent, and to which addresses; a VALIDATED bill becomes TO_PAY. Throws
 * `state_conflict` for a GENERATED or INVALID bill, which cannot have been sent.
 */
export async function noteBillSent(
  tx: Tx,
  known: BillRow,
  { sent_on, to_email_addresses }: Body<'noteBillSent'>,
): Promise<void> {
  const [bill] = await lockBills(tx, [known])
  const { partner_id, id, status } = bill!
  if (status === 'GENERATED' || status === 'INVALID') {
    throw problem('state_conflict', `bill is ${status}: it cannot have been sent`)
  }
  await setSent(tx, bill!, readWireMoment(sent_on)!, to_email_addresses)
  await clearAlert(tx, 'bill_unsent', id)
  if (status !== 'VALIDATED') return
  // A partner's own bill keeps its due date, whenever the partner reports having sent it to itself.
  const [due] = bill!.borrower_id ? await postponeDueDates(tx, [bill!], 'sent') : [bill!]
  await makeDue(tx, [due!])
  // The bill's PDF shows the old due date.
  if (due!.due_on !== bill!.due_on) enqueue(tx, 'redraw_bill', { partner_id, bill_id: id })
}

/** Rejects a sending time that is in the future, or on a day before the bill was generated. */
export function checkSent(
  tx: Tx,
  sent_on: string | undefined,
  bill: BillRow | undefined,
): Validation<BillRow | undefined> {
  const sent_at = sent_on ? readWireMoment(sent_on) : null
  const wrong = (reason: string) => ({ faults: [{ name: 'sent_on', reason }] })
  if (sent_at && isInFuture(sent_at, tx.now)) return wrong('is in the future')
  const is_early = sent_at && bill && parisDay(sent_at) < parisDay(bill.ran_at)
  return is_early ? wrong('is before the bill was written') : { faults: [], meaning: bill }
}
