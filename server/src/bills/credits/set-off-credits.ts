/** Sets what a payer was credited off against its open bills, and pays back the rest. */
import { sql } from 'kysely'
import { clearAlert, raiseAlert, restateAlert } from '../../alerts/index.ts'
import type { Actor } from '../../db/move.ts'
import type { Tx } from '../../db/transaction.ts'
import { addTargetDays, onOrAfterTargetDay } from '../../kit/calendar.ts'
import { addDays, type Day, max, min } from '../../kit/dates.ts'
import { euros, least } from '../../kit/money.ts'
import { fundingAccount, type PaymentAccount } from '../../kit/payment-account.ts'
import { problem } from '../../kit/problem.ts'
import { setOffInterest } from '../../loans/index.ts'
import {
  frozenUntil,
  type PaymentRow,
  replaceRefund,
  schedulePayments,
} from '../../payments/index.ts'
import { IS_REFUND } from '../payment-of-bill.ts'
import { type BillRow, lockBillsOfPayers, readBills } from '../store.ts'

/** Within so many banking days of its bill a credit is paid back (domain.md, Corrections). */
const REFUND_TARGET_DAYS = 5

interface Note {
  readonly id: string
  readonly payer_id: string
  /** Cents credited, neither set off nor paid back yet. */
  left: bigint
}

/**
 * Bills of different payers are about to be sent: what one credits pays its own lines first, then
 * other open bills of its payer, the oldest first; so does what earlier ones have left because it
 * could not be paid back. The rest of its own is paid back. Bills whose debit is frozen are left
 * alone.
 */
export async function setOffCredits(
  tx: Tx,
  actor: Actor,
  bills: readonly BillRow[],
): Promise<void> {
  // Locked first: two bills of one payer must not both find the same credit.
  await lockBillsOfPayers(
    tx,
    bills.map(bill => bill.payer_id),
  )
  const notes = Map.groupBy(await notesOf(tx, bills), note => note.payer_id)
  // Few have any.
  for (const bill of bills) {
    const own = notes.get(bill.payer_id)
    if (own) await setOffOwn(tx, actor, bill, own)
  }
}

async function setOffOwn(
  tx: Tx,
  actor: Actor,
  bill: BillRow,
  notes: readonly Note[],
): Promise<void> {
  const own = notes.find(note => note.id === bill.id)
  if (own) await payBills(tx, actor, own, [bill.id])
  const open = await openBills(tx, bill)
  for (const note of notes) {
    const { left } = note
    await payBills(tx, actor, note, open)
    if (note !== own && note.left !== left) await tellLeft(tx, note)
  }
  if (own && own.left > 0n) await payBack(tx, actor, bill, own.left)
}

/** What is left of what locked bills credited their payers, oldest first. */
async function notesOf(tx: Tx, bills: readonly BillRow[]): Promise<Note[]> {
  const credits = await tx.all(sql<Note>`
    select b.id, b.payer_id, (sum(case m.kind when 'CREDIT' then m.amount else -m.amount end)
      - (select coalesce(sum(p.amount), 0) from payments p where p.bill_id = b.id
        and ${IS_REFUND}))::bigint as left
    from bills b join loan_movements m on m.credit_bill_id = b.id and m.voided_at is null
    where b.payer_id = any(${bills.map(bill => bill.payer_id)}::uuid[])
      and (b.status <> 'GENERATED' or b.id = any(${bills.map(bill => bill.id)}::uuid[]))
    group by b.id order by b.period_from, b.id`)
  return credits.filter(note => note.left > 0n)
}

/** Of a credit that could not be paid back there is less to see to, or nothing. */
async function tellLeft(tx: Tx, { id, left }: Note): Promise<void> {
  if (left === 0n) await clearAlert(tx, 'refund_waiting', id)
  else await restateAlert(tx, 'refund_waiting', id, `${euros(left)} credited are left`)
}

/** Sent bills of the same payer that are not paid, and the one to be sent; oldest first. */
async function openBills(tx: Tx, bill: BillRow): Promise<string[]> {
  const frozen_until = frozenUntil(tx.today)
  const rows = await tx.all(sql<{ id: string }>`
    select b.id from bills b
    where b.payer_id = ${bill.payer_id} and b.amount > b.amount_paid
      and (b.id = ${bill.id} or b.status in ('VALIDATED', 'SENT_TO_PAYER', 'TO_PAY')
        and not exists (select from payments p where p.bill_id = b.id and p.direction = 'IN'
          and (p.status in ('INSTRUCTED', 'IN_TRANSIT') or p.status = 'SCHEDULED'
            and p.mandate_id is not null and p.scheduled_on <= ${frozen_until}::date)))
    order by b.due_on, b.id`)
  return rows.map(row => row.id)
}

/** Pays what is open of bills, lines by the payouts of their loans, as far as a note goes. */
async function payBills(
  tx: Tx,
  actor: Actor,
  note: Note,
  bill_ids: readonly string[],
): Promise<void> {
  if (note.left === 0n) return
  const lines = await tx.all(sql<{ bill_id: string; loan_id: string; open: bigint }>`
    select l.bill_id, l.loan_id, l.amount - l.paid as open from bill_lines l
    join loans o on o.id = l.loan_id
    where l.bill_id = any(${bill_ids}::uuid[]) and l.amount > l.paid
    order by array_position(${bill_ids}::uuid[], l.bill_id), o.paid_out_on, o.id`)
  for (const { bill_id, loan_id, open } of lines) {
    const amount = least(open, note.left)
    if (amount === 0n) return
    await setOffInterest(tx, actor, loan_id, note, { bill_id, amount })
    note.left -= amount
  }
}

/**
 * Plans anew what is left of a credit whose refund failed or came back. Throws `state_conflict`
 * where that may still arrive, was sent again, or nothing is left.
 */
export async function payCreditAgain(
  tx: Tx,
  actor: Actor,
  refund: PaymentRow & { bill_id: string },
): Promise<void> {
  const [bill] = await readBills(tx, [refund.bill_id])
  await lockBillsOfPayers(tx, [bill!.payer_id])
  await replaceRefund(tx, refund.id)
  const note = (await notesOf(tx, [bill!])).find(one => one.id === bill!.id)
  if (!note) throw problem('state_conflict', 'Nothing of it is owed back any more.')
  await clearAlert(tx, 'refund_waiting', note.id)
  await payBack(tx, actor, bill!, note.left)
}

interface Source {
  from_account: PaymentAccount
  revocable_until: Day | null
}

/**
 * Plans the payment of what is left to the account that the interest came from, once its debit may
 * not come back any more. Without a known account it waits for the next bill, and a person is told.
 */
async function payBack(tx: Tx, actor: Actor, bill: BillRow, amount: bigint): Promise<void> {
  // Interest that an earlier credit paid came from where that had come from.
  const source = await tx.maybe(sql<Source>`
    with recursive paid as (
      select m.* from loan_movements c join loan_movements m on m.loan_id = c.loan_id
        and m.voided_at is null and m.kind <> 'CREDIT' and m.interest > 0
      where c.credit_bill_id = ${bill.id} and c.kind = 'CREDIT' and c.voided_at is null
      union
      select m.* from paid e join loan_movements c on c.credit_bill_id = e.credit_bill_id
        and c.kind = 'CREDIT' and c.voided_at is null
      join loan_movements m on m.loan_id = c.loan_id
        and m.voided_at is null and m.kind <> 'CREDIT' and m.interest > 0)
    select p.from_account, m.revocable_until from paid m
    join payments p on p.id = m.payment_id and p.from_account is not null
    order by m.value_on desc, m.id desc limit 1`)
  if (!source) {
    const why = `${euros(amount)} credited cannot be refunded: payer account unknown.`
    return raiseAlert(tx, 'refund_waiting', bill.id, why)
  }
  const { from_account: to_account, revocable_until } = source
  const next = onOrAfterTargetDay(addDays(tx.today, 1))
  const free = revocable_until ? max(next, addTargetDays(revocable_until, 1)) : next
  await schedulePayments(tx, actor, [
    {
      ...{ partner_id: bill.partner_id, borrower_id: bill.borrower_id, bill_id: bill.id, amount },
      ...{ payment_type: 'REFUND', payment_method: 'SCT', direction: 'OUT', to_account },
      scheduled_on: min(free, addTargetDays(tx.today, REFUND_TARGET_DAYS)),
      from_account: fundingAccount(tx.settings.lender),
      to_references: [bill.reference],
    },
  ])
}
