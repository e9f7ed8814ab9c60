/** Installments that are open again are paid by what repaid later debts of their plan instead. */
import type { PaymentRow } from '../../../money/payments/index.ts'
import type { Actor } from '../../../platform/db/move.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { takeAhead } from '../../loans/index.ts'
import { followPlan, LIVE, lockWhole, recountDue } from './follow-plan.ts'
import { payInstallments } from './pay-installment.ts'
import { owedByInstallments, planOf, readShares, trimShares } from './store.ts'

/**
 * Shares out over the installments that a payment names what they did not need when it came, as
 * if the collection that has been taken back had never been. Answers how many cents they are still
 * owed: what was sent back meanwhile pays nothing. The plan's loans are locked.
 */
export async function shareAhead(
  tx: Tx,
  actor: Actor,
  payment: PaymentRow,
  installment_ids: readonly string[],
): Promise<bigint> {
  const plan_id = await planOf(tx, installment_ids[0]!)
  const { plan } = await lockWhole(tx, plan_id)
  if (!LIVE.includes(plan.status)) return 0n
  let amount = 0n
  for (;;) {
    // What is taken off the plan's loans is due again, of these installments too.
    await recountDue(tx, plan_id)
    const missing = (await owedByInstallments(tx, installment_ids)) - amount
    const shares = await readShares(tx, payment.id)
    const taken = missing > 0n ? await takeAhead(tx, actor, payment, shares, missing) : 0n
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

/** Surplus of a payment for installments has paid other debts of their plan: that follows. */
export async function followShares(
  tx: Tx,
  actor: Actor,
  payment: PaymentRow,
  installment_ids: readonly string[],
): Promise<void> {
  await trimShares(tx, payment.id)
  await followPlan(tx, actor, await planOf(tx, installment_ids[0]!))
}
