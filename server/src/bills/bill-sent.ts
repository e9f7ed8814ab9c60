/** The partner has sent a bill to its payer itself. */
import type { Call } from '../context.ts'
import type { Tx } from '../db/transaction.ts'
import { readWireDay, startOfDay } from '../kit/dates.ts'
import { invalid, problem } from '../kit/problem.ts'
import { makeDue } from './send-bills.ts'
import { findBill, lockBills, setSent } from './store.ts'

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
  const sent_at = readMoment(body.sent_on)
  if (sent_at.getTime() > tx.now.getTime() + SKEW_MS) {
    throw invalid({ name: 'sent_on', reason: 'is in the future' })
  }
  const [bill] = await lockBills(tx, [found.id])
  const { status } = bill!
  if (status === 'GENERATED' || status === 'INVALID') {
    throw problem('state_conflict', `bill is ${status}: it cannot have been sent`)
  }
  await setSent(tx, bill!.id, sent_at, body.to_email_addresses)
  if (status === 'VALIDATED') await makeDue(tx, caller.caller_id, bill!)
  return null
}

/** A plain date is its beginning in Paris, a date-time that moment. */
function readMoment(text: string): Date {
  if (/^\d{4}-\d{2}-\d{2}$/.test(text)) return startOfDay(readWireDay(text)!)
  return new Date(/(Z|[+-]\d{2}:?\d{2})$/i.test(text) ? text : `${text}Z`)
}
