/** Keeps the payments that bills ask for in step with what is still unpaid of them. */
import { sql } from 'kysely'
import type { Actor } from '../db/move.ts'
import type { Tx } from '../db/transaction.ts'
import { enqueue } from '../jobs/index.ts'
import { collectionAccount, collectionDay, ibanAccount } from '../loans/index.ts'
import { cancelScheduled, type PaymentRow, schedulePayments, setAmount } from '../payments/index.ts'
import { type BillRow, lockBills } from './store.ts'

const PENDING = ['SCHEDULED', 'INSTRUCTED', 'IN_TRANSIT']

interface Payer {
  bill_id: string
  name: string
  mandate_id: string | null
  iban: string | null
  bic: string | null
}

/** Plans, adjusts or cancels them. A debit that failed or came back is not presented again. */
export async function planBillPayments(
  tx: Tx,
  actor: Actor,
  bill_ids: readonly string[],
): Promise<void> {
  const bills = await lockBills(tx, bill_ids)
  if (bills.length === 0) return
  // Locked, so that nobody hands them to the bank meanwhile.
  await tx.run(sql`
    select id from payments where bill_id = any(${bill_ids}::uuid[]) and status = 'SCHEDULED'
    order by id for no key update`)
  const payments = await tx.all(sql<PaymentRow & { bill_id: string }>`
    select * from payments where bill_id = any(${bill_ids}::uuid[]) and direction = 'IN'
    order by id`)
  const paymentsOf = Map.groupBy(payments, payment => payment.bill_id)
  const unplanned: BillRow[] = []
  for (const bill of bills) {
    const own = paymentsOf.get(bill.id) ?? []
    const owed = bill.amount - bill.amount_paid
    const planned = own.find(p => PENDING.includes(p.status))
    if (planned) await adjustPayment(tx, actor, planned, owed)
    else if (owed > 0n && !wasDebited(own)) unplanned.push(bill)
  }
  await planPayments(tx, actor, unplanned)
}

function wasDebited(payments: readonly PaymentRow[]): boolean {
  return payments.some(p => p.mandate_id && p.status !== 'CANCELED')
}

async function adjustPayment(
  tx: Tx,
  actor: Actor,
  planned: PaymentRow,
  owed: bigint,
): Promise<void> {
  const bill_id = planned.bill_id!
  if (planned.amount === owed) return
  if (planned.status !== 'SCHEDULED') enqueue(tx, 'recall_payment', { payment_id: planned.id })
  else if (owed > 0n) await setAmount(tx, planned.id, owed)
  else await cancelScheduled(tx, actor, { bill_id }, 'paid')
}

/** A bill's debit was taken back: what is still unpaid is planned anew. */
export async function followCanceledBillDebit(
  tx: Tx,
  { payment }: { payment: PaymentRow },
  actor: Actor,
): Promise<void> {
  if (payment.direction === 'IN' && payment.bill_id) {
    await planBillPayments(tx, actor, [payment.bill_id])
  }
}

/** A borrower is debited where it has a mandate; a partner transfers. */
async function planPayments(tx: Tx, actor: Actor, bills: readonly BillRow[]): Promise<void> {
  if (bills.length === 0) return
  const payers = await tx.all(sql<Payer>`
    select i.id as bill_id, coalesce(b.name, c.name) as name, d.id as mandate_id,
      coalesce(d.iban, c.iban) as iban, coalesce(d.bic, c.bic) as bic
    from bills i
    left join borrowers b on b.id = i.borrower_id
    left join partner_companies c on i.borrower_id is null and c.partner_id = i.partner_id
    left join repayment_methods m on m.borrower_id = b.id and m.is_main and m.status = 'READY'
    left join mandates d on d.id = m.mandate_id
    where i.id = any(${bills.map(bill => bill.id)}::uuid[])`)
  const payerOf = new Map(payers.map(payer => [payer.bill_id, payer]))
  const plans = bills.map(bill => {
    const payer = payerOf.get(bill.id)!
    const debited = payer.mandate_id !== null
    return {
      partner_id: bill.partner_id,
      borrower_id: bill.borrower_id,
      payment_type: 'REPAYMENT_FEES',
      payment_method: debited ? ('DIRECT_DEBIT' as const) : ('SCT' as const),
      direction: 'IN' as const,
      amount: bill.amount - bill.amount_paid,
      scheduled_on: debited ? collectionDay(bill.due_on, tx.today) : bill.due_on,
      from_account: payer.iban ? ibanAccount(payer.iban, payer.bic, payer.name) : null,
      to_account: collectionAccount(tx.settings.lender),
      from_references: [bill.reference],
      to_references: [bill.reference],
      bill_id: bill.id,
      mandate_id: payer.mandate_id,
    }
  })
  await schedulePayments(tx, actor, plans)
}
