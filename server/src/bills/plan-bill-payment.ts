/** Keeps the payment that a bill asks for in step with what is still unpaid of it. */
import { sql } from 'kysely'
import type { Actor } from '../db/move.ts'
import type { Tx } from '../db/transaction.ts'
import { enqueue } from '../jobs/index.ts'
import { collectionAccount, collectionDay, ibanAccount } from '../loans/index.ts'
import {
  cancelScheduled,
  lockScheduled,
  type PaymentRow,
  schedulePayments,
  setAmount,
} from '../payments/index.ts'
import { type BillRow, lockBills } from './store.ts'

const PENDING = ['SCHEDULED', 'INSTRUCTED', 'IN_TRANSIT']

interface Payer {
  name: string
  method: 'DIRECT_DEBIT' | 'SCT' | 'P2P' | null
  mandate_id: string | null
  iban: string | null
  bic: string | null
}

/** Plans, adjusts or cancels it. A debit that failed or came back is not presented again. */
export async function planBillPayment(tx: Tx, actor: Actor, bill_id: string): Promise<void> {
  const [bill] = await lockBills(tx, [bill_id])
  if (!bill) return
  await lockScheduled(tx, { bill_id })
  const payments = await tx.all(sql<PaymentRow>`
    select * from payments where bill_id = ${bill_id} and direction = 'IN' order by id`)
  const [planned] = payments.filter(p => PENDING.includes(p.status))
  const owed = bill.amount - bill.amount_paid
  if (!planned) {
    const debited = payments.some(p => p.mandate_id && p.status !== 'CANCELED')
    if (owed > 0n && !debited) await planPayment(tx, actor, bill, owed)
  } else if (planned.amount !== owed) {
    if (planned.status !== 'SCHEDULED') enqueue(tx, 'recall_payment', { payment_id: planned.id })
    else if (owed > 0n) await setAmount(tx, planned.id, owed)
    else await cancelScheduled(tx, actor, { bill_id }, 'paid')
  }
}

/** A bill's debit was taken back: what is still unpaid is planned anew. */
export async function followCanceledBillDebit(
  tx: Tx,
  { payment }: { payment: PaymentRow },
  actor: Actor,
): Promise<void> {
  if (payment.direction === 'IN' && payment.bill_id) {
    await planBillPayment(tx, actor, payment.bill_id)
  }
}

async function planPayment(tx: Tx, actor: Actor, bill: BillRow, amount: bigint): Promise<void> {
  const payer = await tx.one(sql<Payer>`
    select b.name, m.payment_method as method, d.id as mandate_id, d.iban, d.bic
    from borrowers b
    left join repayment_methods m on m.borrower_id = b.id and m.is_main and m.status = 'READY'
    left join mandates d on d.id = m.mandate_id
    where b.id = ${bill.borrower_id}`)
  await schedulePayments(tx, actor, [
    {
      partner_id: bill.partner_id,
      borrower_id: bill.borrower_id,
      payment_type: 'REPAYMENT_FEES',
      payment_method: payer.mandate_id ? 'DIRECT_DEBIT' : 'SCT',
      direction: 'IN',
      amount,
      scheduled_on: payer.mandate_id ? collectionDay(bill.due_on, tx.today) : bill.due_on,
      from_account: payer.iban ? ibanAccount(payer.iban, payer.bic, payer.name) : null,
      to_account: collectionAccount(tx.settings.lender),
      from_references: [bill.reference],
      to_references: [bill.reference],
      bill_id: bill.id,
      mandate_id: payer.mandate_id,
    },
  ])
}
