/** Opens cases for overdue loans automatically. */
import { sql } from 'kysely'
import type { Reaction } from '../../../facts.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { onOrAfterTargetDay } from '../../../platform/kit/calendar.ts'
import { formatDay } from '../../../platform/kit/dates.ts'
import { writeCase } from './open-case.ts'

type LateFact = Parameters<Reaction<'loan_late'>>[1]

interface LateLoan {
  case_days: number
  has_case: boolean
}

/**
 * Opens a case once a loan's days past due reach its product's `case_days`, unless an open case
 * covers the loan.
 */
export async function openCaseWhenLate(
  tx: Tx,
  { partner_id, borrower_id, loan_id, late_from, days_late }: LateFact,
): Promise<void> {
  const loan = await tx.maybe(sql<LateLoan>`
    select p.case_days,
      exists (select from recollection_case_loans c
        where c.partner_id = l.partner_id and c.loan_id = l.id and c.is_open)
        as has_case
    from loans l join products p on p.id = l.product_id
    where l.partner_id = ${partner_id} and l.id = ${loan_id} and l.status = 'TO_REPAY'`)
  if (!loan || loan.has_case || days_late < loan.case_days) return
  await writeCase(tx, partner_id, {
    borrower_id,
    agent: 'service',
    notes: null,
    salt_id: null,
    request_hash: null,
    about: { loan_ids: [loan_id], bill_ids: [] },
    action: {
      input: {
        action_name: 'Contact the debtor',
        // Leaves out the days past due, which change daily; the case shows the current number.
        short_description: `The loan was due on ${formatDay(late_from, 'en')}.`,
      },
      due_on: onOrAfterTargetDay(tx.today),
    },
  })
}
