/** Reverses returned payments of installments, as if they had never been received. */
import { type RawBuilder, sql } from 'kysely'
import type { PaymentRow } from '../../../money/payments/index.ts'
import { move } from '../../../platform/db/move.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { enqueue } from '../../../platform/jobs/index.ts'
import type { Day } from '../../../platform/kit/dates.ts'
import type { BankCash } from '../../../platform/ledger/index.ts'
import { billsEnterPlan, versionsOf } from '../../bills/index.ts'
import { enterPlan } from '../../loans/index.ts'
import { reopenCase } from '../cases/close-case.ts'
import { bookFee } from './fees.ts'
import { followPlan } from './follow-plan.ts'
import { lockPlanLoans, openPlan } from './open-plan.ts'
import { expectsNoMoney, idsOf, OPEN_STATUSES, type Plan } from './rules.ts'
import { type VoidedShare, voidShares } from './store.ts'

/**
 * Voids the payment's shares. Runs before the loans are rebooked, so that they find the plan
 * without that money. The plan's amounts are updated only afterwards, because some loans still
 * count as repaid until then.
 */
export async function returnInstallment(
  tx: Tx,
  fact: { payment: PaymentRow; back_id: string; value_on: Day; cash: BankCash },
): Promise<void> {
  const { payment, back_id, value_on, cash } = fact
  for (const plan of await lockPlanLoans(tx, isPaidBy(payment, sql`s.voided_at is null`))) {
    const state = await openPlan(tx, plan)
    const voided = await voidShares(tx, payment)
    const fees = voided.filter(share => share.kind === 'FEES')
    const amount = -fees.reduce((sum, share) => sum + share.amount, 0n)
    const { partner_id } = state.plan
    const fee = { partner_id, payment_id: back_id, value_on, amount, cash }
    await bookFee(tx, 'recollection_fee_returned', fee)
    if (state.plan.status === 'COMPLETED') await resumePlan(tx, state)
    else if (!OPEN_STATUSES.includes(state.plan.status)) await cancelInstallments(tx, state, voided)
  }
}

/**
 * Updates the plans of a returned payment after its loans are rebooked. An overdue installment is
 * handled in a job, because other money may still pay it in this transaction.
 */
export async function followReturnedInstallment(
  tx: Tx,
  { payment }: { payment: PaymentRow },
): Promise<void> {
  for (const key of await lockPlanLoans(tx, isPaidBy(payment, sql`true`))) {
    const { plan, installments } = await followPlan(tx, await openPlan(tx, key))
    const overdue = installments.some(one => !expectsNoMoney(one) && one.due_on < tx.today)
    const { partner_id, id: plan_id, borrower_id, status } = plan
    if (overdue && OPEN_STATUSES.includes(status)) {
      enqueue(tx, 'follow_overdue_plan', { partner_id, plan_id, borrower_id }, partner_id)
    }
  }
}

/** SQL condition: the payment has shares `s` in plan `p` that match `which`. */
function isPaidBy({ partner_id, id }: PaymentRow, which: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`p.partner_id = ${partner_id} and p.id in (select i.plan_id from installment_shares s
    join installment_parts a on a.partner_id = s.partner_id and a.id = s.part_id
    join plan_installments i on i.partner_id = a.partner_id and i.id = a.installment_id
    where s.partner_id = ${partner_id} and s.payment_id = ${id} and ${which})`
}

/** Cancels installments of an ended plan that a return left unpaid; their debts stay owed. */
async function cancelInstallments(
  tx: Tx,
  { installments, parts }: Plan,
  voided: readonly VoidedShare[],
): Promise<void> {
  const part_ids = new Set(voided.map(share => share.part_id))
  const touched = new Set(parts.flatMap(p => (part_ids.has(p.id) ? p.installment_id : [])))
  const paid = installments.filter(one => touched.has(one.id) && one.status === 'PAID')
  await move(tx, 'installment', paid, 'cancel', 'its money came back')
}

/** Resumes a completed plan, or breaks it if its loans or bills have joined another plan. */
async function resumePlan(tx: Tx, { plan, parts }: Plan): Promise<void> {
  const about = { loan_ids: idsOf(parts, 'loan_id'), bill_ids: idsOf(parts, 'bill_id') }
  const { partner_id, case_id } = plan
  const bill_ids = await versionsOf(tx, partner_id, about.bill_ids)
  const elsewhere = await tx.maybe(sql`
    select from loans where partner_id = ${partner_id} and id = any(${about.loan_ids}::uuid[])
      and installment_plan_id is not null
    union all select from bills where partner_id = ${partner_id} and id = any(${bill_ids}::uuid[])
      and installment_plan_id is not null limit 1`)
  if (elsewhere) {
    await move(tx, 'installment_plan', [plan], 'break', 'its money came back')
    return
  }
  await move(tx, 'installment_plan', [plan], 'reopen', 'its money came back')
  if (case_id) await reopenCase(tx, [{ partner_id, id: case_id }])
  await enterPlan(tx, plan, about.loan_ids)
  await billsEnterPlan(tx, plan, about)
}
