/** The partner has sent a bill to its payer itself. */
import type { Call } from '../../../context.ts'
import { clearAlert } from '../../../platform/alerts/index.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { enqueue } from '../../../platform/jobs/index.ts'
import { parisDay, readWireMoment } from '../../../platform/kit/dates.ts'
import { type InvalidParam, invalid, problem } from '../../../platform/kit/problem.ts'
import { type BillRow, findBill, lockBills, setSent } from '../store.ts'
import { putOffDueDays } from './due-day.ts'
import { makeDue } from './send-bills.ts'

/** A client's clock may be a little ahead of ours. */
const SKEW_MS = 300_000

/**
 * Notes when and where to a bill was sent; one that waits VALIDATED for it is TO_PAY from now on.
 * Throws `state_conflict` for a bill that cannot have been sent: GENERATED or INVALID.
 */
export async function noteBillSent(tx: Tx, call: Call<'noteBillSent'>): Promise<null> {
  const { params, body, caller } = call
  const found = await findBill(tx, caller.partner_id, params.bill_id)
  if (!found) throw problem('resource_unknown', 'There is no such bill.')
  const sent_at = readWireMoment(body.sent_on)!
  const faults = sentFaults(tx, body.sent_on, found)
  if (faults.length > 0) throw invalid(faults)
  const [bill] = await lockBills(tx, [found.id])
  const { status } = bill!
  if (status === 'GENERATED' || status === 'INVALID') {
    throw problem('state_conflict', `bill is ${status}: it cannot have been sent`)
  }
  await setSent(tx, bill!.id, sent_at, body.to_email_addresses)
  await clearAlert(tx, 'bill_unsent', bill!.id)
  if (status !== 'VALIDATED') return null
  const [due] = await putOffDueDays(tx, [bill!])
  await makeDue(tx, caller.caller_id, [due!])
  // Its paper says the day it had.
  if (due!.due_on !== bill!.due_on) enqueue(tx, 'redraw_bill', { bill_id: due!.id })
  return null
}

/** What is wrong with the moment at which a bill is said to have been sent. */
export function sentFaults(
  tx: Tx,
  sent_on: string | undefined,
  bill: BillRow | undefined,
): InvalidParam[] {
  const sent_at = sent_on ? readWireMoment(sent_on) : null
  if (!sent_at) return []
  const fault = (reason: string) => [{ name: 'sent_on', reason }]
  if (sent_at.getTime() > tx.now.getTime() + SKEW_MS) return fault('is in the future')
  const early = bill && parisDay(sent_at) < parisDay(bill.ran_at)
  return early ? fault('is before the bill was written') : []
}
