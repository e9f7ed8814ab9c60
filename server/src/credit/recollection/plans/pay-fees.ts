/**
 * Pays a plan's fees with payments whose targets are loans or bills of the plan, not its
 * installments.
 */
import { cashOfPayment, type PaymentRow } from '../../../money/payments/index.ts'
import type { RowKey } from '../../../platform/db/of-partner.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import type { Day } from '../../../platform/kit/dates.ts'
import { revocableOf } from '../../loans/index.ts'
import { bookFee } from './fees.ts'
import { followPlan } from './follow-plan.ts'
import { openPlan } from './open-plan.ts'
import { allocateToFees, feesIn, OPEN_STATUSES, openAmount, sharesOf, withDue } from './rules.ts'
import { insertShares } from './store.ts'

/**
 * Cents of a live plan's fees that are due once the payment's targets are paid; 0 while another
 * debt of the plan is open, because fees come last. Locks the plan.
 */
export async function feesAfter(
  tx: Tx,
  key: RowKey,
  named_ids: ReadonlySet<string>,
): Promise<bigint> {
  const plan = withDue(await openPlan(tx, key), tx.today)
  // Fees of a plan with a lapsed debt are waived once nothing else is open.
  if (!OPEN_STATUSES.includes(plan.plan.status) || plan.has_lapsed) return 0n
  const fees = plan.parts.filter(part => part.kind === 'FEES')
  const others = plan.parts.filter(({ kind, loan_id, current_bill_id }) => {
    return kind !== 'FEES' && !named_ids.has(loan_id ?? current_bill_id ?? '')
  })
  if (others.some(part => openAmount(part) > 0n)) return 0n
  return fees.reduce((sum, part) => sum + openAmount(part), 0n)
}

/** Pays up to `amount` cents of a live plan's fees; returns the cents paid. */
export async function payPlanFees(
  tx: Tx,
  key: RowKey,
  payment: PaymentRow,
  { amount, value_on }: { amount: bigint; value_on: Day },
): Promise<bigint> {
  const plan = await openPlan(tx, key)
  const paid = OPEN_STATUSES.includes(plan.plan.status)
    ? allocateToFees(plan, new Map(), amount)
    : new Map()
  if (paid.size === 0) return 0n
  const dates = { value_on, revocable_until: await revocableOf(tx, payment, value_on) }
  await insertShares(tx, sharesOf(payment, paid, dates))
  const { partner_id } = key
  const cents = feesIn(paid)
  const cash = cashOfPayment(payment)
  const fee = { partner_id, payment_id: payment.id, value_on, amount: cents, cash }
  await bookFee(tx, 'recollection_fee', fee)
  await followPlan(tx, await openPlan(tx, key))
  return cents
}
