/** Refunds whose money turns out to be needed while they are in transit. */
import { expect } from 'vitest'
import { calendar, type Tale } from '../support/calendar.ts'
import type { TestHouse } from '../support/house.ts'
import {
  debitOf,
  type Loan,
  lend,
  loanOf,
  payIn,
  paymentsOfType,
  referenceOf,
  refundDebit,
  sendBack,
} from '../support/money.ts'
import { readyBorrower } from '../support/story.ts'

const story = calendar('2027-01-11')

/** Active refunds, as amount, status and date. */
async function refundsOf(house: TestHouse, ...loans: readonly Loan[]) {
  const all = await Promise.all(loans.map(loan => paymentsOfType(house, loan, 'REFUND')))
  return all
    .flat()
    .filter(({ status }) => status !== 'CANCELED')
    .map(({ amount, status, scheduled_at }) => [amount, status, scheduled_at!.slice(0, 10)])
}

const repaid = async (house: TestHouse, { id }: Loan) =>
  (await loanOf(house, id)).repaid_nominal_amount

/** Two loans, the first debited today, and a payer whose bank takes a day. */
async function debited({ house, until }: Tale, days: number) {
  const borrower = await readyBorrower(house)
  const { iban: payer } = await house.client.generateSandboxIban({
    scenario: 'SUCCESS_ONE_DAY_LATER',
  })
  const one = await lend(house, borrower, { amount: 1_000_000, days: 10 })
  const two = await lend(house, borrower, { amount: 1_000_000, days })
  await until('2027-01-21')
  return { borrower, payer, one, two, both: `${referenceOf(one)} ${referenceOf(two)}` }
}

story(
  'one loan: the refund is lent once it has left, and nothing is refunded again',
  async tale => {
    const { house, until } = tale
    const { one, payer } = await debited(tale, 40)
    await payIn(house, { to: one, amount: 1_000_000, from_iban: payer })
    await until('2027-01-29')
    expect(await refundsOf(house, one)).toEqual([[995_000, 'IN_TRANSIT', '2027-01-29']])
    await refundDebit(house, await debitOf(house, one))
    expect(await refundsOf(house, one)).toEqual([[995_000, 'IN_TRANSIT', '2027-01-29']])
    expect(await loanOf(house, one.id)).toMatchObject({ repaid_nominal_amount: 1_000_000 })
    await until('2027-02-03')
    expect(await refundsOf(house, one)).toEqual([[995_000, 'PAID', '2027-01-29']])
    expect(await loanOf(house, one.id)).toMatchObject({
      status: 'TO_REPAY',
      repaid_nominal_amount: 5_000,
      reclaimed_refunds_amount: 995_000,
    })
  },
)

story('two loans: a refund in transit is missing, one not yet sent pays', async tale => {
  const { house, until } = tale
  const { one, two, payer, both } = await debited(tale, 40)
  await payIn(house, { to: one, amount: 2_000_000, from_iban: payer, reference: both })
  await until('2027-01-29')
  const leaving = [990_000, 'IN_TRANSIT', '2027-01-29']
  expect(await refundsOf(house, one, two)).toEqual([leaving])
  await refundDebit(house, await debitOf(house, one))
  expect(await refundsOf(house, one, two)).toEqual([leaving])
  expect(await repaid(house, one)).toBe(5_000)
  // A transfer for both is not refunded while either loan is owed.
  await payIn(house, { to: one, amount: 500_000, reference: both })
  expect(await repaid(house, one)).toBe(505_000)
  await until('2027-02-03')
  expect(await refundsOf(house, one, two)).toEqual([[990_000, 'PAID', '2027-01-29']])
  expect(await repaid(house, one)).toBe(505_000)
})

story('two loans: a returned refund pays the reopened loan', async tale => {
  const { house, until } = tale
  const { one, two, payer, both } = await debited(tale, 40)
  await payIn(house, { to: one, amount: 2_000_000, from_iban: payer, reference: both })
  await until('2027-01-29')
  await refundDebit(house, await debitOf(house, one))
  await until('2027-02-01')
  const [refund] = await paymentsOfType(house, two, 'REFUND')
  await sendBack(house, refund!, { reason_code: 'AC04' })
  // 5,000 of it had paid interest, and now repays principal.
  expect(await repaid(house, one)).toBe(995_000)
  expect(await refundsOf(house, one)).toEqual([])
  await until('2027-02-03')
  expect(await refundsOf(house, one, two)).toEqual([[990_000, 'PAID', '2027-01-29']])
})

story("two loans: a refund lent when it leaves is paid by the other loan's surplus", async tale => {
  const { house, until } = tale
  const { one, two, payer, both } = await debited(tale, 18)
  await payIn(house, { to: one, amount: 1_000_000, from_iban: payer })
  await until('2027-01-29')
  await refundDebit(house, await debitOf(house, one))
  await payIn(house, { to: two, amount: 500_000, reference: both })
  // The second loan's debit of today can be returned until 5 February.
  expect(await refundsOf(house, two)).toEqual([[486_000, 'SCHEDULED', '2027-02-08']])
  await until('2027-02-01')
  expect(await refundsOf(house, one)).toEqual([[995_000, 'PAID', '2027-01-29']])
  // 5,000 of the first payer's transfer was not refunded.
  expect(await repaid(house, one)).toBe(491_000)
  expect(await refundsOf(house, two)).toEqual([])
})
