/** Only final repayments raise a limit, not those that a bank may still return. */
import { expect } from 'vitest'
import { calendar, type StoryContext } from '../support/calendar.ts'
import {
  debitOf,
  type Loan,
  lend,
  lineOf,
  loanOf,
  payIn,
  paymentsOfType,
  refundDebit,
  returnDebit,
} from '../support/money.ts'
import { type ReadyBorrower, readyBorrower, requestLoan } from '../support/story.ts'

const story = calendar('2027-01-11')

const AS_BEFORE = { pool_amount: 5_000_000 }
/** €200,000 repaid on time raises the limit by €10,000. */
const RAISED = { pool_amount: 6_000_000 }

/** Four loans of €50,000, one after the other; returns the last one, due on 26 February. */
async function lendFour({ app, until }: StoryContext, borrower: ReadyBorrower): Promise<Loan> {
  for (const next of ['2027-01-25', '2027-02-08', '2027-02-22']) {
    await lend(app, borrower, { amount: 5_000_000, days: 4 })
    await until(next)
  }
  return lend(app, borrower, { amount: 5_000_000, days: 4 })
}

story('a debit raises it once its return window has passed', async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app)
  const loan = await lendFour(tale, borrower)
  await until('2027-02-26')
  expect((await loanOf(app, loan.id)).status).toBe('TO_REPAY_FEES')
  expect(await lineOf(app, borrower)).toMatchObject({ ...AS_BEFORE, balance_available: 0 })
  await until('2027-03-05')
  expect(await lineOf(app, borrower)).toMatchObject({ ...AS_BEFORE, balance_available: 0 })
  await until('2027-03-06')
  expect(await lineOf(app, borrower)).toMatchObject({ ...RAISED, balance_available: 6_000_000 })
})

story('a returned debit does not raise it', async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app)
  const loan = await lendFour(tale, borrower)
  await until('2027-02-26')
  const more = await requestLoan(app, borrower, { amount: 1_000_000 })
  expect(more).toMatchObject({ denial_reason: 'AMOUNT_SUPERIOR_TO_AVAILABLE_BALANCE' })
  await until('2027-03-01')
  await returnDebit(app, await debitOf(app, loan))
  expect(await lineOf(app, borrower)).toMatchObject({ ...AS_BEFORE, balance_available: 0 })
  expect((await loanOf(app, loan.id)).status).toBe('TO_REPAY')
})

story('a refund that turns out to be lent lowers it immediately', async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app)
  const loan = await lendFour(tale, borrower)
  const { iban } = await app.client.generateSandboxIban({ scenario: 'SUCCESS_ONE_DAY_LATER' })
  await until('2027-02-26')
  await payIn(app, { to: loan, amount: 5_000_000, from_iban: iban })
  await until('2027-03-08')
  expect(await lineOf(app, borrower)).toMatchObject(RAISED)
  expect((await paymentsOfType(app, loan, 'REFUND'))[0]).toMatchObject({ status: 'IN_TRANSIT' })
  // Until the refund arrives, the transfer counts as the repayment.
  await refundDebit(app, await debitOf(app, loan))
  expect(await lineOf(app, borrower)).toMatchObject(RAISED)
  await until('2027-03-09')
  expect((await loanOf(app, loan.id)).status).toBe('TO_REPAY')
  expect(await lineOf(app, borrower)).toMatchObject(AS_BEFORE)
})

story('a returned payout was not repaid: it lowers the limit immediately', async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app)
  const loan = await lendFour(tale, borrower)
  await until('2027-02-23')
  await payIn(app, { to: loan, amount: 5_000_000 })
  expect(await lineOf(app, borrower)).toMatchObject(RAISED)
  const [payout] = await paymentsOfType(app, loan, 'LOAN_PAYMENT')
  await returnDebit(app, payout!, { reason_code: 'AC04' })
  expect((await loanOf(app, loan.id)).status).toBe('ISSUE_DETECTED')
  expect(await lineOf(app, borrower)).toMatchObject(AS_BEFORE)
})
