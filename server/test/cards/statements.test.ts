/**
 * Limits the number of SQL statements that booking card money takes. A limit may be raised only if
 * a new event has to read more.
 */
import { expect, test } from 'vitest'
import { applyCardEvents, closeCardCycles } from '../../src/credit/cards/index.ts'
import { runPaged } from '../../src/platform/db/slices.ts'
import { transaction } from '../../src/platform/db/transaction.ts'
import { day } from '../../src/platform/kit/dates.ts'
import type { TestApp } from '../support/app.ts'
import { appOn } from '../support/calendar.ts'
import { movement, noon, tell } from '../support/card-news.ts'
import { activeCard } from '../support/cards.ts'
import { statementsOf } from '../support/statements.ts'
import { readyBorrower } from '../support/story.ts'

/** Includes the commit of each transaction, and the statement that sets its partner scope. */
const MOST = { close: 31, refund: 16 }

test('a cycle that closes, and a refund that repays its loan', async () => {
  const app = await appOn('2027-01-28')
  const { database } = app.context
  const card = await activeCard(app, await readyBorrower(app, 'SCT'))
  await tell(app, movement(card, 'payment', 20_000, noon('2027-01-28')))
  const first = day('2027-02-01')
  const closed = await statementsOf(database, on => runPaged(on, closeCardCycles(first)))
  expect(closed).toBeLessThanOrEqual(MOST.close)
  await app.drain()
  // The first refund also opens ledger accounts.
  await refund(app, card, 1_000)
  const took = await refund(app, card, 3_000)
  expect(took).toBeLessThanOrEqual(MOST.refund)
  const { data } = await app.client.listLoans({ borrower: [card.borrower.id] })
  expect(data).toMatchObject([{ amount: 20_000, repaid_nominal_amount: 4_000 }])
})

function refund(
  { context: { database } }: TestApp,
  card: Awaited<ReturnType<typeof activeCard>>,
  amount: number,
): Promise<number> {
  const news = movement(card, 'refund', amount, noon('2027-01-28'))
  return statementsOf(database, on =>
    transaction(on, { partners: '*', actor: 'service' }, tx =>
      applyCardEvents(tx.as('processor'), [news]),
    ),
  )
}
