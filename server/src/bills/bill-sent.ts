/** The partner has sent a bill to its payer itself. */
import { sql } from 'kysely'
import type { Call } from '../context.ts'
import type { Tx } from '../db/transaction.ts'
import { addTargetDays } from '../kit/calendar.ts'
import { max, parisDay, readWireMoment } from '../kit/dates.ts'
import { type InvalidParam, invalid, problem } from '../kit/problem.ts'
import { repaymentDay } from '../loans/index.ts'
import { setDays } from '../payments/index.ts'
import { makeDue } from './send-bills.ts'
import { type BillRow, findBill, lockBills, setDueOn, setSent } from './store.ts'

/** A client's clock may be a little ahead of ours. */
const SKEW_MS = 300_000
/** From the first banking day, when bills are sent, to the third, when they are due. */
const DUE_TARGET_DAYS = 2

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
  if (faults.length > 0) throw invalid(...faults)
  const [bill] = await lockBills(tx, [found.id])
  const { status } = bill!
  if (status === 'GENERATED' || status === 'INVALID') {
    throw problem('state_conflict', `bill is ${status}: it cannot have been sent`)
  }
  await setSent(tx, bill!.id, sent_at, body.to_email_addresses)
  if (status === 'VALIDATED') await makeDue(tx, caller.caller_id, await dueAfterSending(tx, bill!))
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

/** Nobody pays before a bill has come: one that was sent late is due two banking days after. */
async function dueAfterSending(tx: Tx, bill: BillRow): Promise<BillRow> {
  const due_on = max(bill.due_on, addTargetDays(tx.today, DUE_TARGET_DAYS))
  if (due_on === bill.due_on) return bill
  await setDueOn(tx, bill.id, due_on)
  const planned = await tx.all(sql<{ id: string; payment_method: string }>`
    select id, payment_method from payments
    where bill_id = ${bill.id} and status = 'SCHEDULED' and direction = 'IN' order by id`)
  const dayOf = (method: string) => repaymentDay(method, due_on, tx.today)
  await setDays(
    tx,
    planned.map(({ id, payment_method }) => ({ id, scheduled_on: dayOf(payment_method) })),
  )
  return { ...bill, due_on }
}
