/** Moves the debits of plans to the borrower's new main repayment method. */
import { sql } from 'kysely'
import { activeMethods, sameDebitSource } from '../../../companies/borrowers/index.ts'
import { frozenUntil, splitFrozen } from '../../../money/payments/index.ts'
import { type Actor, move } from '../../../platform/db/move.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { lockLoanMoney } from '../../loans/index.ts'
import { followPlan, LIVE, loansOfPlan, lockPlanState } from './follow-plan.ts'
import { debitedOf, lockDebits } from './plan-debits.ts'

/**
 * Cancels debits planned by other means unless they are frozen, and plans them again, including
 * those lost when a mandate ended; amounts and dates stay (domain.md, rule 7 and Plans).
 */
export async function plansFollowMainMethod(
  tx: Tx,
  { borrower_id, partner_id }: { borrower_id: string; partner_id: string },
  actor: Actor,
): Promise<void> {
  const plans = await tx.all(sql<{ id: string }>`
    select id from installment_plans
    where borrower_id = ${borrower_id} and partner_id = ${partner_id}
      and repayment_method = 'DIRECT_DEBIT' and status = any(${LIVE}::text[]) order by id`)
  const frozen_until = frozenUntil(tx.today)
  for (const { id } of plans) {
    await lockLoanMoney(tx, await loansOfPlan(tx, id))
    const { plan, installments } = await lockPlanState(tx, id)
    const means = debitedOf(await activeMethods(tx, [borrower_id]), plan)
    if (!means || !LIVE.includes(plan.status)) continue
    const others = (await lockDebits(tx, installments)).filter(
      debit => !sameDebitSource(debit, means),
    )
    const { free } = splitFrozen(others, frozen_until)
    await move(tx, actor, 'payment', free, 'cancel', 'another repayment method')
    await followPlan(tx, actor, id, frozen_until)
  }
}
