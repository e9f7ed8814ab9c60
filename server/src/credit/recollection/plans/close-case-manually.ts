/** Closes a case on request: cancels its plans, so that its debts are due again. */
import { sql } from 'kysely'
import type { Tx } from '../../../platform/db/transaction.ts'
import { lockLoanMoney } from '../../loans/index.ts'
import { lockOpenCase, lockOwnCase } from '../cases/change-case.ts'
import { endCase } from '../cases/close-case.ts'
import type { Requester } from '../cases/open-case.ts'
import { cancelPlan } from './end-plan.ts'
import { loansOfPlan } from './follow-plan.ts'

/** Throws `resource_unknown`, or `state_conflict` if the case is already closed. */
export async function closeCaseManually(
  tx: Tx,
  { partner_id, caller_id }: Requester,
  id: string,
  reason: string,
): Promise<void> {
  const live = await tx.all(sql<{ id: string }>`
    select id from installment_plans where case_id = ${id} and partner_id = ${partner_id}
      and status in ('DRAFT', 'SCHEDULED', 'ACTIVE') order by id`)
  const loans: string[] = []
  for (const plan of live) loans.push(...(await loansOfPlan(tx, plan.id)))
  await lockLoanMoney(tx, loans)
  const ended = await lockOpenCase(tx, partner_id, id)
  for (const plan of live) await cancelPlan(tx, caller_id, plan.id, 'the case is closed')
  // Canceling its plan may have closed the case already.
  const { status } = await lockOwnCase(tx, partner_id, id)
  if (status === 'OPEN') await endCase(tx, caller_id, ended, reason)
}
