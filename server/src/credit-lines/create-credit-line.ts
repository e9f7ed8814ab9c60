/** Gives a borrower its credit line once it has signed and can repay. */
import { sql } from 'kysely'
import type { BorrowerRow } from '../borrowers/index.ts'
import type { Actor } from '../db/move.ts'
import type { Tx } from '../db/transaction.ts'
import { note } from '../events/index.ts'
import { addDays } from '../kit/dates.ts'
import { poolAmount, SCORECARDS, scorecardInputs } from './scorecard.ts'
import { insertLine } from './store.ts'

interface Due {
  readonly borrower_id: string
  readonly partner_id: string
}

type DueBorrower = Pick<BorrowerRow, 'id' | 'company'> & { signed_at: Date; line_days: number }

/**
 * Creates the line of a borrower that has signed and has a method enabled (domain.md, Borrower:
 * it needs no KYB). Does nothing when that is not so or the line is there. The caller has locked
 * the borrower.
 */
export async function createCreditLineIfDue(
  tx: Tx,
  { borrower_id, partner_id }: Due,
  _actor: Actor,
): Promise<void> {
  const borrower = await findDue(tx, borrower_id, partner_id)
  if (!borrower) return
  const id = tx.newId()
  const scorecard = SCORECARDS[tx.settings.mode]
  const inputs = scorecardInputs(borrower.company, tx.today)
  const created = await insertLine(tx, {
    id,
    partner_id,
    borrower_id,
    contract_number: contractNumber(id),
    pool_amount: poolAmount(scorecard, inputs),
    starts_on: tx.today,
    ends_on: addDays(tx.today, borrower.line_days),
    signed_at: borrower.signed_at,
    scorecard_version: scorecard.version,
    inputs: JSON.stringify(inputs),
    created_at: tx.now,
  })
  if (created) note(tx, 'credit_line', id, 'CreditLine.CREATED')
}

async function findDue(
  tx: Tx,
  borrower_id: string,
  partner_id: string,
): Promise<DueBorrower | undefined> {
  return tx.maybe(sql<DueBorrower>`
    select b.id, b.company, b.signed_at, max(p.line_days) as line_days
    from borrowers b
    join borrower_products bp on bp.borrower_id = b.id
    join products p on p.id = bp.product_id
    where b.id = ${borrower_id} and b.partner_id = ${partner_id} and b.signed_at is not null
      and b.status in ('SDD_SETUP', 'ALL_PAYMENT_SETUP')
      and exists (select from repayment_methods m
        where m.borrower_id = b.id and m.status = 'READY')
      and not exists (select from credit_lines l where l.borrower_id = b.id)
    group by b.id`)
}

/** Short enough to be said on the telephone; its random part is that of the line's id. */
function contractNumber(id: string): string {
  return `CL-${id.replaceAll('-', '').slice(-16).toUpperCase()}`
}
