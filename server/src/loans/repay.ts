/** Money that repays loans: a settled debit, a transfer's share, and what comes back of it. */
import { type Selectable, sql } from 'kysely'
import type { Actor } from '../db/move.ts'
import type { DB } from '../db/schema.ts'
import type { Tx } from '../db/transaction.ts'
import type { Day } from '../kit/dates.ts'
import type { PaymentRow } from '../payments/types.ts'
import type { Account } from './account.ts'
import { revocableUntil } from './dates.ts'
import { lockLoanMoney, rebook } from './money.ts'
import { planCollection } from './plan-collection.ts'
import { planRefunds } from './refund-surplus.ts'
import {
  insertMovements,
  type LoanRow,
  logLoanEvents,
  type NewMovement,
  voidMovements,
} from './store.ts'

type RepaymentKind = 'REPAYMENT' | 'BILL_PAYMENT' | 'EXTRA'
type Mandate = Selectable<DB['mandates']>

/** Books a payment's share that pays a loan: principal, then interest, then surplus. */
export async function repayLoan(
  tx: Tx,
  actor: Actor,
  loan_id: string,
  payment: PaymentRow,
  share: { amount: bigint; value_on: Day; kind: RepaymentKind; bill_id?: string },
): Promise<Account> {
  const [loan] = await lockLoanMoney(tx, [loan_id])
  const movement: NewMovement = {
    loan_id,
    partner_id: loan!.partner_id,
    kind: share.kind,
    payment_id: payment.id,
    bill_id: share.bill_id ?? null,
    amount: share.amount,
    value_on: share.value_on,
    revocable_until: await revocable(tx, payment, share.value_on),
  }
  await insertMovements(tx, [movement])
  const account = await rebook(tx, actor, loan!, {
    kind: share.kind === 'REPAYMENT' ? 'repayment' : 'bill_payment',
    value_on: share.value_on,
    cash: share.amount,
    payment_id: payment.id,
    bill_id: share.bill_id ?? null,
  })
  await logRepayment(tx, loan!, account)
  await planCollection(tx, actor, loan_id)
  await planRefunds(tx, actor, loan_id)
  return account
}

/** The due-date debit has settled. */
export async function settleCollection(
  tx: Tx,
  { payment, value_on }: { payment: PaymentRow; value_on: Day },
  actor: Actor,
): Promise<void> {
  if (payment.direction !== 'IN' || !payment.loan_id) return
  const share = { amount: payment.amount, value_on, kind: 'REPAYMENT' as const }
  await repayLoan(tx, actor, payment.loan_id, payment, share)
}

/** A collection came back: each loan is as if that money had never been received. */
export async function returnRepayment(
  tx: Tx,
  fact: { payment: PaymentRow; back_id: string; value_on: Day },
  actor: Actor,
): Promise<void> {
  if (fact.payment.direction !== 'IN') return
  const moved = await tx.all(sql<{ loan_id: string; amount: bigint }>`
    select loan_id, sum(amount)::bigint as amount from loan_movements
    where payment_id = ${fact.payment.id} and voided_at is null group by loan_id`)
  const loans = await lockLoanMoney(
    tx,
    moved.map(m => m.loan_id),
  )
  await voidMovements(tx, fact.payment.id)
  for (const loan of loans) {
    const account = await rebook(tx, actor, loan, {
      kind: 'repayment_returned',
      value_on: fact.value_on,
      cash: -moved.find(m => m.loan_id === loan.id)!.amount,
      payment_id: fact.back_id,
    })
    await logReturn(tx, loan, account)
    await planRefunds(tx, actor, loan.id)
  }
}

async function revocable(tx: Tx, payment: PaymentRow, value_on: Day): Promise<Day | null> {
  if (payment.payment_method !== 'DIRECT_DEBIT' || !payment.mandate_id) return null
  const { scheme } = await tx.one(sql<Mandate>`
    select * from mandates where id = ${payment.mandate_id}`)
  return revocableUntil(value_on, scheme as 'CORE' | 'B2B')
}

/** The log tells principal and interest apart, as the difference this money made. */
async function logRepayment(tx: Tx, before: LoanRow, after: Account): Promise<void> {
  const principal = after.principal_repaid - before.principal_repaid
  const interest = after.interest_paid - before.interest_paid
  const surplus = after.surplus - before.surplus
  const entry = { loan_id: before.id, partner_id: before.partner_id }
  const entries = []
  if (principal > 0n) {
    const event_type = 'LOAN_REPAYMENT_NOMINAL_PAID'
    entries.push({ ...entry, event_type, principal_amount: principal })
  }
  if (interest > 0n) {
    entries.push({ ...entry, event_type: 'LOAN_REPAYMENT_FEES_PAID', fees_amount: interest })
  }
  if (surplus > 0n)
    entries.push({ ...entry, event_type: 'LOAN_EXTRA_PAID', principal_amount: surplus })
  await logLoanEvents(tx, entries)
}

async function logReturn(tx: Tx, before: LoanRow, after: Account): Promise<void> {
  const principal = before.principal_repaid - after.principal_repaid
  const interest = before.interest_paid - after.interest_paid
  const entry = { loan_id: before.id, partner_id: before.partner_id }
  const entries = []
  if (principal > 0n) {
    const event_type = 'LOAN_REPAYMENT_NOMINAL_CHARGED_BACK'
    entries.push({ ...entry, event_type, principal_amount: principal })
  }
  if (interest > 0n) {
    const event_type = 'LOAN_REPAYMENT_FEES_CHARGED_BACK'
    entries.push({ ...entry, event_type, fees_amount: interest })
  }
  await logLoanEvents(tx, entries)
}
