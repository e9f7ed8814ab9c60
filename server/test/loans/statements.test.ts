/** Statements per loan request in its transaction. The limit may only be lowered. */
import { expect, test } from 'vitest'
import { testHouse } from '../support/house.ts'
import { lend, loanOf } from '../support/money.ts'
import { sentBy } from '../support/statements.ts'
import { readyBorrower, requestLoan } from '../support/story.ts'

/** Including those that begin and end the transaction. */
const REQUEST_MAX = 10

test.each(['SCT', 'DIRECT_DEBIT'] as const)('a request of a borrower that pays by %s', async by => {
  const house = await testHouse({ work: false })
  const borrower = await readyBorrower(house, by)
  // The first request puts the account on file.
  await lend(house, borrower, { amount: 100_000 })
  const { context } = house
  const { database } = context
  let id = ''
  const sent = await sentBy(database, async counted => {
    Object.assign(context, { database: counted })
    id = (await requestLoan(house, borrower, { amount: 50_000 })).id
  })
  Object.assign(context, { database })
  const begun = sent.findLastIndex(({ text }) => text.startsWith('begin;'))
  expect(sent.length - begun).toBeLessThanOrEqual(REQUEST_MAX)
  await house.drain()
  expect(await loanOf(house, id)).toMatchObject({ amount: 50_000, status: 'TO_REPAY' })
})
