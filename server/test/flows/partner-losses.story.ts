/** Write-offs of loans whose interest the partner pays, or whose loss it shares. */
import { expect } from 'vitest'
import { asOtherPartners, type TestApp } from '../support/app.ts'
import { calendar } from '../support/calendar.ts'
import { billsOf, booksOf, lend, loanOf, payIn, refundDebit } from '../support/money.ts'
import { agree, asSecondPartner } from '../support/partner-terms.ts'
import { openCase } from '../support/recollection.ts'
import { readyBorrower, requestLoan } from '../support/story.ts'
import { writeOff } from '../support/write-offs.ts'

const story = calendar('2027-01-11')

async function state({ client }: TestApp, borrower: { id: string }) {
  return (await client.getBorrower({ borrower_id: borrower.id })).status
}

story('interest that a partner was to pay is not a debt of its borrower', async tale => {
  const { until } = tale
  await until('2027-01-14')
  const app = asSecondPartner(tale.app)
  await agree(app, { repayment_handled_by: 'PARTNER' })
  const borrower = await readyBorrower(app, 'SCT')
  const [leaving, owing] = [await readyBorrower(app, 'SCT'), await readyBorrower(app, 'SCT')]
  const repaid = await lend(app, borrower, { amount: 100_000, days: 10 })
  const last = await lend(app, leaving, { amount: 40_000, days: 10 })
  const lost = await lend(app, owing, { amount: 60_000, days: 10 })
  const { id } = await openCase(app, borrower, { loan_ids: [repaid.id] })
  await until('2027-01-22')
  await payIn(app, { to: repaid, amount: 100_000 })
  await payIn(app, { to: last, amount: 40_000 })
  expect((await loanOf(app, repaid.id)).status).toBe('TO_REPAY_FEES')
  const closed = await app.client.getRecollectionCase({ recollection_case_id: id })
  expect(closed).toMatchObject({ status: 'CLOSED' })
  await app.client.deactivateBorrower({ borrower_id: leaving.id })
  expect(await state(app, leaving)).toBe('DEACTIVATED')
  // Only written-off principal blocks a borrower, because the partner owed the interest.
  await until('2027-01-25')
  for (const loan of [repaid, last, lost]) await writeOff(app, loan, '2027-01-25')
  expect(await loanOf(app, repaid.id)).toMatchObject({ written_off_amount: 400 })
  expect(await state(app, borrower)).toBe('READY')
  expect(await state(app, owing)).toBe('BLOCKED')
  const result = await app.client.getBorrowerStatement({
    borrower_id: owing.id,
    from: '2027-01-01',
    to: '2027-01-25',
  })
  expect(result.movements.map(m => [m.kind, m.amount, m.written_off])).toEqual([
    ['payout', 60_000, 0],
    ['write_off', 0, 60_000],
  ])
  expect(result).toMatchObject({ closing_balance: 60_000, payoff_balance: 60_000 })
  await payIn(app, { to: lost, amount: 60_000 })
  expect(await loanOf(app, lost.id)).toMatchObject({ recovered_amount: 60_000 })
  expect(await state(app, owing)).toBe('READY')
  await until('2027-01-26')
  for (const own of [borrower, owing]) expect(await state(app, own)).toBe('READY')
  expect((await requestLoan(app, borrower, { amount: 10_000 })).denial_reason).toBe(null)
})

story('the partner bears its share of the loss, and gets its share of recoveries', async tale => {
  const { until } = tale
  const app = asSecondPartner(tale.app)
  await agree(app, { fees_mode: 'PASSED_ON', mark_up_ppm: 100 })
  const borrower = await readyBorrower(app, 'SCT')
  const loan = await lend(app, borrower, { amount: 100_000, days: 40 })
  await until('2027-01-31')
  await writeOff(app, loan, '2027-01-31')
  // Interest for twenty days is 1,000, and the partner's mark-up 200.
  expect(await loanOf(app, loan.id)).toMatchObject({ written_off_amount: 101_200 })
  expect(await booksOf(app, loan)).toMatchObject({
    interest_written_off: 1_000,
    mark_up_written_off: 200,
    partner_share: -200,
  })
  await until('2027-02-02')
  await payIn(app, { to: loan, amount: 100_600 })
  expect(await booksOf(app, loan)).toMatchObject({
    interest_written_off: 1_100,
    mark_up_written_off: 100,
    interest_recovered: -600,
  })
  await until('2027-02-04')
  const { data } = await app.client.listPayments({ payment_type: ['REVENUE_SHARE'] })
  expect(data).toMatchObject([{ amount: 100, status: 'PAID' }])
})

story('interest refunded after a write-off: the partner bears its share', async tale => {
  const { until } = tale
  const app = await asOtherPartners(tale.app)
  await agree(app, { fees_mode: 'PASSED_ON', mark_up_ppm: 100 })
  const [lost, paying] = [await readyBorrower(app), await readyBorrower(app, 'SCT')]
  const loan = await lend(app, lost, { amount: 100_000, days: 45 })
  const other = await lend(app, paying, { amount: 100_000, days: 45 })
  await until('2027-02-12')
  const shares = async () => {
    const { data } = await app.client.listPayments({ payment_type: ['REVENUE_SHARE'] })
    return data.map(share => share.amount).reverse()
  }
  expect(await shares()).toEqual([210])
  await writeOff(app, loan, '2027-02-11')
  await until('2027-03-10')
  const [debited] = await billsOf(app, lost)
  await refundDebit(app, debited!.payment)
  expect(await booksOf(app, loan)).toMatchObject({ mark_up_written_off: 310 })
  for (const { to_pay_amount: amount, payment } of await billsOf(app, paying)) {
    await payIn(app, { to: other, amount, reference: payment.to_references[0]! })
  }
  // The other loan's mark-up for January and February is 490. The 210 that were refunded to the
  // first borrower are deducted.
  await until('2027-03-12')
  expect(await shares()).toEqual([210, 490 - 210])
})
