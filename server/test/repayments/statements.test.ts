/** Statements needed to book a transfer. The limits may only be lowered. */
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { bookBankNews } from '../../src/money/payments/index.ts'
import { transaction } from '../../src/platform/db/transaction.ts'
import { addDays, day, firstOfMonth } from '../../src/platform/kit/dates.ts'
import { type TestApp, testApp } from '../support/app.ts'
import { billsOf, type Loan, lend, loanOf, referenceOf } from '../support/money.ts'
import { statementsOf } from '../support/statements.ts'
import { type ReadyBorrower, readyBorrower, today } from '../support/story.ts'

/** Includes the commit of the transaction, and the statement that sets its partner scope. */
const MOST = {
  // A partial payment emits an update event of the loan. The final one changes its status, which
  // has an event of its own.
  SCT: { part: 14, rest: 15 },
  // A planned debit is lowered or canceled as well.
  DIRECT_DEBIT: { part: 16, rest: 17 },
}

test.each(['SCT', 'DIRECT_DEBIT'] as const)('transfers of a borrower that pays by %s', async by => {
  const app = await testApp({ work: false })
  const borrower = await readyBorrower(app, by)
  const loan = await lend(app, borrower, { amount: 100_000, days: 30 })
  // The first transfer also opens ledger accounts.
  await book(app, borrower, loan, 20_000)
  expect(await book(app, borrower, loan, 30_000)).toBeLessThanOrEqual(MOST[by].part)
  expect(await loanOf(app, loan.id)).toMatchObject({ repaid_nominal_amount: 50_000 })
  expect(await book(app, borrower, loan, 50_000)).toBeLessThanOrEqual(MOST[by].rest)
  expect(await loanOf(app, loan.id)).toMatchObject({ repaid_nominal_amount: 100_000 })
})

/** For a loan with interest on an open bill, which changes as the loan is repaid. */
const MOST_OF_BILLED = { part: 16, rest: 19 }

test('transfers for a loan whose interest is on a bill', async () => {
  const app = await testApp({ work: false })
  const borrower = await readyBorrower(app, 'SCT')
  const next_month = firstOfMonth(addDays(firstOfMonth(day(await today(app))), 32))
  await app.client.advanceSandboxClock({ to: addDays(next_month, 19) })
  const loan = await lend(app, borrower, { amount: 100_000, days: 30 })
  await app.client.advanceSandboxClock({ days: 20 })
  await app.drain()
  expect(await billsOf(app, borrower)).toMatchObject([{ status: 'TO_PAY' }])
  await book(app, borrower, loan, 20_000)
  expect(await book(app, borrower, loan, 30_000)).toBeLessThanOrEqual(MOST_OF_BILLED.part)
  expect(await book(app, borrower, loan, 50_000)).toBeLessThanOrEqual(MOST_OF_BILLED.rest)
  expect(await loanOf(app, loan.id)).toMatchObject({ repaid_nominal_amount: 100_000 })
})

/** Sends a transfer with a loan's reference; returns the number of statements needed to book it. */
async function book(
  app: TestApp,
  borrower: ReadyBorrower,
  loan: Loan,
  amount: number,
): Promise<number> {
  const { database } = app.context
  await app.client.createSandboxIncomingTransfer({
    to_iban: loan.repayment_to.account_number,
    amount,
    from_iban: borrower.account_number!,
    from_name: 'Payer',
    reference: referenceOf(loan),
  })
  const [news] = await transaction(database, { partners: '*', actor: 'service' }, tx =>
    tx.all(sql<{ id: string }>`select id from bank_news where booked_at is null`),
  )
  const took = await statementsOf(database, on =>
    transaction(on, { partners: '*', actor: 'service' }, tx => bookBankNews(tx, news!.id)),
  )
  await app.drain()
  return took
}
