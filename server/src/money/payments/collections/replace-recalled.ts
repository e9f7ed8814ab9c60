/** Chooses the date of the debit that replaces a recalled one. */
import { sql } from 'kysely'
import { sameDebitSource } from '../../../companies/borrowers/index.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { isTargetDay } from '../../../platform/kit/calendar.ts'
import { type Day, momentOf } from '../../../platform/kit/dates.ts'
import { debitsUntil, earliestReplacementDay } from '../dates.ts'
import type { PaymentPlan } from '../schedule-payments.ts'
import type { PaymentRow } from '../types.ts'

/**
 * Moves the replacing debit to the date of the recalled one if the scheme still allows it, so that
 * a partial payment does not cost the payer extra interest. A debit that is dated later for any
 * reason other than its notice period keeps its date.
 */
export async function replaceRecalled(
  tx: Tx,
  plan: Plan,
  recalled: PaymentRow | undefined,
): Promise<Plan> {
  if (!recalled || plan.payment_method !== 'DIRECT_DEBIT') return plan
  if (plan.scheduled_on > debitsUntil(tx.today)) return plan
  const { mandate_id = null, wallet_id = null } = plan
  if (!sameDebitSource(recalled, { mandate_id, wallet_id })) return plan
  if (recalled.scheduled_on >= plan.scheduled_on) return plan
  if (recalled.scheduled_on < (await firstDebitDay(tx))) return plan
  return { ...plan, scheduled_on: recalled.scheduled_on, recalled_payment_id: recalled.id }
}

type Plan = Omit<PaymentPlan, 'direction' | 'amount'>

/**
 * The first day for which the bank still accepts a debit; one TARGET day later after the cut-off.
 */
async function firstDebitDay(tx: Tx): Promise<Day> {
  const { cut_off } = await tx.one(sql<{ cut_off: string }>`
    select min(payout_cut_off)::text as cut_off from products`)
  const [hour, minute] = cut_off.split(':').map(Number)
  const passed = isTargetDay(tx.today) && tx.now >= momentOf(tx.today, hour!, minute!)
  return passed ? debitsUntil(tx.today) : earliestReplacementDay(tx.today)
}
