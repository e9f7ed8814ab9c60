/** Sets the days on which loans bear no interest, and rebooks the loans. */
import { type Actor, recordAmendment } from '../../../platform/db/move.ts'
import type { RowKey } from '../../../platform/db/of-partner.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import type { Day } from '../../../platform/kit/dates.ts'
import { currentMoney, lockLoansWithLinks } from '../booking/links.ts'
import { bookLoanFact, lockLoanMoney } from '../booking/money.ts'
import type { InterestStop } from '../interest.ts'
import { planCollections } from './plan-collections.ts'
import { planRefunds } from './refund-surplus.ts'

/** All interest stops of a loan. */
export interface LoanStops extends RowKey {
  readonly stops: readonly InterestStop[]
}

/** Sets all stops of locked loans at once; `changed_on` is the first day affected. */
export async function setInterestStops(
  tx: Tx,
  actor: Actor,
  loans: readonly LoanStops[],
  changed_on: Day,
  reason: string,
): Promise<void> {
  const changed: RowKey[] = []
  for (const { stops, ...key } of loans) {
    const [loan] = await lockLoanMoney(tx, [key])
    const fact = { kind: 'interest_stop' as const, value_on: changed_on, cash: 0n }
    const terms = { interest_stops: stops }
    const booked = await bookLoanFact(tx, actor, { loan: loan!, fact, terms })
    const [money] = await currentMoney(tx, [booked])
    recordAmendment(tx, actor, 'loan', [money!.loan], reason)
    await planRefunds(tx, actor, money!)
    changed.push(key)
  }
  await planCollections(tx, actor, await lockLoansWithLinks(tx, changed))
}
