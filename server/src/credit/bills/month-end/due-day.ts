/** Sets a bill's due date when it is sent, so that no bill is due before it arrives. */
import { sql } from 'kysely'
import { setDays } from '../../../money/payments/index.ts'
import { haveKeys, type RowKey } from '../../../platform/db/of-partner.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { addTargetDays } from '../../../platform/kit/calendar.ts'
import { type Day, max } from '../../../platform/kit/dates.ts'
import { repaymentDay } from '../../loans/index.ts'
import { type BillRow, setDueOn } from '../store.ts'

/** Bills are sent on the month's first banking day and due two banking days later, on the third. */
const DUE_TARGET_DAYS = 2

/**
 * The due date of a bill that is first sent today: at least two banking days ahead. A bill that
 * replaces a sent one keeps its due date.
 */
export function dueWhenSent(tx: Tx, bill: BillRow): Day {
  if (bill.amends_bill_id) return bill.due_on
  return max(bill.due_on, addTargetDays(tx.today, DUE_TARGET_DAYS))
}

/**
 * Moves locked bills and their planned payments to their new due dates; returns the updated bills.
 */
export async function postponeDueDates(tx: Tx, bills: readonly BillRow[]): Promise<BillRow[]> {
  const due = bills.map(bill => ({ ...bill, due_on: dueWhenSent(tx, bill) }))
  const postponed = due.filter((bill, index) => bill.due_on !== bills[index]!.due_on)
  if (postponed.length === 0) return due
  await setDueOn(tx, postponed)
  const planned = await tx.all(sql<RowKey & { payment_method: string; bill_id: string }>`
    select partner_id, id, payment_method, bill_id from payments
    where ${haveKeys(postponed, 'payments', 'bill_id')} and status = 'SCHEDULED'
      and direction = 'IN' order by id for no key update`)
  const dayOf = new Map(postponed.map(bill => [bill.id, bill.due_on]))
  await setDays(
    tx,
    planned.map(({ partner_id, id, payment_method, bill_id }) => ({
      partner_id,
      id,
      scheduled_on: repaymentDay(payment_method, dayOf.get(bill_id)!, tx.today),
    })),
  )
  return due
}
