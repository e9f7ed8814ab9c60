/** Ends a plan early, as canceled or broken; its debts are due again. */
import { type Actor, move } from '../../../platform/db/move.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { lockPlanState, type PlanState, releaseDebts } from './follow-plan.ts'
import { keepDebits, lockDebits } from './plan-debits.ts'

const ENDED = ['PAID', 'CANCELED']

/** Cancels a draft or live plan. */
export async function cancelPlan(
  tx: Tx,
  actor: Actor,
  plan_id: string,
  reason: string,
): Promise<void> {
  await endPlan(tx, actor, await lockPlanState(tx, plan_id), 'cancel', reason)
}

/** Ends debits and unpaid installments of a plan; its debts are collected on their own again. */
export async function endPlan(
  tx: Tx,
  actor: Actor,
  { plan, installments }: PlanState,
  trigger: 'cancel' | 'break',
  reason: string,
): Promise<void> {
  await move(tx, actor, 'installment_plan', [plan], trigger, reason)
  const left = installments.filter(one => !ENDED.includes(one.status))
  await move(tx, actor, 'installment', left, 'cancel', reason)
  const debits = await lockDebits(tx, installments)
  const none = installments.map(one => ({ ...one, open: 0n }))
  await keepDebits(tx, actor, plan, none, debits)
  await releaseDebts(tx, actor, plan)
}
