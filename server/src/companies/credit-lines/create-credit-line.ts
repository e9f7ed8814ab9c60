/** Creates a borrower's credit line once the borrower has signed and can repay. */
import { sql } from 'kysely'
import type { Tx } from '../../platform/db/transaction.ts'
import { recordEvent } from '../../platform/events/index.ts'
import { addDays } from '../../platform/kit/dates.ts'
import type { BorrowerRow } from '../borrowers/index.ts'
import { assessmentRow } from './assess-lines.ts'
import { readInputs, scorecardInForce } from './inputs.ts'
import { assess } from './scorecard.ts'
import { insertAssessments, insertLine } from './store.ts'

interface Due {
  readonly borrower_id: string
  readonly partner_id: string
}

type DueBorrower = Pick<BorrowerRow, 'id'> & { signed_at: Date; line_days: number }

/**
 * Creates the line of a borrower that has signed and has an enabled method; KYB is not required.
 * Otherwise, or if the line exists, does nothing. The caller has locked the borrower.
 */
export async function createCreditLineIfDue(
  tx: Tx,
  { borrower_id, partner_id }: Due,
): Promise<void> {
  const borrower = await findDue(tx, borrower_id, partner_id)
  if (!borrower) return
  const id = tx.newId()
  const scorecard = await scorecardInForce(tx)
  const inputs = await readInputs(tx, [{ partner_id, id: borrower_id }], scorecard.rules)
  const figures = inputs.get(borrower_id)!
  const { pool_amount, steps } = assess(scorecard.rules, figures)
  const ends_on = addDays(tx.today, borrower.line_days)
  const created = await insertLine(tx, {
    id,
    partner_id,
    borrower_id,
    contract_number: contractNumber(id),
    pool_amount,
    starts_on: tx.today,
    ends_on,
    signed_at: borrower.signed_at,
    assessed_on: tx.today,
    created_at: tx.now,
  })
  if (!created) return
  const assessment = { figures, steps, pool_amount, ends_on, override_id: null }
  const row = assessmentRow(tx, { id, partner_id }, 'CREATION', scorecard, assessment)
  await insertAssessments(tx, [row])
  recordEvent(tx, 'credit_line', { partner_id, id }, 'CreditLine.CREATED')
}

async function findDue(
  tx: Tx,
  borrower_id: string,
  partner_id: string,
): Promise<DueBorrower | undefined> {
  return tx.maybe(sql<DueBorrower>`
    select b.id, b.signed_at, max(p.line_days) as line_days
    from borrowers b
    join borrower_products bp on bp.partner_id = b.partner_id and bp.borrower_id = b.id
    join products p on p.id = bp.product_id
    where b.id = ${borrower_id} and b.partner_id = ${partner_id} and b.signed_at is not null
      and b.status in ('SDD_SETUP', 'ALL_PAYMENT_SETUP')
      and exists (select from repayment_methods m
        where m.partner_id = b.partner_id and m.borrower_id = b.id and m.status = 'READY')
      and not exists (select from credit_lines l
        where l.partner_id = b.partner_id and l.borrower_id = b.id)
    group by b.partner_id, b.id`)
}

/**
 * The contract number of a line. It uses the random part of the line's id, because a whole id is
 * too long to read out by phone.
 */
function contractNumber(id: string): string {
  return `CL-${id.replaceAll('-', '').slice(-16).toUpperCase()}`
}
