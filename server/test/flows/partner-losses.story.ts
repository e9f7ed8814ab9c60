/** Written-off loans where the partner shares the loss or was to pay the interest. */
import { expect } from 'vitest'
import { calendar } from '../support/calendar.ts'
import { asOthers, type TestHouse } from '../support/house.ts'
import { billsOf, booksOf, lend, loanOf, payIn, refundDebit } from '../support/money.ts'
import { agree, asSecond } from '../support/partner-terms.ts'
import { openCase } from '../support/recollection.ts'
import { readyBorrower, requestLoan } from '../support/story.ts'
import { writeOff } from '../support/write-offs.ts'

const story = calendar('2027-01-11')

async function standing({ client }: TestHouse, borrower: { id: string }) {
  return (await client.getBorrower({ borrower_id: borrower.id })).status
}

story('interest that a partner was to pay is not a debt of its borrower', async tale => {
  const { until } = tale
  await until('2027-01-14')
  const house = asSecond(tale.house)
  await agree(house, { repayment_handled_by: 'PARTNER' })
  const borrower = await readyBorrower(house, 'SCT')
  const [leaving, owing] = [await readyBorrower(house, 'SCT'), await readyBorrower(house, 'SCT')]
  const repaid = await lend(house, borrower, { amount: 100_000, days: 10 })
  const last = await lend(house, leaving, { amount: 40_000, days: 10 })
  const lost = await lend(house, owing, { amount: 60_000, days: 10 })
  const { id } = await openCase(house, borrower, { loan_ids: [repaid.id] })
  await until('2027-01-22')
  await payIn(house, { to: repaid, amount: 100_000 })
  await payIn(house, { to: last, amount: 40_000 })
  expect((await loanOf(house, repaid.id)).status).toBe('TO_REPAY_FEES')
  const closed = await house.client.getRecollectionCase({ recollection_case_id: id })
  expect(closed).toMatchObject({ status: 'CLOSED' })
  await house.client.deactivateBorrower({ borrower_id: leaving.id })
  expect(await standing(house, leaving)).toBe('DEACTIVATED')
  // The defaulting party is the partner.
  await until('2027-01-25')
  for (const loan of [repaid, last, lost]) await writeOff(house, loan, '2027-01-25')
  expect(await loanOf(house, repaid.id)).toMatchObject({ written_off_amount: 400 })
  expect(await standing(house, borrower)).toBe('READY')
  expect(await standing(house, owing)).toBe('BLOCKED')
  const told = await house.client.getBorrowerStatement({
    borrower_id: owing.id,
    from: '2027-01-01',
    to: '2027-01-25',
  })
  expect(told.movements.map(m => [m.kind, m.amount, m.written_off])).toEqual([
    ['payout', 60_000, 0],
    ['write_off', 0, 60_000],
  ])
  expect(told).toMatchObject({ closing_balance: 60_000, payoff_balance: 60_000 })
  await payIn(house, { to: lost, amount: 60_000 })
  expect(await loanOf(house, lost.id)).toMatchObject({ recovered_amount: 60_000 })
  expect(await standing(house, owing)).toBe('READY')
  await until('2027-01-26')
  for (const own of [borrower, owing]) expect(await standing(house, own)).toBe('READY')
  expect((await requestLoan(house, borrower, { amount: 10_000 })).denial_reason).toBe(null)
})

story('the partner bears its share of the loss, and gets its share of recoveries', async tale => {
  const { until } = tale
  const house = asSecond(tale.house)
  await agree(house, { fees_mode: 'PASSED_ON', mark_up_ppm: 100 })
  const borrower = await readyBorrower(house, 'SCT')
  const loan = await lend(house, borrower, { amount: 100_000, days: 40 })
  await until('2027-01-31')
  await writeOff(house, loan, '2027-01-31')
  // Twenty days: 1,000 of interest and 200 for the partner.
  expect(await loanOf(house, loan.id)).toMatchObject({ written_off_amount: 101_200 })
  expect(await booksOf(house, loan)).toMatchObject({
    interest_written_off: 1_000,
    mark_up_written_off: 200,
    partner_share: -200,
  })
  await until('2027-02-02')
  await payIn(house, { to: loan, amount: 100_600 })
  expect(await booksOf(house, loan)).toMatchObject({
    interest_written_off: 1_100,
    mark_up_written_off: 100,
    interest_recovered: -600,
  })
  await until('2027-02-04')
  const { data } = await house.client.listPayments({ payment_type: ['REVENUE_SHARE'] })
  expect(data).toMatchObject([{ amount: 100, status: 'PAID' }])
})

story('interest refunded after a write-off: the partner bears its share', async tale => {
  const { until } = tale
  const house = await asOthers(tale.house)
  await agree(house, { fees_mode: 'PASSED_ON', mark_up_ppm: 100 })
  const [lost, paying] = [await readyBorrower(house), await readyBorrower(house, 'SCT')]
  const loan = await lend(house, lost, { amount: 100_000, days: 45 })
  const other = await lend(house, paying, { amount: 100_000, days: 45 })
  await until('2027-02-12')
  const shares = async () => {
    const { data } = await house.client.listPayments({ payment_type: ['REVENUE_SHARE'] })
    return data.map(share => share.amount).reverse()
  }
  expect(await shares()).toEqual([210])
  await writeOff(house, loan, '2027-02-11')
  await until('2027-03-10')
  const [debited] = await billsOf(house, lost)
  await refundDebit(house, debited!.payment)
  expect(await booksOf(house, loan)).toMatchObject({ mark_up_written_off: 310 })
  for (const { to_pay_amount: amount, payment } of await billsOf(house, paying)) {
    await payIn(house, { to: other, amount, reference: payment.to_references[0]! })
  }
  // 490 for the other loan, for January and February.
  await until('2027-03-12')
  expect(await shares()).toEqual([210, 490 - 210])
})
