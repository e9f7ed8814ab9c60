/** Declines or cancels loans that have waited too long for a decision or their payout. */
import { type RawBuilder, sql } from 'kysely'
import { followKey, haveKeys, type RowKey } from '../../../platform/db/of-partner.ts'
import { keyedJob, type Paged } from '../../../platform/db/slices.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { addDays, type Day } from '../../../platform/kit/dates.ts'
import { lockLoanMoney } from '../booking/money.ts'
import { declineLoans } from '../requests/decide-waiting-loans.ts'
import { HELD_DAYS_MAX } from '../requests/rules.ts'
import { withdrawLoans } from './cancel-loan.ts'

const SLICE = 100

/**
 * Declines unapproved loans with LOAN_REQUEST_EXPIRED once their due date has come, or their payout
 * date is more than `HELD_DAYS_MAX` days past. Cancels scheduled loans whose payout was not sent
 * before the due date.
 */
export function expireHeldLoans(today: Day): Paged {
  return keyedJob(
    'held loans to expire',
    (tx, after) => readExpired(tx, today, followKey(after, 'loans')),
    (tx, keys) => expireTogether(tx, today, keys),
  )
}

function readExpired(tx: Tx, today: Day, which: RawBuilder<unknown>): Promise<RowKey[]> {
  return tx.all(sql<RowKey>`
    select partner_id, id from loans
    where status in ('PENDING_VALIDATION', 'TO_VALIDATE') and ${which}
      and (to_pay_on < ${today} and to_repay_on <= ${today}
        or to_pay_on < ${addDays(today, -HELD_DAYS_MAX)})
    union all
    select partner_id, id from loans
    where status = 'SCHEDULED' and to_repay_on <= ${today} and ${which}
    order by partner_id, id limit ${SLICE}`)
}

async function expireTogether(tx: Tx, today: Day, keys: readonly RowKey[]): Promise<number> {
  const locked = await lockLoanMoney(tx, keys)
  const held = new Set((await readExpired(tx, today, haveKeys(keys, 'loans'))).map(h => h.id))
  const loans = locked.filter(loan => held.has(loan.id))
  const still = loans.filter(l => l.status === 'PENDING_VALIDATION' || l.status === 'TO_VALIDATE')
  const unpaid = loans.filter(l => l.status === 'SCHEDULED')
  await withdrawLoans(tx, unpaid, 'cancel', 'LOAN_REQUEST_EXPIRED')
  await declineLoans(tx, still, 'LOAN_REQUEST_EXPIRED')
  return held.size
}
