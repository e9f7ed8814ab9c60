/** Sets off a payer's credits against its open bills, and refunds the rest. */
import { type RawBuilder, sql } from 'kysely'
import { frozenUntil, type PaymentRow, replaceRefund } from '../../../money/payments/index.ts'
import { clearAlert, updateAlert } from '../../../platform/alerts/index.ts'
import { haveKeys, keysBy, type RowKey } from '../../../platform/db/of-partner.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { euros, minAmount } from '../../../platform/kit/money.ts'
import { problem } from '../../../platform/kit/problem.ts'
import { setOffInterest } from '../../loans/index.ts'
import { IS_REFUND } from '../payment-of-bill.ts'
import { type BillRow, lockBillsOfPayers, readBills } from '../store.ts'
import { refundCredit } from './plan-refunds.ts'

interface Note extends RowKey {
  readonly payer_id: string
  /** Cents credited that are neither set off nor refunded yet. */
  left: bigint
}

/**
 * Applies the payers' credits before bills are issued, one bill per payer. A bill's credit pays its
 * own lines first, then the payer's other open bills, oldest first; the rest is refunded. Earlier
 * credits that could not be refunded pay open bills as well. Skips other bills that have a debit
 * frozen or at the bank.
 */
export async function setOffCredits(tx: Tx, bills: readonly BillRow[]): Promise<void> {
  // Locks before reading, so that two bills of one payer cannot use the same credit.
  await lockBillsOfPayers(tx, keysBy(bills, 'payer_id'))
  const notes = Map.groupBy(await notesOf(tx, bills), note => note.payer_id)
  for (const bill of bills) {
    const own = notes.get(bill.payer_id)
    if (own) await setOffOwn(tx, bill, own)
  }
}

async function setOffOwn(tx: Tx, bill: BillRow, notes: readonly Note[]): Promise<void> {
  const own = notes.find(note => note.id === bill.id)
  if (own) await payBills(tx, own, [bill.id])
  const open = await openBills(tx, { partner_id: bill.partner_id, id: bill.payer_id }, bill.id)
  for (const note of notes) {
    const { left } = note
    await payBills(tx, note, open)
    if (note !== own && note.left !== left) await updateCreditAlert(tx, note)
  }
  if (own && own.left > 0n) await refundCredit(tx, bill)
}

/** Unused credits of the payers of locked bills that are about to be issued. */
function notesOf(tx: Tx, bills: readonly BillRow[]): Promise<Note[]> {
  return notesOfPayers(
    tx,
    keysBy(bills, 'payer_id'),
    bills.map(bill => bill.id),
  )
}

/** Unused credits of payers, from issued bills and those in `about_to_be`; oldest first. */
export async function notesOfPayers(
  tx: Tx,
  payers: readonly RowKey[],
  about_to_be: readonly string[] = [],
): Promise<Note[]> {
  return readNotes(
    tx,
    sql`${haveKeys(payers, 'b', 'payer_id')}
      and (b.status <> 'GENERATED' or b.id = any(${about_to_be}::uuid[]))`,
  )
}

/** The bills `b` with an unused credit, oldest first. */
async function readNotes(tx: Tx, which: RawBuilder<unknown>): Promise<Note[]> {
  const credits = await tx.all(sql<Note>`
    select b.partner_id, b.id, b.payer_id,
      (sum(case m.kind when 'CREDIT' then m.amount else -m.amount end)
      - (select coalesce(sum(p.amount), 0) from payments p
        where p.partner_id = b.partner_id and p.bill_id = b.id
        and ${IS_REFUND}))::bigint as left
    from bills b join loan_movements m on m.partner_id = b.partner_id and m.credit_bill_id = b.id
      and m.voided_at is null
    where ${which}
    group by b.partner_id, b.id order by b.period_from, b.id`)
  return credits.filter(note => note.left > 0n)
}

/** Unused cents of a bill's credit; planned refunds count as used. */
export async function remainingCredit(tx: Tx, bill: RowKey): Promise<bigint> {
  const [note] = await readNotes(tx, haveKeys([bill], 'b'))
  return note?.left ?? 0n
}

export async function updateCreditAlert(tx: Tx, { id, left }: Note): Promise<void> {
  if (left === 0n) await clearAlert(tx, 'refund_waiting', id)
  else await updateAlert(tx, 'refund_waiting', id, `${euros(left)} credited are left`)
}

/** Statuses of bills that are issued but not paid. */
const OPEN = sql`('VALIDATED', 'SENT_TO_PAYER', 'TO_PAY')`

/** Whether a bill `b` has a debit that is frozen or at the bank. */
function isDebited(tx: Tx): RawBuilder<unknown> {
  return sql`exists (select from payments p
    where p.partner_id = b.partner_id and p.bill_id = b.id and p.direction = 'IN'
    and (p.status in ('INSTRUCTED', 'IN_TRANSIT') or p.status = 'SCHEDULED'
      and p.mandate_id is not null and p.scheduled_on <= ${frozenUntil(tx.today)}::date))`
}

/**
 * A payer's unpaid bills that are issued and have no debit under way, and the bill `about_to_be`
 * issued; oldest first.
 */
export async function openBills(
  tx: Tx,
  payer: RowKey,
  about_to_be: string | null = null,
): Promise<string[]> {
  const rows = await tx.all(sql<{ id: string }>`
    select b.id from bills b
    where ${haveKeys([payer], 'b', 'payer_id')} and b.amount > b.amount_paid
      and (b.id = ${about_to_be} or b.status in ${OPEN} and not ${isDebited(tx)})
    order by b.due_on, b.id`)
  return rows.map(row => row.id)
}

type PaidBill = Pick<BillRow, 'partner_id' | 'id' | 'amount_paid'>

/** The payers' partly or fully paid bills without a debit under way, with the cents paid. */
export async function undebitedBills(tx: Tx, payers: readonly RowKey[]): Promise<PaidBill[]> {
  return tx.all(sql<PaidBill>`
    select b.partner_id, b.id, b.amount_paid from bills b
    where ${haveKeys(payers, 'b', 'payer_id')} and b.amount_paid > 0 and not ${isDebited(tx)}
      and (b.status in ${OPEN} or b.status = 'PAID')
    order by b.id`)
}

/** Open bills whose paid amount is now lower than in `before`; by payer, oldest first. */
export async function reopenedBills(
  tx: Tx,
  before: readonly PaidBill[],
): Promise<Map<string, string[]>> {
  const rows = await tx.all(sql<{ id: string; payer_id: string }>`
    select b.id, b.payer_id from bills b
    join unnest(${before.map(bill => bill.partner_id)}::uuid[],
      ${before.map(bill => bill.id)}::uuid[], ${before.map(bill => bill.amount_paid)}::bigint[])
      as n (partner_id, id, paid) on n.partner_id = b.partner_id and n.id = b.id
    where b.status in ${OPEN} and b.amount > b.amount_paid and b.amount_paid < n.paid
    order by b.due_on, b.id`)
  const ids = new Map<string, string[]>()
  for (const { id, payer_id } of rows) ids.set(payer_id, [...(ids.get(payer_id) ?? []), id])
  return ids
}

/**
 * Pays open lines of these bills from a credit note until the note is used up: bills in the given
 * order, loans by payout date.
 */
export async function payBills(tx: Tx, note: Note, bill_ids: readonly string[]): Promise<void> {
  if (note.left === 0n) return
  const lines = await tx.all(sql<{ bill_id: string; loan_id: string; open: bigint }>`
    select l.bill_id, l.loan_id, l.amount - l.paid as open from bill_lines l
    join loans o on o.partner_id = l.partner_id and o.id = l.loan_id
    where l.partner_id = ${note.partner_id} and l.bill_id = any(${bill_ids}::uuid[])
      and l.amount > l.paid
    order by array_position(${bill_ids}::uuid[], l.bill_id), o.paid_out_on, o.id`)
  for (const { bill_id, loan_id, open } of lines) {
    const amount = minAmount(open, note.left)
    if (amount === 0n) return
    await setOffInterest(tx, loan_id, note, { bill_id, amount })
    note.left -= amount
  }
}

/**
 * Plans a new refund of a credit after one has failed or been returned: the same amount, or less if
 * less is still unused. Throws `state_conflict` if the refund may still arrive or was already
 * replaced, or if the credit is used up.
 */
export async function payCreditAgain(
  tx: Tx,
  refund: PaymentRow & { bill_id: string },
): Promise<void> {
  const [bill] = await readBills(tx, [{ partner_id: refund.partner_id, id: refund.bill_id }])
  await lockBillsOfPayers(tx, keysBy([bill!], 'payer_id'))
  await replaceRefund(tx, refund)
  if ((await remainingCredit(tx, bill!)) === 0n) {
    throw problem(
      'state_conflict',
      'Nothing is left to refund: the credit has been used or refunded since.',
    )
  }
  const { account_number } = refund.to_account!
  await refundCredit(tx, bill!, new Map([[account_number, { cents: refund.amount, on: null }]]))
  if ((await remainingCredit(tx, bill!)) === 0n) await clearAlert(tx, 'refund_waiting', bill!.id)
}
