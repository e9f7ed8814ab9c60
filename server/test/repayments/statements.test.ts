/** How many statements booking a transfer takes. The limit may only go down. */
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { bookBankNews } from '../../src/money/payments/index.ts'
import { transaction } from '../../src/platform/db/transaction.ts'
import { testHouse } from '../support/house.ts'
import { lend, loanOf, referenceOf } from '../support/money.ts'
import { statementsOf } from '../support/statements.ts'
import { readyBorrower } from '../support/story.ts'

/** With its opening and its commit. */
const TRANSFER_MAX = 15

test('a transfer that repays a part of a loan', async () => {
  const house = await testHouse({ work: false })
  const borrower = await readyBorrower(house, 'SCT')
  const loan = await lend(house, borrower, { amount: 100_000, days: 30 })
  const { database } = house.context
  const book = async (amount: number) => {
    await house.client.createSandboxIncomingTransfer({
      to_iban: loan.repayment_to.account_number,
      amount,
      from_iban: borrower.account_number!,
      from_name: 'Payer',
      reference: referenceOf(loan),
    })
    const [news] = await transaction(database, { partners: '*' }, tx =>
      tx.all(sql<{ id: string }>`select id from bank_news where booked_at is null`),
    )
    const took = await statementsOf(database, on =>
      transaction(on, { partners: '*' }, tx => bookBankNews(tx, news!.id)),
    )
    await house.drain()
    return took
  }
  // The first one opens accounts.
  await book(20_000)
  expect(await book(30_000)).toBeLessThanOrEqual(TRANSFER_MAX)
  expect(await loanOf(house, loan.id)).toMatchObject({ repaid_nominal_amount: 50_000 })
})
