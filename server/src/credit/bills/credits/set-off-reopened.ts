/**
 * Sets off credits against open bills of the same payer, such as those that a returned debit has
 * reopened, instead of refunding them.
 */
import { sql } from 'kysely'
import { lockExposure } from '../../../companies/credit-lines/index.ts'
import { lockScheduled } from '../../../money/payments/index.ts'
import { clearAlert } from '../../../platform/alerts/index.ts'
import { move } from '../../../platform/db/move.ts'
import {
  followKey,
  haveKeys,
  keysBy,
  keysOf,
  type RowKey,
} from '../../../platform/db/of-partner.ts'
import { BEFORE_ALL_KEYS, type Paged, runIndividually } from '../../../platform/db/slices.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import type { Day } from '../../../platform/kit/dates.ts'
import { type BillRow, lockBillsOfPayers, recordRefund } from '../store.ts'
import { refundCredit } from './plan-refunds.ts'
import {
  notesOfPayers,
  openBills,
  payBills,
  remainingCredit,
  updateCreditAlert,
} from './set-off-credits.ts'

const SLICE = 100

/**
 * A daily run. It must precede the instruction of due payments, because it cancels planned refunds.
 */
export function setOffReopened(): Paged<RowKey> {
  return {
    what: 'payers that are credited and have open bills',
    read: (tx, _, last = BEFORE_ALL_KEYS) =>
      tx.all(sql<RowKey>`
        select a.partner_id, a.owner_id as id from ledger_accounts a
        join ledger_balances n on n.partner_id = a.partner_id and n.account_id = a.id
          and n.amount < 0
        where a.code = 'credit_notes_payable'
          and ${followKey(last, 'a', 'owner_id')}
          and exists (select from bills b
            where b.partner_id = a.partner_id and b.payer_id = a.owner_id
              and b.status in ('VALIDATED', 'SENT_TO_PAYER', 'TO_PAY')
              and b.amount > b.amount_paid)
        order by a.partner_id, a.owner_id limit ${SLICE}`),
    work: (database, page, failures) => runIndividually(database, page, failures, setOffOne),
  }
}

/** Returns the number of credits that changed. */
async function setOffOne(tx: Tx, payer: RowKey): Promise<number> {
  const found = await openBills(tx, payer)
  await lockOwners(tx, payer.partner_id, found)
  await lockBillsOfPayers(tx, [payer])
  let count = 0
  for (const bill of await creditsOf(tx, payer)) {
    // The loans of bills reopened meanwhile are not locked; tomorrow's run handles those bills.
    const open = (await openBills(tx, payer)).filter(id => found.includes(id))
    if (open.length > 0) count += await setOffNote(tx, bill, open)
  }
  return count
}

/**
 * Pays open bills with a bill's credit, even if its refund is already planned, and plans the refund
 * of the rest again. Returns 1 if anything changed, otherwise 0.
 */
export async function setOffNote(tx: Tx, bill: BillRow, open: readonly string[]): Promise<number> {
  const scheduled = await lockScheduled(tx, 'bill_id', bill)
  const refunds = scheduled.filter(payment => payment.payment_type === 'REFUND')
  const planned = new Map<string, { cents: bigint; on: Day }>()
  for (const { to_account, amount, scheduled_on: on } of refunds) {
    const { account_number } = to_account!
    const cents = amount + (planned.get(account_number)?.cents ?? 0n)
    planned.set(account_number, { cents, on })
  }
  await move(tx, 'payment', refunds, 'cancel', 'a bill of the same payer is open')
  for (const { amount } of refunds) recordRefund(tx, bill, -amount)
  const note = (await notesOfPayers(tx, keysBy([bill], 'payer_id'))).find(
    ({ id }) => id === bill.id,
  )
  if (!note) return 0
  const before = note.left
  await payBills(tx, note, open)
  if (note.left === before && refunds.length === 0) return 0
  await updateCreditAlert(tx, note)
  if (note.left > 0n) await refundCredit(tx, bill, planned)
  if ((await remainingCredit(tx, bill)) === 0n) await clearAlert(tx, 'refund_waiting', bill.id)
  return 1
}

async function creditsOf(tx: Tx, payer: RowKey): Promise<BillRow[]> {
  return tx.all(sql<BillRow>`
    select b.* from bills b
    where ${haveKeys([payer], 'b', 'payer_id')} and b.status not in ('GENERATED', 'INVALID')
      and exists (select from loan_movements m
        where m.partner_id = b.partner_id and m.credit_bill_id = b.id
        and m.kind = 'CREDIT' and m.voided_at is null)
    order by b.period_from, b.id`)
}

/** Locks the partners and credit lines of the bills' loans, before any loan. */
async function lockOwners(tx: Tx, partner_id: string, bill_ids: readonly string[]): Promise<void> {
  const owners = await tx.all(sql<{ borrower_id: string }>`
    select distinct o.borrower_id from bill_lines l
    join loans o on o.partner_id = l.partner_id and o.id = l.loan_id
    where l.partner_id = ${partner_id} and l.bill_id = any(${bill_ids}::uuid[])`)
  await lockExposure(
    tx,
    owners.map(() => partner_id),
    keysOf(
      partner_id,
      owners.map(owner => owner.borrower_id),
    ),
  )
}
