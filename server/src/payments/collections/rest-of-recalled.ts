/** The day of what is left to collect of a debit that was recalled from the bank. */
import { sql } from 'kysely'
import { sameMeans } from '../../borrowers/index.ts'
import type { Tx } from '../../db/transaction.ts'
import { isTargetDay } from '../../kit/calendar.ts'
import { type Day, momentOf } from '../../kit/dates.ts'
import { debitsUntil, restFrom } from '../dates.ts'
import type { PaymentPlan } from '../schedule-payments.ts'
import type { PaymentRow } from '../types.ts'

/**
 * The plan of a debit, on the day of the one among `planned` that was recalled in this transaction,
 * where the schemes still allow it: a part payment must not cost its payer a day of interest. A
 * debit that something else than its notice puts off keeps its own day.
 */
export async function inPlaceOfRecalled(
  tx: Tx,
  plan: Plan,
  planned: readonly PaymentRow[],
): Promise<Plan> {
  if (plan.payment_method !== 'DIRECT_DEBIT' || plan.scheduled_on > debitsUntil(tx.today)) {
    return plan
  }
  const { mandate_id = null, wallet_id = null } = plan
  const recalled = planned.find(
    p =>
      isRecalled(tx, p) &&
      sameMeans(p, { mandate_id, wallet_id }) &&
      p.scheduled_on < plan.scheduled_on,
  )
  if (!recalled || recalled.scheduled_on < (await firstDebitDay(tx))) return plan
  return { ...plan, scheduled_on: recalled.scheduled_on, recalled_payment_id: recalled.id }
}

type Plan = Omit<PaymentPlan, 'direction' | 'amount'>

/** What the bank had is canceled only by a recall. */
function isRecalled(tx: Tx, { status, submitted_at, updated_at }: PaymentRow): boolean {
  const now = updated_at.getTime() === tx.now.getTime()
  return status === 'CANCELED' && submitted_at !== null && now
}

/** The first day that the bank can still debit: a TARGET day more after the cut-off. */
async function firstDebitDay(tx: Tx): Promise<Day> {
  const { cut_off } = await tx.one(sql<{ cut_off: string }>`
    select min(payout_cut_off)::text as cut_off from products`)
  const [hour, minute] = cut_off.split(':').map(Number)
  const passed = isTargetDay(tx.today) && tx.now >= momentOf(tx.today, hour!, minute!)
  return passed ? debitsUntil(tx.today) : restFrom(tx.today)
}
