/** Pays installments by their debits or by transfers that name them. */
import { sql } from 'kysely'
import { publishFact } from '../../../facts.ts'
import { insertNames, type PaymentRow } from '../../../money/payments/index.ts'
import type { Actor } from '../../../platform/db/move.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import type { Day } from '../../../platform/kit/dates.ts'
import { minAmount } from '../../../platform/kit/money.ts'
import { owedByBill, payBill } from '../../bills/index.ts'
import {
  lockLoanMoney,
  owedByLoan,
  readLoans,
  repayLoan,
  revocableOf,
  whileSharedOut,
} from '../../loans/index.ts'
import { bookFee } from './fees.ts'
import {
  followPlan,
  idsOf,
  LIVE,
  loansOfPlan,
  lockPlanState,
  type PlanState,
} from './follow-plan.ts'
import { shareOut } from './rules.ts'
import { insertShares, namesOf, type PartRow, planOf } from './store.ts'

/** Pays an installment with its settled debit. */
export async function settleInstallment(
  tx: Tx,
  { payment, value_on }: { payment: PaymentRow; value_on: Day },
  actor: Actor,
): Promise<void> {
  const { installment_id, direction } = payment
  if (direction !== 'IN' || !installment_id) return
  await insertNames(tx, payment, await namesOf(tx, [installment_id]))
  await payInstallments(tx, actor, [installment_id], payment, value_on)
}

/**
 * Allocates `amount` cents of a payment to installments of one plan in order, by their parts. The
 * rest, or everything if the plan has ended, repays the plan's loans and bills early.
 */
export async function payInstallments(
  tx: Tx,
  actor: Actor,
  installment_ids: readonly string[],
  payment: PaymentRow,
  value_on: Day,
  amount = payment.amount,
): Promise<void> {
  const plan_id = await planOf(tx, installment_ids[0]!)
  await lockLoanMoney(tx, await loansOfPlan(tx, plan_id))
  const whole = await lockPlanState(tx, plan_id)
  let left = amount
  const paid = new Map<PartRow, bigint>()
  if (LIVE.includes(whole.plan.status)) {
    const principals = await principalsOf(tx, whole)
    for (const id of installment_ids) {
      const parts = whole.parts.filter(part => part.installment_id === id)
      const owing = parts.map(p => ({ ...p, principal: principals.get(p.loan_id ?? '') ?? 0n }))
      const shared = shareOut(left, owing)
      for (const [index, part] of parts.entries()) {
        const share = shared.shares[index]!
        if (share === 0n) continue
        paid.set(part, share)
        if (part.loan_id) principals.set(part.loan_id, owing[index]!.principal - share)
      }
      left = shared.left
    }
  }
  await keepShares(tx, paid, payment, value_on)
  await whileSharedOut(tx, payment.id, async () => {
    await book(tx, actor, whole, paid, payment, value_on)
    if (left > 0n) await repayAhead(tx, actor, whole, payment, left, value_on)
  })
  await followPlan(tx, actor, plan_id)
  if (await hasSurplus(tx, payment)) await publishFact(tx, actor, 'surplus_found', { payment })
}

async function hasSurplus(tx: Tx, { id }: PaymentRow): Promise<boolean> {
  const surplus = await tx.maybe(sql`
    select from loan_movements
    where payment_id = ${id} and voided_at is null and surplus > 0 limit 1`)
  return surplus !== undefined
}

async function principalsOf(tx: Tx, { parts }: PlanState): Promise<Map<string, bigint>> {
  const loans = await readLoans(tx, idsOf(parts, 'loan_id'))
  return new Map(loans.map(loan => [loan.id, loan.principal_outstanding]))
}

async function keepShares(
  tx: Tx,
  paid: ReadonlyMap<PartRow, bigint>,
  payment: PaymentRow,
  value_on: Day,
): Promise<void> {
  const revocable_until = await revocableOf(tx, payment, value_on)
  const rows = [...paid].map(([{ id: part_id, partner_id }, amount]) => ({
    payment_id: payment.id,
    part_id,
    partner_id,
    amount,
    value_on,
    revocable_until,
  }))
  await insertShares(tx, rows)
}

/** Books the shares on loans, bills and ledger, with one movement per loan. */
async function book(
  tx: Tx,
  actor: Actor,
  { plan }: PlanState,
  paid: ReadonlyMap<PartRow, bigint>,
  payment: PaymentRow,
  value_on: Day,
): Promise<void> {
  const sums = (field: 'loan_id' | 'bill_id') => {
    const sum = new Map<string, bigint>()
    for (const [part, share] of paid) {
      const id = part[field]
      if (id) sum.set(id, (sum.get(id) ?? 0n) + share)
    }
    return sum
  }
  for (const [loan_id, amount] of sums('loan_id')) {
    await repayLoan(tx, actor, loan_id, payment, { amount, value_on, kind: 'REPAYMENT' })
  }
  for (const [bill_id, amount] of sums('bill_id')) {
    await payBill(tx, actor, await currentBill(tx, bill_id), payment, amount, value_on)
  }
  const fees = [...paid].filter(([part]) => part.kind === 'FEES')
  const amount = fees.reduce((sum, [, share]) => sum + share, 0n)
  const { partner_id } = plan
  await bookFee(tx, 'recollection_fee', { partner_id, payment_id: payment.id, value_on, amount })
}

/** The replacement of a bill, or the bill itself. */
async function currentBill(tx: Tx, bill_id: string): Promise<string> {
  const current = await tx.maybe(sql<{ id: string }>`
    select v.id from bills b join bills v on v.payer_id = b.payer_id
      and v.period_from = b.period_from and v.status <> 'INVALID' where b.id = ${bill_id}`)
  return current?.id ?? bill_id
}

/** Repays the plan's loans, then its bills, in advance; the last one takes all that is left. */
async function repayAhead(
  tx: Tx,
  actor: Actor,
  { parts }: PlanState,
  payment: PaymentRow,
  amount: bigint,
  value_on: Day,
): Promise<void> {
  const loan_ids = idsOf(parts, 'loan_id')
  const bill_ids = idsOf(parts, 'bill_id')
  let left = amount
  for (const [index, id] of loan_ids.entries()) {
    const last = bill_ids.length === 0 && index === loan_ids.length - 1
    const owed = await owedByLoan(tx, id, value_on)
    const share = last ? left : minAmount(left, owed)
    if (share <= 0n) continue
    left -= share
    await repayLoan(tx, actor, id, payment, { amount: share, value_on, kind: 'REPAYMENT' })
  }
  for (const [index, id] of bill_ids.entries()) {
    const bill_id = await currentBill(tx, id)
    const owed = await owedByBill(tx, bill_id)
    const share = index === bill_ids.length - 1 ? left : minAmount(left, owed)
    if (share <= 0n) continue
    left -= share
    await payBill(tx, actor, bill_id, payment, share, value_on)
  }
}
