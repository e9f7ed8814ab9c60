/** When a bill falls due as it is sent: nobody pays before it has come. */
import { sql } from 'kysely'
import type { Tx } from '../../db/transaction.ts'
import { addTargetDays } from '../../kit/calendar.ts'
import { type Day, max } from '../../kit/dates.ts'
import { repaymentDay } from '../../loans/index.ts'
import { setDays } from '../../payments/index.ts'
import { type BillRow, setDueOn } from '../store.ts'

/** From the first banking day, when bills are sent, to the third, when they are due. */
const DUE_TARGET_DAYS = 2

/**
 * The day a bill is due when it is first sent today: two banking days ahead at the earliest. One
 * that amends another bill keeps its day (domain.md, Corrections of bills).
 */
export function dueWhenSent(tx: Tx, bill: BillRow): Day {
  if (bill.amends_bill_id) return bill.due_on
  return max(bill.due_on, addTargetDays(tx.today, DUE_TARGET_DAYS))
}

/** Puts a locked bill, with what is planned of it, off to that day; answers it as it then is. */
export async function putOffDueDay(tx: Tx, bill: BillRow): Promise<BillRow> {
  const due_on = dueWhenSent(tx, bill)
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
