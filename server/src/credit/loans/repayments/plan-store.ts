/** The only SQL that writes which plan settles a loan. */
import { type RawBuilder, sql } from 'kysely'
import type { Tx } from '../../../platform/db/transaction.ts'
import type { Day } from '../../../platform/kit/dates.ts'
import { type LoanMoney, type LoanWithLinks, linksOf, splitLinks } from '../booking/links.ts'

/**
 * Moves a partner's loans `l` that match a condition into a plan, or out of their plans if
 * `plan_id` is null. Returns the updated loans with their links.
 */
export async function moveLoansToPlan(
  tx: Tx,
  partner_id: string,
  which: RawBuilder<unknown>,
  plan_id: string | null,
): Promise<LoanMoney[]> {
  const rows = await tx.all(sql<LoanWithLinks>`
    update loans l set installment_plan_id = ${plan_id}, plan_due_on = null
    where l.partner_id = ${partner_id} and ${which} returning l.*, ${linksOf(tx)} as links`)
  return rows.map(splitLinks).sort((a, b) => (a.loan.id < b.loan.id ? -1 : 1))
}

export interface DueInPlan {
  readonly loan_id: string
  readonly due_on: Day | null
}

export async function setPlanDue(
  tx: Tx,
  partner_id: string,
  loans: readonly DueInPlan[],
): Promise<void> {
  await tx.run(sql`
    update loans l set plan_due_on = n.due_on
    from unnest(${loans.map(l => l.loan_id)}::uuid[], ${loans.map(l => l.due_on)}::date[])
      as n (id, due_on) where l.partner_id = ${partner_id} and l.id = n.id`)
}
