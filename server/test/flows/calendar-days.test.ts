/** Due dates, bills and interest around closed days, clock changes and leap days. */
import { describe, expect } from 'vitest'
import { calendar } from '../support/calendar.ts'
import { billsOf, lend, loanOf, payIn, paymentsOfType } from '../support/money.ts'
import { readyBorrower } from '../support/story.ts'

describe('New Year 2027: Friday the 1st is closed', () => {
  const story = calendar('2026-12-28')

  story('due on the 1st: collected on Monday the 4th', async ({ app, until }) => {
    const borrower = await readyBorrower(app)
    const loan = await lend(app, borrower, { amount: 100_000, days: 4 })
    await until('2027-01-02')
    // Bills are generated on the 1st, sent on the first banking day and due on the third.
    expect(await billsOf(app, borrower)).toMatchObject([
      { status: 'GENERATED', invoice_number: null, to_pay_amount: 200 },
    ])
    await until('2027-01-04')
    expect(await loanOf(app, loan.id)).toMatchObject({
      status: 'TO_REPAY_FEES',
      repaid_nominal_at: '2027-01-04T00:00:00Z',
      fees_ongoing: 350,
    })
    expect(await billsOf(app, borrower)).toMatchObject([
      {
        status: 'TO_PAY',
        invoice_number: expect.stringMatching(/^HR-2027-\d{6}$/),
        start_date: '2026-12-01T00:00:00Z',
        end_date: '2026-12-31T00:00:00Z',
        due_date: '2027-01-06T00:00:00Z',
        to_pay_amount: 200,
        lines: [{ loan_id: loan.id, days: 4, amount: 200 }],
      },
    ])
    await until('2027-01-06')
    expect(await billsOf(app, borrower)).toMatchObject([{ status: 'PAID' }])
    expect((await loanOf(app, loan.id)).status).toBe('TO_REPAY_FEES')
  })

  story('a bill includes payments reported before it is sent', async ({ app, until }) => {
    const borrower = await readyBorrower(app, 'SCT')
    const loan = await lend(app, borrower, { amount: 100_000, days: 20 })
    const other = await lend(app, borrower, { amount: 50_000, days: 20 })
    await until('2027-01-02')
    expect(await billsOf(app, borrower)).toMatchObject([{ to_pay_amount: 300 }])
    await payIn(app, { to: loan, amount: 40_000, value_date: '2026-12-30' })
    await payIn(app, { to: other, amount: 50_000, value_date: '2026-12-28' })
    await until('2027-01-04')
    // Interest on €1,000 for two days and €600 for two. The other loan was repaid at once.
    expect(await billsOf(app, borrower)).toMatchObject([
      {
        status: 'TO_PAY',
        to_pay_amount: 160,
        lines: [
          { loan_id: loan.id, days: 2, amount: 100 },
          { loan_id: loan.id, days: 2, amount: 60 },
        ],
        payment: { amount: 160 },
      },
    ])
    expect((await loanOf(app, other.id)).status).toBe('CLOSED')
  })

  story('a bill with nothing left to pay is not sent', async ({ app, until }) => {
    const borrower = await readyBorrower(app)
    await until('2026-12-31')
    const loan = await lend(app, borrower, { amount: 100_000, days: 20 })
    await until('2027-01-02')
    expect(await billsOf(app, borrower)).toMatchObject([{ to_pay_amount: 50 }])
    await payIn(app, { to: loan, amount: 100_000, value_date: '2026-12-31' })
    expect((await loanOf(app, loan.id)).status).toBe('CLOSED')
    await until('2027-01-04')
    expect(await billsOf(app, borrower)).toMatchObject([{ status: 'INVALID', lines: [] }])
  })
})

describe('Easter 2027: closed from Friday the 26th to Monday the 29th of March', () => {
  const story = calendar('2027-03-23')

  story('due on Good Friday: collected on Tuesday', async ({ app, until }) => {
    const borrower = await readyBorrower(app)
    const loan = await lend(app, borrower, { amount: 100_000, days: 3 })
    expect(loan.fees_estimated).toBe(350)
    await until('2027-03-29')
    expect((await loanOf(app, loan.id)).status).toBe('TO_REPAY')
    await until('2027-03-30')
    expect(await loanOf(app, loan.id)).toMatchObject({
      status: 'TO_REPAY_FEES',
      // Seven days, although one of them has only 23 hours.
      fees_ongoing: 350,
    })
    await until('2027-04-01')
    expect(await billsOf(app, borrower)).toMatchObject([
      { status: 'TO_PAY', due_date: '2027-04-05T00:00:00Z', lines: [{ days: 7 }] },
    ])
    await until('2027-04-05')
    expect(await billsOf(app, borrower)).toMatchObject([{ status: 'PAID' }])
    expect((await loanOf(app, loan.id)).status).toBe('CLOSED')
  })

  story('a one-day loan before Easter: debited as soon as the notice allows', async tale => {
    const { app, until } = tale
    const borrower = await readyBorrower(app)
    await until('2027-03-25')
    const loan = await lend(app, borrower, { amount: 100_000, days: 1 })
    const [debit] = await paymentsOfType(app, loan, 'REPAYMENT_NOMINAL')
    expect(debit?.scheduled_at).toBe('2027-03-31T00:00:00Z')
    await until('2027-03-31')
    expect(await loanOf(app, loan.id)).toMatchObject({ fees_ongoing: 300 })
    // The notice moved the debit beyond the due date, so the borrower is not overdue meanwhile.
    expect(await lend(app, borrower, { amount: 1_000, days: 5 })).toMatchObject({
      status: 'TO_REPAY',
    })
  })

  story('over the night when the clocks go forward', async ({ app, until }) => {
    const borrower = await readyBorrower(app, 'SCT')
    await until('2027-03-27')
    const loan = await lend(app, borrower, { amount: 100_000, days: 20 })
    await until('2027-03-28')
    expect((await loanOf(app, loan.id)).fees_ongoing).toBe(50)
    await until('2027-03-29')
    expect((await loanOf(app, loan.id)).fees_ongoing).toBe(100)
    await payIn(app, { to: loan, amount: 100_000 })
    expect((await loanOf(app, loan.id)).fees_ongoing).toBe(100)
  })
})

describe('1 May 2027 is a Saturday', () => {
  const story = calendar('2027-04-29')

  story(
    'due on that day: collected on Monday, the bill due on Wednesday',
    async ({ app, until }) => {
      const borrower = await readyBorrower(app)
      const loan = await lend(app, borrower, { amount: 100_000, days: 2 })
      await until('2027-05-03')
      expect(await loanOf(app, loan.id)).toMatchObject({ fees_ongoing: 200 })
      expect(await billsOf(app, borrower)).toMatchObject([
        { status: 'TO_PAY', due_date: '2027-05-05T00:00:00Z', to_pay_amount: 100 },
      ])
      await until('2027-05-05')
      expect(await billsOf(app, borrower)).toMatchObject([{ status: 'PAID' }])
    },
  )
})

describe('the night when the clocks go back, 31 October 2027', () => {
  const story = calendar('2027-10-30')

  story('its 25 hours count as one day', async ({ app, until }) => {
    const borrower = await readyBorrower(app, 'SCT')
    const loan = await lend(app, borrower, { amount: 100_000, days: 10 })
    await until('2027-11-01')
    expect((await loanOf(app, loan.id)).fees_ongoing).toBe(100)
    expect(await billsOf(app, borrower)).toMatchObject([
      { to_pay_amount: 100, lines: [{ days: 2 }] },
    ])
  })
})

describe('29 February 2028', () => {
  const story = calendar('2028-02-27')

  story('counts once, and is on the bill', async ({ app, until }) => {
    const borrower = await readyBorrower(app, 'SCT')
    const loan = await lend(app, borrower, { amount: 100_000, days: 2 })
    expect(loan.to_repay_at).toBe('2028-02-29T00:00:00Z')
    expect(loan.fees_estimated).toBe(100)
    await until('2028-03-01')
    expect((await loanOf(app, loan.id)).fees_ongoing).toBe(150)
    expect(await billsOf(app, borrower)).toMatchObject([
      { end_date: '2028-02-29T00:00:00Z', to_pay_amount: 150, lines: [{ days: 3 }] },
    ])
  })
})
