/** Sets the days on which loans bear no interest, and rebooks the loans. */
import { recordAmendment } from '../../../platform/db/move.ts'
import type { RowKey } from '../../../platform/db/of-partner.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import type { Day } from '../../../platform/kit/dates.ts'
import { currentMoney } from '../booking/links.ts'
import { type BookedLoan, lockLoanMoney } from '../booking/money.ts'
import type { InterestStop } from '../interest.ts'
import { bookLoan } from './plan-payments.ts'

export interface LoanStops extends RowKey {
  readonly stops: readonly InterestStop[]
}

/**
 * Replaces all interest stops of each loan and rebooks it; `changed_on` is the first day affected.
 */
export async function setInterestStops(
  tx: Tx,
  loans: readonly LoanStops[],
  changed_on: Day,
  reason: string,
): Promise<void> {
  const onBooked = async (booked: readonly BookedLoan[]) => {
    const money = await currentMoney(tx, booked)
    recordAmendment(
      tx,
      'loan',
      money.map(one => one.loan),
      reason,
    )
  }
  for (const { stops, ...key } of loans) {
    const [loan] = await lockLoanMoney(tx, [key])
    const fact = { kind: 'interest_stop' as const, value_on: changed_on, cash: 0n }
    const changes = { interest_stops: stops }
    await bookLoan(tx, { loan: loan!, fact, changes }, { onBooked })
  }
}
