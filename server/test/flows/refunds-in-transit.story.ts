/** Refunds that have left or are planned when a debit is reclaimed. */
import { expect } from 'vitest'
import type { TestApp } from '../support/app.ts'
import { calendar, type StoryContext } from '../support/calendar.ts'
import {
  debitOf,
  type Loan,
  lend,
  loanOf,
  payIn,
  paymentsOfType,
  referenceOf,
  refundDebit,
  returnDebit,
} from '../support/money.ts'
import { readyBorrower } from '../support/story.ts'

const story = calendar('2027-01-11')

async function refundsOf(app: TestApp, ...loans: readonly Loan[]) {
  const all = await Promise.all(loans.map(loan => paymentsOfType(app, loan, 'REFUND')))
  return all
    .flat()
    .filter(({ status }) => status !== 'CANCELED')
    .map(({ amount, status, scheduled_at }) => [amount, status, scheduled_at!.slice(0, 10)])
}

const repaid = async (app: TestApp, { id }: Loan) => (await loanOf(app, id)).repaid_nominal_amount

/** Two loans, the first debited today, and a payer whose refunds arrive a day later. */
async function debited({ app, until }: StoryContext, days: number) {
  const borrower = await readyBorrower(app)
  const { iban: payer } = await app.client.generateSandboxIban({
    scenario: 'SUCCESS_ONE_DAY_LATER',
  })
  const one = await lend(app, borrower, { amount: 1_000_000, days: 10 })
  const two = await lend(app, borrower, { amount: 1_000_000, days })
  await until('2027-01-21')
  return { borrower, payer, one, two, both: `${referenceOf(one)} ${referenceOf(two)}` }
}

story(
  'one loan: the refund is lent once it has left, and nothing is refunded again',
  async tale => {
    const { app, until } = tale
    const { one, payer } = await debited(tale, 40)
    await payIn(app, { to: one, amount: 1_000_000, from_iban: payer })
    await until('2027-01-29')
    expect(await refundsOf(app, one)).toEqual([[995_000, 'IN_TRANSIT', '2027-01-29']])
    await refundDebit(app, await debitOf(app, one))
    expect(await refundsOf(app, one)).toEqual([[995_000, 'IN_TRANSIT', '2027-01-29']])
    expect(await loanOf(app, one.id)).toMatchObject({ repaid_nominal_amount: 1_000_000 })
    await until('2027-02-03')
    expect(await refundsOf(app, one)).toEqual([[995_000, 'PAID', '2027-01-29']])
    expect(await loanOf(app, one.id)).toMatchObject({
      status: 'TO_REPAY',
      repaid_nominal_amount: 5_000,
      reclaimed_refunds_amount: 995_000,
    })
  },
)

story('two loans: a refund in transit is lent; one not yet sent repays the loan', async tale => {
  const { app, until } = tale
  const { one, two, payer, both } = await debited(tale, 40)
  await payIn(app, { to: one, amount: 2_000_000, from_iban: payer, reference: both })
  await until('2027-01-29')
  const leaving = [990_000, 'IN_TRANSIT', '2027-01-29']
  expect(await refundsOf(app, one, two)).toEqual([leaving])
  await refundDebit(app, await debitOf(app, one))
  expect(await refundsOf(app, one, two)).toEqual([leaving])
  expect(await repaid(app, one)).toBe(5_000)
  // A transfer for both loans is not refunded while either is owed.
  await payIn(app, { to: one, amount: 500_000, reference: both })
  expect(await repaid(app, one)).toBe(505_000)
  await until('2027-02-03')
  expect(await refundsOf(app, one, two)).toEqual([[990_000, 'PAID', '2027-01-29']])
  expect(await repaid(app, one)).toBe(505_000)
})

story('two loans: a returned refund pays the reopened loan', async tale => {
  const { app, until } = tale
  const { one, two, payer, both } = await debited(tale, 40)
  await payIn(app, { to: one, amount: 2_000_000, from_iban: payer, reference: both })
  await until('2027-01-29')
  await refundDebit(app, await debitOf(app, one))
  await until('2027-02-01')
  const [refund] = await paymentsOfType(app, two, 'REFUND')
  await returnDebit(app, refund!, { reason_code: 'AC04' })
  // The returned 990,000 repays principal, and so does the 5,000 that had paid interest.
  expect(await repaid(app, one)).toBe(995_000)
  expect(await refundsOf(app, one)).toEqual([])
  await until('2027-02-03')
  expect(await refundsOf(app, one, two)).toEqual([[990_000, 'PAID', '2027-01-29']])
})

story("two loans: a refund lent when it leaves is paid by the other loan's surplus", async tale => {
  const { app, until } = tale
  const { one, two, payer, both } = await debited(tale, 18)
  await payIn(app, { to: one, amount: 1_000_000, from_iban: payer })
  await until('2027-01-29')
  await refundDebit(app, await debitOf(app, one))
  await payIn(app, { to: two, amount: 500_000, reference: both })
  // The second loan's debit of 29 January can be returned until 5 February.
  expect(await refundsOf(app, two)).toEqual([[486_000, 'SCHEDULED', '2027-02-08']])
  await until('2027-02-01')
  expect(await refundsOf(app, one)).toEqual([[995_000, 'PAID', '2027-01-29']])
  // The surplus of 486,000 repays principal, and so does the 5,000 that had paid interest.
  expect(await repaid(app, one)).toBe(491_000)
  expect(await refundsOf(app, two)).toEqual([])
})
