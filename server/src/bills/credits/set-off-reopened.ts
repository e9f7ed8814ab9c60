/**
 * A bill that was paid may be open again, because the bank took its debit back, while what the same
 * payer was credited waits to be paid back: it pays that bill instead (domain.md, Corrections).
 */
import { sql } from 'kysely'
import { lockExposure } from '../../credit-lines/index.ts'
import { type Actor, move } from '../../db/move.ts'
import { eachAlone, type Paged } from '../../db/slices.ts'
import type { Tx } from '../../db/transaction.ts'
import { least } from '../../kit/money.ts'
import { lockScheduled, type PaymentRow } from '../../payments/index.ts'
import { lockBillsOfPayers, readBills } from '../store.ts'
import { payBack } from './pay-back.ts'
import { notesOfPayers, openBills, payBills, tellLeft } from './set-off-credits.ts'

const SERVICE: Actor = 'service'
const SLICE = 100

/** Runs before what is due leaves for the bank. */
export function setOffReopened(): Paged {
  return {
    what: 'payers that are credited and have open bills',
    read: (tx, after) =>
      tx.all(sql<{ id: string }>`
        select distinct b.payer_id as id from bills b
        join ledger_accounts a on a.owner_id = b.payer_id and a.code = 'credit_notes_payable'
        join ledger_balances n on n.account_id = a.id and n.amount < 0
        where b.status in ('VALIDATED', 'SENT_TO_PAYER', 'TO_PAY') and b.amount > b.amount_paid
          and b.payer_id > ${after}
        order by 1 limit ${SLICE}`),
    work: (database, page, failures) => eachAlone(database, page, failures, setOffOne),
  }
}

/** Answers how many credits were left to pay bills with, or to be paid back after all. */
async function setOffOne(tx: Tx, payer_id: string): Promise<number> {
  await lockOwners(tx, await openBills(tx, payer_id))
  await lockBillsOfPayers(tx, [payer_id])
  const open = await openBills(tx, payer_id)
  if (open.length === 0) return 0
  const planned = await plannedOf(tx, payer_id)
  const reason = 'a bill of the same payer is open'
  await move(tx, SERVICE, 'payment', [...planned.values()].flat(), 'cancel', reason)
  const notes = await notesOfPayers(tx, [payer_id])
  for (const note of notes) {
    const before = note.left
    await payBills(tx, SERVICE, note, open)
    const was_planned = planned.get(note.id)?.reduce((sum, { amount }) => sum + amount, 0n) ?? 0n
    if (note.left === before && was_planned === 0n) continue
    const again = least(note.left, was_planned)
    // What a person has to see to is still that person's.
    await tellLeft(tx, { ...note, left: note.left - again })
    const [bill] = await readBills(tx, [note.id])
    if (again > 0n) await payBack(tx, SERVICE, bill!, again)
  }
  return notes.length
}

/** Locks the partners and the lines whose loans' money may move, before any loan. */
async function lockOwners(tx: Tx, bill_ids: readonly string[]): Promise<void> {
  const owners = await tx.all(sql<{ partner_id: string; borrower_id: string }>`
    select distinct o.partner_id, o.borrower_id from bill_lines l join loans o on o.id = l.loan_id
    where l.bill_id = any(${bill_ids}::uuid[])`)
  await lockExposure(
    tx,
    owners.map(owner => owner.partner_id),
    owners.map(owner => owner.borrower_id),
  )
}

/** The payments of credits that have not left, by the bill that credits. */
async function plannedOf(tx: Tx, payer_id: string): Promise<Map<string, PaymentRow[]>> {
  const notes = await tx.all(sql<{ id: string }>`
    select distinct n.id from bills n join payments p on p.bill_id = n.id
    where n.payer_id = ${payer_id} and p.payment_type = 'REFUND' and p.status = 'SCHEDULED'
    order by 1`)
  const planned = new Map<string, PaymentRow[]>()
  for (const { id } of notes) {
    const own = await lockScheduled(tx, { bill_id: id })
    planned.set(
      id,
      own.filter(payment => payment.payment_type === 'REFUND'),
    )
  }
  return planned
}
