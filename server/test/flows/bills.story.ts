/** Monthly bills: their content and how they are paid. */
import { expect } from 'vitest'
import { calendar } from '../support/calendar.ts'
import { billsOf, instructionOf, lend, loanOf, payIn } from '../support/money.ts'
import { readyBorrower } from '../support/story.ts'

const story = calendar('2027-01-28')

const referenceOn = (bill: { payment: { to_references: string[] } }) =>
  bill.payment.to_references[0]!

story('a loan over three month-ends: three bills, matching the formula to the cent', async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app)
  await until('2027-01-29')
  const loan = await lend(app, borrower, { amount: 123_456, days: 45 })
  await until('2027-04-05')
  const bills = await billsOf(app, borrower)
  // 185.184, 1,728.384 and 864.192 cents. Up to the end of February, 1,913.568 rounds to 1,914.
  expect(bills.map(b => b.lines)).toMatchObject([
    [{ loan_id: loan.id, kind: 'INTEREST', days: 3, amount: 185 }],
    [
      { loan_id: loan.id, kind: 'INTEREST', days: 28, amount: 1_728 },
      { kind: 'ROUNDING', amount: 1, exact_to_date_microcents: 1_913_568_000 },
    ],
    [{ loan_id: loan.id, kind: 'INTEREST', days: 14, amount: 864 }],
  ])
  expect(bills.map(b => b.status)).toEqual(['PAID', 'PAID', 'PAID'])
  const event_type = 'LOAN_INTERESTS_FALLEN_DUE' as const
  const log = await app.client.listEvents({ loan_id: [loan.id], event_type: [event_type] })
  expect(log.data.map(({ event_payload }) => event_payload.fees_amount)).toEqual([864, 1_729, 185])
  expect(await loanOf(app, loan.id)).toMatchObject({
    status: 'CLOSED',
    paid_interests_amount: 2_778,
    repaid_amount: 126_234,
  })
})

story('several loans: one bill, each loan rounded separately, partly paid', async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app, 'SCT')
  const first = await lend(app, borrower, { amount: 100_300, days: 20 })
  await until('2027-01-29')
  const second = await lend(app, borrower, { amount: 100_300, days: 20 })
  const third = await lend(app, borrower, { amount: 100_300, days: 20 })
  await until('2027-01-30')
  await payIn(app, { to: first, amount: 100_300 })
  await payIn(app, { to: third, amount: 100_300 })
  await until('2027-02-01')
  const [bill] = await billsOf(app, borrower)
  // 100.3, 150.45 and 50.15 cents, which would be 301 if rounded together.
  expect(bill).toMatchObject({ to_pay_amount: 300 })
  expect(bill!.lines).toMatchObject([
    { loan_id: first.id, kind: 'INTEREST', days: 2, amount: 100 },
    { loan_id: second.id, kind: 'INTEREST', days: 3, amount: 150 },
    { loan_id: third.id, kind: 'INTEREST', days: 1, amount: 50 },
  ])
  await payIn(app, { to: first, amount: 220, reference: referenceOn(bill!) })
  expect(await loanOf(app, first.id)).toMatchObject({ status: 'CLOSED' })
  expect(await loanOf(app, second.id)).toMatchObject({
    status: 'TO_REPAY',
    paid_interests_amount: 120,
    repaid_nominal_amount: 0,
  })
  expect(await loanOf(app, third.id)).toMatchObject({ status: 'TO_REPAY_FEES' })
  expect((await billsOf(app, borrower))[0]?.status).toBe('TO_PAY')
  await payIn(app, { to: first, amount: 80, reference: referenceOn(bill!) })
  expect((await loanOf(app, third.id)).status).toBe('CLOSED')
  expect((await billsOf(app, borrower))[0]?.status).toBe('PAID')
})

story('interest that rounds to zero closes the loan, without a bill', async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app, 'SCT')
  const even = await lend(app, borrower, { amount: 1_000, days: 10 })
  const odd = await lend(app, borrower, { amount: 3_000, days: 10 })
  await until('2027-01-29')
  await payIn(app, { to: even, amount: 1_000 })
  await payIn(app, { to: odd, amount: 3_000 })
  // Cents are rounded half to even: 0.5 to 0, and 1.5 to 2.
  expect(await loanOf(app, even.id)).toMatchObject({ status: 'CLOSED', fees_ongoing: 0 })
  expect(await loanOf(app, odd.id)).toMatchObject({ status: 'TO_REPAY_FEES', fees_ongoing: 2 })
  await until('2027-02-01')
  expect((await billsOf(app, borrower))[0]?.lines).toMatchObject([
    { loan_id: odd.id, kind: 'INTEREST', days: 1, amount: 2 },
  ])
})

story('a transfer for a bill recalls its debit; the rest keeps its date', async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app)
  const loan = await lend(app, borrower, { amount: 100_000, days: 45 })
  await until('2027-02-02')
  const [bill] = await billsOf(app, borrower)
  expect(bill?.payment).toMatchObject({ status: 'INSTRUCTED', amount: 200 })
  await payIn(app, { to: loan, amount: 150, reference: referenceOn(bill!) })
  expect((await instructionOf(app, bill!.payment)).status).toBe('CANCELED')
  const { data } = await app.client.listPayments({ status: ['INSTRUCTED', 'SCHEDULED'] })
  expect(data.find(p => p.related_to.bills.some(b => b.bill_id === bill!.id))).toMatchObject({
    amount: 50,
    payment_method: 'DIRECT_DEBIT',
    scheduled_at: '2027-02-03T00:00:00Z',
  })
  // A bill shows its pending payment. If none is pending, it shows the one that paid it.
  expect(await billsOf(app, borrower)).toMatchObject([
    { status: 'TO_PAY', payment: { status: 'INSTRUCTED', amount: 50 } },
  ])
  await until('2027-02-04')
  expect(await billsOf(app, borrower)).toMatchObject([
    { status: 'PAID', payment: { status: 'PAID', amount: 50, payment_method: 'DIRECT_DEBIT' } },
  ])
  expect((await loanOf(app, loan.id)).paid_interests_amount).toBe(200)
})

story("a bill's rejected debit is still owed, and not presented again", async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app)
  const loan = await lend(app, borrower, { amount: 100_000, days: 45 })
  await until('2027-02-02')
  const [bill] = await billsOf(app, borrower)
  const { id } = await instructionOf(app, bill!.payment)
  await app.client.rejectSandboxInstruction({ instruction_id: id })
  await until('2027-02-08')
  expect(await billsOf(app, borrower)).toMatchObject([
    { status: 'TO_PAY', payment: { id: bill!.payment.id, status: 'FAILED' } },
  ])
  await payIn(app, { to: loan, amount: 200, reference: referenceOn(bill!) })
  expect(await billsOf(app, borrower)).toMatchObject([
    { status: 'PAID', payment: { status: 'PAID', payment_method: 'SCT' } },
  ])
})

story('interest paid ahead is shown on the next bill as paid', async ({ app, until }) => {
  const borrower = await readyBorrower(app)
  const loan = await lend(app, borrower, { amount: 100_000, days: 45 })
  await until('2027-01-30')
  await payIn(app, { to: loan, amount: 100_060 })
  expect(await loanOf(app, loan.id)).toMatchObject({ status: 'TO_REPAY_FEES' })
  await until('2027-02-03')
  expect(await billsOf(app, borrower)).toMatchObject([
    { status: 'PAID', to_pay_amount: 40, lines: [{ amount: 100 }], payment: { amount: 40 } },
  ])
  expect((await loanOf(app, loan.id)).status).toBe('CLOSED')
})

story('two unpaid bills: a surplus pays the older, a transfer its target', async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app, 'SCT')
  const loan = await lend(app, borrower, { amount: 100_000, days: 45 })
  const twin = await lend(app, await readyBorrower(app, 'SCT'), { amount: 100_000, days: 45 })
  await until('2027-03-02')
  const [first, second] = await billsOf(app, borrower)
  expect([first!.to_pay_amount, second!.to_pay_amount]).toEqual([200, 1_400])
  await payIn(app, { to: loan, amount: 1_400, reference: referenceOn(second!) })
  expect((await billsOf(app, borrower)).map(b => b.status)).toEqual(['TO_PAY', 'PAID'])
  await payIn(app, { to: loan, amount: 100_100 })
  // The transfer pays principal first, then billed interest, then interest accrued since.
  const after = { status: 'TO_REPAY_FEES', paid_interests_amount: 1_500, fees_ongoing: 1_650 }
  expect(await loanOf(app, loan.id)).toMatchObject(after)
  await payIn(app, { to: twin, amount: 100_300 })
  const bills = await billsOf(app, { id: twin.borrower.id! })
  expect(bills.map(b => b.status)).toEqual(['PAID', 'TO_PAY'])
})
