/** Pays reopened installments with money that had repaid later debts of their plan. */
import type { PaymentRow } from '../../../money/payments/index.ts'
import type { Actor } from '../../../platform/db/move.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { takePrepaidShares } from '../../loans/index.ts'
import { followPlan, LIVE, lockPlanState, recomputeDue } from './follow-plan.ts'
import { payInstallments } from './pay-installment.ts'
import { owedByInstallments, planOf, readShares, trimShares } from './store.ts'

/**
 * Reallocates to the named installments the money of a payment that they did not need at the time,
 * as if the returned collection had never existed. Returns the cents they still owe: money refunded
 * meanwhile pays nothing. The caller has locked the plan's loans.
 */
export async function reallocateOverpayments(
  tx: Tx,
  actor: Actor,
  payment: PaymentRow,
  installment_ids: readonly string[],
): Promise<bigint> {
  const plan_id = await planOf(tx, installment_ids[0]!)
  const { plan } = await lockPlanState(tx, plan_id)
  if (!LIVE.includes(plan.status)) return 0n
  let amount = 0n
  for (;;) {
    // Money taken off the plan's loans is due again, also from these installments.
    await recomputeDue(tx, plan_id)
    const missing = (await owedByInstallments(tx, installment_ids)) - amount
    const shares = await readShares(tx, payment.id)
    const taken = missing > 0n ? await takePrepaidShares(tx, actor, payment, shares, missing) : 0n
    amount += taken
    if (taken > 0n) {
      await trimShares(tx, payment.id)
      continue
    }
    if (amount > 0n) {
      await payInstallments(tx, actor, installment_ids, payment, payment.paid_on!, amount)
    }
    return missing
  }
}

/** Updates the plan after a payment's surplus has paid other debts in it. */
export async function followShares(
  tx: Tx,
  actor: Actor,
  payment: PaymentRow,
  installment_ids: readonly string[],
): Promise<void> {
  await trimShares(tx, payment.id)
  await followPlan(tx, actor, await planOf(tx, installment_ids[0]!))
}
