/** Updates a plan when one of its debits fails or is canceled. */
import type { PaymentRow } from '../../../money/payments/index.ts'
import type { Actor } from '../../../platform/db/move.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { lockLoanMoney } from '../../loans/index.ts'
import { followPlan, loansOfPlan } from './follow-plan.ts'
import { planOf } from './store.ts'

/** A failed debit shows on its installment; a canceled one is planned again if still due. */
export async function followPlanDebit(
  tx: Tx,
  { payment, recalled = false }: { payment: PaymentRow; recalled?: boolean },
  actor: Actor,
): Promise<void> {
  if (payment.direction !== 'IN' || !payment.installment_id) return
  const plan_id = await planOf(tx, payment.installment_id)
  await lockLoanMoney(tx, await loansOfPlan(tx, plan_id))
  await followPlan(tx, actor, plan_id, null, recalled ? payment.id : null)
}
