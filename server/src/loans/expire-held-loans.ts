/** Declines loans that were held up until they make no sense any more. */
import { sql } from 'kysely'
import type { Actor } from '../db/move.ts'
import { type Database, type Tx, transaction } from '../db/transaction.ts'
import { addDays, type Day } from '../kit/dates.ts'
import { declineLoan } from './decide-waiting-loans.ts'
import { lockLoanMoney } from './money.ts'
import { HELD_DAYS_MAX } from './rules.ts'

const SERVICE: Actor = 'service'
const SLICE = 100

/**
 * A loan held up past its payout day with less than a day left, or for 30 days, is declined
 * LOAN_REQUEST_EXPIRED and its headroom released (domain.md, Loan). Answers how many.
 */
export async function expireHeldLoans(database: Database, today: Day): Promise<number> {
  for (let declined = 0; ; ) {
    const slice = await transaction(database, { partners: '*' }, tx => expireSlice(tx, today))
    if (slice === 0) return declined
    declined += slice
  }
}

async function expireSlice(tx: Tx, today: Day): Promise<number> {
  const held = await tx.all(sql<{ id: string }>`
    select id from loans where status in ('PENDING_VALIDATION', 'TO_VALIDATE')
      and (to_pay_on < ${today} and to_repay_on <= ${today}
        or to_pay_on < ${addDays(today, -HELD_DAYS_MAX)})
    order by id limit ${SLICE}`)
  const loans = await lockLoanMoney(
    tx,
    held.map(h => h.id),
  )
  const still = loans.filter(l => l.status === 'PENDING_VALIDATION' || l.status === 'TO_VALIDATE')
  for (const loan of still) await declineLoan(tx, SERVICE, loan, 'LOAN_REQUEST_EXPIRED')
  return held.length
}
