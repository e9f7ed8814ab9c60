/** Figures that users compare agree: estimated interest, days past due, statement and payoff. */
import { expect } from 'vitest'
import { readPdf } from '../documents/samples.ts'
import { calendar } from '../support/calendar.ts'
import {
  instructionOf,
  lend,
  loanOf,
  payIn,
  paymentsOfType,
  returnDebit,
} from '../support/money.ts'
import { readyBorrower } from '../support/story.ts'

const story = calendar('2027-01-11')

story(
  'a returned debit: interest is estimated up to today, and no other debit is planned',
  async tale => {
    const { app, until } = tale
    const borrower = await readyBorrower(app)
    const loan = await lend(app, borrower, { amount: 100_000, days: 10 })
    // Estimated up to the debit, on Thursday the 21st.
    expect((await loanOf(app, loan.id)).fees_estimated).toBe(500)
    await until('2027-01-22')
    const [debit] = await paymentsOfType(app, loan, 'REPAYMENT_NOMINAL')
    await returnDebit(app, debit!)
    expect(await loanOf(app, loan.id)).toMatchObject({
      status: 'TO_REPAY',
      fees_ongoing: 550,
      fees_estimated: 550,
    })
    await until('2027-01-29')
    expect(await loanOf(app, loan.id)).toMatchObject({ fees_ongoing: 900, fees_estimated: 900 })
  },
)

story('the rest of a debit recalled after the cut-off is debited later', async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app)
  const loan = await lend(app, borrower, { amount: 100_000, days: 10 })
  await until('2027-01-20T15:30:00+01:00')
  await payIn(app, { to: loan, amount: 30_000 })
  const [first, , second] = await paymentsOfType(app, loan, 'REPAYMENT_NOMINAL')
  expect(first).toMatchObject({ status: 'CANCELED', scheduled_at: '2027-01-21T00:00:00Z' })
  expect(second).toMatchObject({ amount: 70_000, scheduled_at: '2027-01-22T00:00:00Z' })
  expect((await instructionOf(app, second!)).requested_date).toBe('2027-01-22T00:00:00Z')
})

story('a case shows the days past due as of the day it is read', async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app, 'SCT')
  // The loan is due on Sunday the 31st, so it is overdue after Monday, 1 February.
  const loan = await lend(app, borrower, { amount: 100_000, days: 20 })
  await until('2027-02-19')
  const caseOf = async () => {
    const { data } = await app.client.listRecollectionCases({ identifier: borrower.identifier })
    return data.find(one => one.loan_ids.includes(loan.id))
  }
  expect(await caseOf()).toMatchObject({ days_late: 18 })
  await until('2027-02-20')
  const nineteen = await caseOf()
  expect(nineteen).toMatchObject({ days_late: 19 })
  expect(nineteen!.next_action.short_description).toBe('The loan was due on 1 February 2027.')
  await payIn(app, { to: loan, amount: 100_000 })
  expect(await caseOf()).toMatchObject({ days_late: 0 })
})

story('statement and payoff differ by the unbilled interest, and both show it', async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app, 'SCT')
  const loan = await lend(app, borrower, { amount: 100_000, days: 45 })
  await until('2027-02-11')
  // Interest for 21 days of January is billed. Interest for ten days of February is not.
  const payoff = await app.client.getLoanPayoff({ loan_id: loan.id })
  expect(payoff).toMatchObject({
    principal: 100_000,
    interest: 1_550,
    total: 101_550,
    billed_interest: 1_050,
    unbilled_interest: 500,
  })
  const days = { from: '2027-01-01', to: '2027-02-11' }
  const about = { borrower_id: borrower.id, ...days }
  expect(await app.client.getBorrowerStatement(about)).toMatchObject({
    closing_balance: 101_050,
    unbilled_interest: 500,
    payoff_balance: payoff.total,
    bills: [
      { amount: 1_050, paid_amount: 0, credited_amount: 0, lapsed_amount: 0, open_amount: 1_050 },
    ],
  })
  // At the end of January all interest is billed.
  const january = { ...about, to: '2027-01-31' }
  expect(await app.client.getBorrowerStatement(january)).toMatchObject({
    closing_balance: 101_050,
    unbilled_interest: 0,
    payoff_balance: 101_050,
  })
  const address = `${app.base_url}/borrower/${borrower.id}/statement`
  const pdf = await fetch(`${address}?from=${days.from}&to=${days.to}&format=pdf`, {
    headers: { authorization: `Bearer ${app.key}` },
  })
  const { text } = await readPdf(Buffer.from(await pdf.arrayBuffer()))
  expect(text).toContain('Intérêts non encore facturés 5,00 €')
  expect(text).toContain('1 015,50 €')
})
