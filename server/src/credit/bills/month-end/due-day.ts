/** Postpones due dates when bills are issued and when they are sent, to leave time to pay. */
import { sql } from 'kysely'
import { setDays } from '../../../money/payments/index.ts'
import { haveKeys, type RowKey } from '../../../platform/db/of-partner.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { addTargetDays } from '../../../platform/kit/calendar.ts'
import { type Day, max } from '../../../platform/kit/dates.ts'
import { repaymentDay } from '../../loans/index.ts'
import { partnersThatSend } from '../parties.ts'
import { type BillRow, setDueOn } from '../store.ts'

/** Bills are sent on the month's first banking day and due two banking days later, on the third. */
const DUE_TARGET_DAYS = 2

/** `issued` by the service, which may leave the sending to the partner, or `sent` to the payer. */
export type Occasion = 'issued' | 'sent'

/**
 * The due dates of bills that are issued or sent today, by id: at least two banking days ahead. A
 * replacement keeps its due date if its payer received one of the bills it replaces or, on issue,
 * if its partner will send it.
 */
export async function dueFromToday(
  tx: Tx,
  bills: readonly BillRow[],
  occasion: Occasion,
): Promise<ReadonlyMap<string, Day>> {
  const fixed = await fixedReplacements(tx, bills, occasion)
  const earliest = addTargetDays(tx.today, DUE_TARGET_DAYS)
  return new Map(
    bills.map(({ id, due_on }) => [id, fixed.has(id) ? due_on : max(due_on, earliest)]),
  )
}

/**
 * Direct or indirect replacements of bills that were sent, not all of whose mails were refused; on
 * issue also those that partners will send.
 */
async function fixedReplacements(
  tx: Tx,
  bills: readonly BillRow[],
  occasion: Occasion,
): Promise<ReadonlySet<string>> {
  const replacements = bills.filter(bill => bill.amends_bill_id)
  if (replacements.length === 0) return new Set()
  const senders =
    occasion === 'issued'
      ? await partnersThatSend(
          tx,
          replacements.map(bill => bill.partner_id),
        )
      : new Set()
  const rows = await tx.all(sql<RowKey>`
    with recursive earlier (partner_id, id, replaced_id) as (
      select partner_id, id, amends_bill_id from bills b where ${haveKeys(replacements, 'b')}
      union all
      select e.partner_id, e.id, b.amends_bill_id from earlier e
      join bills b on b.partner_id = e.partner_id and b.id = e.replaced_id
      where b.amends_bill_id is not null)
    select distinct partner_id, id from earlier e
    where not exists (select from state_changes c
      where c.partner_id = e.partner_id and c.resource_id = e.replaced_id
        and c.from_status = 'VALIDATED' and c.to_status = 'INVALID')
      and (not exists (select from mails m
          where m.partner_id = e.partner_id and m.bill_id = e.replaced_id)
        or exists (select from mails m
          where m.partner_id = e.partner_id and m.bill_id = e.replaced_id
            and m.refused_at is null))`)
  const unsent = replacements.filter(bill => senders.has(bill.partner_id))
  return new Set([...rows, ...unsent].map(({ id }) => id))
}

/**
 * Moves locked bills and their planned payments to their new due dates; returns the updated bills.
 */
export async function postponeDueDates(
  tx: Tx,
  bills: readonly BillRow[],
  occasion: Occasion,
): Promise<BillRow[]> {
  const dayOf = await dueFromToday(tx, bills, occasion)
  const due = bills.map(bill => ({ ...bill, due_on: dayOf.get(bill.id)! }))
  const postponed = due.filter((bill, index) => bill.due_on !== bills[index]!.due_on)
  if (postponed.length === 0) return due
  await setDueOn(tx, postponed)
  const planned = await tx.all(sql<RowKey & { payment_method: string; bill_id: string }>`
    select partner_id, id, payment_method, bill_id from payments
    where ${haveKeys(postponed, 'payments', 'bill_id')} and status = 'SCHEDULED'
      and direction = 'IN' order by id for no key update`)
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
