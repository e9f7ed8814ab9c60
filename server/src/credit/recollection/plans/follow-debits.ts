/**
 * Updates plans when one of their debits fails or is canceled, or the borrower's method changes.
 */
import { sql } from 'kysely'
import { activeMethods, sameDebitSource } from '../../../companies/borrowers/index.ts'
import { frozenUntil, type PaymentFor, splitFrozen } from '../../../money/payments/index.ts'
import { move } from '../../../platform/db/move.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { followPlan } from './follow-plan.ts'
import { hasInstallment, lockPlanLoans, openPlan } from './open-plan.ts'
import { debitedOf, lockDebits } from './plan-debits.ts'
import { OPEN_STATUSES } from './rules.ts'

/** Updates a plan whose debit failed or was canceled. A canceled debit is replaced if still due. */
export async function followPlanDebit(
  tx: Tx,
  { payment, recalled = false }: { payment: PaymentFor<'installment_payment'>; recalled?: boolean },
): Promise<void> {
  const { partner_id, installment_id: id } = payment
  const [plan] = await lockPlanLoans(tx, hasInstallment({ partner_id, id }))
  const recalled_payment_id = recalled ? payment.id : null
  await followPlan(tx, await openPlan(tx, plan!), { recalled_payment_id })
}

/**
 * Moves the direct debits of plans to the mandate of the borrower's new main repayment method:
 * cancels debits of another mandate unless they are frozen, and plans them again, including those
 * lost when a mandate ended. Amounts stay the same. A new direct debit is dated at the end of the
 * freeze at the earliest.
 */
export async function plansFollowMainMethod(
  tx: Tx,
  { borrower_id, partner_id }: { borrower_id: string; partner_id: string },
): Promise<void> {
  const plans = await lockPlanLoans(
    tx,
    sql`p.borrower_id = ${borrower_id} and p.partner_id = ${partner_id}
      and p.repayment_method = 'DIRECT_DEBIT' and p.status = any(${OPEN_STATUSES}::text[])`,
  )
  if (plans.length === 0) return
  const free_from = frozenUntil(tx.today)
  const methods = await activeMethods(tx, [{ partner_id, id: borrower_id }])
  for (const plan of plans) {
    const state = await openPlan(tx, plan)
    const source = debitedOf(methods, state.plan)
    if (!source || !OPEN_STATUSES.includes(state.plan.status)) continue
    const others = (await lockDebits(tx, state)).filter(debit => !sameDebitSource(debit, source))
    const { free } = splitFrozen(others, free_from)
    await move(tx, 'payment', free, 'cancel', 'another repayment method')
    await followPlan(tx, state, { free_from })
  }
}
