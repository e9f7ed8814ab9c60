/** The number of statements in a loan request's transaction. The limit may only be lowered. */
import { expect, test } from 'vitest'
import { testApp } from '../support/app.ts'
import { lend, loanOf } from '../support/money.ts'
import { sentBy } from '../support/statements.ts'
import { readyBorrower, requestLoan } from '../support/story.ts'

/** Including the commit, but not `begin`, which shares a packet with the statement after it. */
const REQUEST_MAX = 10

test.each(['SCT', 'DIRECT_DEBIT'] as const)('a request of a borrower that pays by %s', async by => {
  const app = await testApp({ work: false })
  const borrower = await readyBorrower(app, by)
  // The first request puts the account on file.
  await lend(app, borrower, { amount: 100_000 })
  const { context } = app
  const { database } = context
  let id = ''
  const sent = await sentBy(database, async counted => {
    Object.assign(context, { database: counted })
    id = (await requestLoan(app, borrower, { amount: 50_000 })).id
  })
  Object.assign(context, { database })
  const begun = sent.findLastIndex(({ text }) => text === 'begin')
  expect(begun).toBeGreaterThanOrEqual(0)
  expect(sent.length - begun - 1).toBeLessThanOrEqual(REQUEST_MAX)
  await app.drain()
  expect(await loanOf(app, id)).toMatchObject({ amount: 50_000, status: 'TO_REPAY' })
})
