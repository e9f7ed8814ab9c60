/** A debt is paid twice. If one payment is reclaimed, the other one pays the debt. */
import { expect } from 'vitest'
import { matchSuspense, unmatchSuspense } from '../../src/credit/repayments/index.ts'
import { readOpenAlerts } from '../../src/platform/alerts/index.ts'
import type { TestApp } from '../support/app.ts'
import { calendar, type StoryContext } from '../support/calendar.ts'
import {
  billsOf,
  debitOf,
  type Loan,
  lend,
  loanOf,
  type Payment,
  payIn,
  paymentsOf,
  paymentsOfType,
  referenceOf,
  refundDebit,
  returnDebit,
} from '../support/money.ts'
import { asOperator, createOperatorId } from '../support/operators.ts'
import { installmentsOf, lateInPlan, transfer } from '../support/recollection.ts'
import { type ReadyBorrower, readyBorrower } from '../support/story.ts'

const story = calendar('2027-01-11')

/** An account that no borrower has on file. */
const SECOND_PAYER = 'FR7630006000011234567890189'

async function refundsOf(app: TestApp, loan: { id: string }) {
  const refunds = await paymentsOfType(app, loan, 'REFUND')
  return refunds
    .filter(({ status }) => status !== 'CANCELED')
    .map(({ amount, status, scheduled_at }) => [amount, status, scheduled_at!.slice(0, 10)])
}

const statusOf = async ({ client }: TestApp, { id: borrower_id }: ReadyBorrower) =>
  (await client.getBorrower({ borrower_id })).status

const isDebit = (payment: Payment) => payment.payment_method === 'DIRECT_DEBIT'

/** Cents allocated to loans from a loan's only transfer. */
async function allocated(app: TestApp, loan: Loan): Promise<number> {
  const transfers = (await paymentsOf(app, loan)).filter(
    ({ payment_method, payment_type }) => payment_method === 'SCT' && /^REPAY/.test(payment_type),
  )
  expect(transfers).toHaveLength(1)
  return transfers[0]!.related_to.loans.reduce((sum, { amount }) => sum + amount, 0)
}

async function billDebitOf(app: TestApp, loan: Loan): Promise<Payment> {
  return (await paymentsOfType(app, loan, 'REPAYMENT_FEES')).find(isDebit)!
}

story(
  'a bill: a payment besides its debit waits, and pays once the debit is reclaimed',
  async tale => {
    const { app, until } = tale
    const borrower = await readyBorrower(app)
    const loan = await lend(app, borrower, { amount: 1_000_000, days: 10 })
    await until('2027-02-03')
    const [bill] = await billsOf(app, borrower)
    const reference = bill!.payment.to_references[0]!
    await payIn(app, { to: loan, amount: 5_000, reference, from_iban: SECOND_PAYER })
    // The refund waits because the debit of 3 February can be returned until the 10th.
    expect(await refundsOf(app, loan)).toEqual([[5_000, 'SCHEDULED', '2027-02-11']])
    await until('2027-02-05')
    await returnDebit(app, await billDebitOf(app, loan))
    expect((await billsOf(app, borrower))[0]).toMatchObject({ status: 'PAID' })
    expect(await loanOf(app, loan.id)).toMatchObject({ status: 'CLOSED' })
    expect(await refundsOf(app, loan)).toEqual([])
    await until('2027-02-12')
    expect(await statusOf(app, borrower)).toBe('READY')
  },
)

story('a bill: the debit of its loan may have paid it, and is reclaimed', async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app)
  const loan = await lend(app, borrower, { amount: 1_000_000, days: 25 })
  await until('2027-02-03')
  await returnDebit(app, await billDebitOf(app, loan))
  const [{ payment } = expect.fail()] = await billsOf(app, borrower)
  const { amount } = payment
  await until('2027-02-05')
  // This repayment is valued before the loan's debit, which therefore pays the bill.
  await payIn(app, { to: loan, amount, value_date: '2027-02-04' })
  expect((await billsOf(app, borrower))[0]).toMatchObject({ status: 'PAID' })
  const reference = payment.to_references[0]!
  await payIn(app, { to: loan, amount, reference, from_iban: SECOND_PAYER })
  // The refund waits because the debit of 5 February can be returned until the 12th.
  expect(await refundsOf(app, loan)).toEqual([[amount, 'SCHEDULED', '2027-02-15']])
  await until('2027-02-08')
  await returnDebit(app, await debitOf(app, loan))
  expect((await billsOf(app, borrower))[0]).toMatchObject({ status: 'PAID' })
  expect(await refundsOf(app, loan)).toEqual([])
})

story("a bill for two loans: one loan's surplus pays the other", async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app)
  const one = await lend(app, borrower, { amount: 1_000_000, days: 40 })
  const two = await lend(app, borrower, { amount: 1_000_000, days: 10 })
  await until('2027-01-21')
  await payIn(app, { to: two, amount: 5_000, from_iban: SECOND_PAYER })
  await until('2027-02-03')
  // The second loan's interest is paid, so the bill's debit collects only the first loan's.
  await payIn(app, { to: one, amount: 1_010_000, value_date: '2027-02-02' })
  expect(await refundsOf(app, one)).toEqual([[9_500, 'SCHEDULED', '2027-02-11']])
  await refundDebit(app, await debitOf(app, two))
  expect((await billsOf(app, borrower))[0]).toMatchObject({ status: 'PAID' })
  expect(await refundsOf(app, one)).toEqual([[4_500, 'SCHEDULED', '2027-02-11']])
})

story('a bill: a wrong match is undone, and the right payment pays it', async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app, 'SCT')
  const loan = await lend(app, borrower, { amount: 1_000_000, days: 45 })
  await until('2027-02-02')
  const [bill] = await billsOf(app, borrower)
  const stray = { to: loan, amount: 10_503, reference: 'nothing', from_iban: SECOND_PAYER }
  await payIn(app, stray)
  const { rows } = await app.context.database.pool.query(
    'select id from suspense_items where amount = 10503',
  )
  const [operator, item] = [await createOperatorId(app), rows[0].id]
  await asOperator(app, tx => matchSuspense(tx.as(operator), item, bill!.id))
  const reference = bill!.payment.to_references[0]!
  await payIn(app, { to: loan, amount: 10_500, reference })
  await asOperator(app, tx => unmatchSuspense(tx.as(operator), item))
  expect((await billsOf(app, borrower))[0]).toMatchObject({ status: 'PAID' })
  expect(await refundsOf(app, loan)).toEqual([])
  await until('2027-02-16')
  expect(await statusOf(app, borrower)).toBe('READY')
})

story('two loans: a transfer for both waits for the debit of one of them', async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app)
  const one = await lend(app, borrower, { amount: 1_000_000, days: 10 })
  const two = await lend(app, borrower, { amount: 1_000_000, days: 40 })
  await until('2027-01-21')
  const reference = `${referenceOf(one)} ${referenceOf(two)}`
  await payIn(app, { to: one, amount: 2_000_000, from_iban: SECOND_PAYER, reference })
  // If the first loan's debit is returned, the second loan's surplus must repay the first.
  expect(await refundsOf(app, two)).toEqual([[990_000, 'SCHEDULED', '2027-01-29']])
  expect(await allocated(app, two)).toBe(2_000_000)
  await until('2027-01-25')
  await returnDebit(app, await debitOf(app, one))
  expect(await loanOf(app, one.id)).toMatchObject({ repaid_nominal_amount: 995_000 })
  expect(await loanOf(app, two.id)).toMatchObject({ repaid_nominal_amount: 1_000_000 })
  expect(await refundsOf(app, two)).toEqual([])
  // Money that moved from one loan to the other is not counted twice.
  expect(await allocated(app, two)).toBe(2_000_000)
})

story('two loans: surplus that is never needed is refunded on the next banking day', async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app)
  const one = await lend(app, borrower, { amount: 1_000_000, days: 10 })
  const two = await lend(app, borrower, { amount: 1_000_000, days: 40 })
  await until('2027-01-21')
  const reference = `${referenceOf(one)} ${referenceOf(two)}`
  await payIn(app, { to: one, amount: 2_500_000, from_iban: SECOND_PAYER, reference })
  // Each loan takes 5,000 of interest. Only 1,000,000, the first loan's debit, can be returned.
  expect(await refundsOf(app, two)).toEqual([
    [490_000, 'SCHEDULED', '2027-01-22'],
    [1_000_000, 'SCHEDULED', '2027-01-29'],
  ])
})

story('two loans: a refund already paid is lent if the debit is reclaimed later', async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app)
  const one = await lend(app, borrower, { amount: 1_000_000, days: 10 })
  const two = await lend(app, borrower, { amount: 1_000_000, days: 40 })
  await until('2027-01-21')
  const reference = `${referenceOf(one)} ${referenceOf(two)}`
  await payIn(app, { to: one, amount: 2_000_000, from_iban: SECOND_PAYER, reference })
  await until('2027-02-15')
  expect(await refundsOf(app, two)).toEqual([[990_000, 'PAID', '2027-01-29']])
  await refundDebit(app, await debitOf(app, one))
  expect(await loanOf(app, one.id)).toMatchObject({
    // The 5,000 that had paid interest repays principal first.
    status: 'TO_REPAY',
    repaid_nominal_amount: 5_000,
  })
  const alerts = await asOperator(app, readOpenAlerts)
  expect(alerts.filter(alert => alert.subject_id === one.id)).toMatchObject([
    { kind: 'refund_reclaimed', detail: expect.stringContaining('9,900.00') },
  ])
})

story(
  'two loans: the rest of a transfer stays ahead of another one on the same day',
  async tale => {
    const { app, until } = tale
    const borrower = await readyBorrower(app)
    const one = await lend(app, borrower, { amount: 1_000_000, days: 10 })
    const two = await lend(app, borrower, { amount: 1_000_000, days: 40 })
    await until('2027-01-21')
    const reference = `${referenceOf(one)} ${referenceOf(two)}`
    await payIn(app, { to: one, amount: 1_200_000, from_iban: SECOND_PAYER, reference })
    await payIn(app, { to: two, amount: 300_000 })
    const toBorrower = async () => {
      const refunds = await paymentsOfType(app, two, 'REFUND')
      const planned = refunds.filter(({ status }) => status === 'SCHEDULED')
      const { account_number } = two.loan_to
      return planned
        .filter(({ to_account_details: to }) => to!.account_number === account_number)
        .map(({ amount }) => amount)
    }
    expect(await toBorrower()).toEqual([300_000])
    await returnDebit(app, await debitOf(app, one))
    // 5,000 had paid the first loan's interest, and 190,000 was surplus of the second loan.
    expect(await loanOf(app, one.id)).toMatchObject({ repaid_nominal_amount: 195_000 })
    expect(await toBorrower()).toEqual([300_000])
    expect(await refundsOf(app, two)).toEqual([[300_000, 'SCHEDULED', '2027-01-22']])
  },
)

/** Two overdue loans in one plan by direct debit. */
const planOfTwo = (tale: StoryContext, number_of_installment: number) =>
  lateInPlan(tale, [1_000_000, 1_000_000], { number_of_installment, recollection_fees: 5_000 })

async function planDebit(app: TestApp, loan: Loan): Promise<Payment> {
  return (await paymentsOf(app, loan)).findLast(
    payment => isDebit(payment) && payment.payment_type === 'REPAYMENT_FULL',
  )!
}

story('an installment: a transfer besides its debit waits, and pays it instead', async tale => {
  const { app, until } = tale
  const { loans, plan } = await planOfTwo(tale, 1)
  const [installment] = await installmentsOf(app, plan.id)
  await until('2027-01-25')
  const { reference, due_amount: amount } = installment!
  await transfer(app, { reference: reference!, amount, from_iban: SECOND_PAYER })
  const planned = (await Promise.all(loans.map(loan => refundsOf(app, loan)))).flat()
  expect(planned.reduce((sum, [cents]) => sum + Number(cents), 0)).toBe(amount)
  for (const refund of planned) expect(refund.slice(1)).toEqual(['SCHEDULED', '2027-02-02'])
  await until('2027-01-28')
  await returnDebit(app, await planDebit(app, loans[0]!))
  expect((await installmentsOf(app, plan.id))[0]).toMatchObject({ status: 'PAID' })
  expect(await app.client.getInstallmentPlan({ installment_plan_id: plan.id })).toMatchObject({
    status: 'COMPLETED',
  })
  for (const loan of loans) expect(await refundsOf(app, loan)).toEqual([])
})

story('an installment paid in full and on time does not break its plan', async tale => {
  const { app, until } = tale
  const { loans, plan } = await planOfTwo(tale, 2)
  const [first] = await installmentsOf(app, plan.id)
  await until('2027-01-25')
  const { reference, due_amount: amount } = first!
  await transfer(app, { reference: reference!, amount, from_iban: SECOND_PAYER })
  await until('2027-01-27')
  await returnDebit(app, await planDebit(app, loans[0]!))
  expect((await installmentsOf(app, plan.id))[0]).toMatchObject({ status: 'PAID' })
  await until('2027-01-31')
  expect(await app.client.getInstallmentPlan({ installment_plan_id: plan.id })).toMatchObject({
    status: 'ACTIVE',
  })
})

story(
  'an installment: a partial payment before its debit stays when the debit is returned',
  async tale => {
    const { app, until } = tale
    const { loans, plan } = await planOfTwo(tale, 2)
    const [first] = await installmentsOf(app, plan.id)
    const reference = first!.reference!
    await transfer(app, { reference, amount: 300_000, from_iban: SECOND_PAYER })
    await until('2027-01-27')
    await returnDebit(app, await planDebit(app, loans[0]!))
    expect((await installmentsOf(app, plan.id))[0]).toMatchObject({
      status: 'PARTIALLY_PAID',
      paid_amount: 300_000,
    })
  },
)

story('an installment: a refund paid before its debit was refunded is owed', async tale => {
  const { app, until } = tale
  const { loans, plan } = await planOfTwo(tale, 1)
  const [installment] = await installmentsOf(app, plan.id)
  await until('2027-01-25')
  const { reference, due_amount: amount } = installment!
  await transfer(app, { reference: reference!, amount, from_iban: SECOND_PAYER })
  await until('2027-02-15')
  const sent = (await Promise.all(loans.map(loan => refundsOf(app, loan)))).flat()
  expect(sent.map(([cents]) => Number(cents)).reduce((sum, cents) => sum + cents, 0)).toBe(amount)
  await refundDebit(app, await planDebit(app, loans[0]!))
  expect((await installmentsOf(app, plan.id))[0]).toMatchObject({ paid_amount: 0 })
  const owed = await Promise.all(loans.map(({ id }) => loanOf(app, id)))
  for (const loan of owed) expect(loan.status).toBe('TO_REPAY')
  const alerts = await asOperator(app, readOpenAlerts)
  expect(alerts.filter(alert => alert.subject_id === installment!.id)).toMatchObject([
    { kind: 'refund_reclaimed' },
  ])
})

/** Two overdue loans, and the reference of a transfer with both as targets. */
async function twoLate({ app, until }: StoryContext) {
  const borrower = await readyBorrower(app, 'SCT')
  const one = await lend(app, borrower, { amount: 100_000, days: 10 })
  const two = await lend(app, borrower, { amount: 100_000, days: 11 })
  await until('2027-01-28')
  const reference = `${referenceOf(one)} ${referenceOf(two)}`
  return { app, borrower, one, two, reference }
}

story(
  'two overdue loans: the surplus of a backdated transfer for both pays the other one',
  async tale => {
    const { app, borrower, one, two, reference } = await twoLate(tale)
    await payIn(app, { to: one, amount: 150_000, reference })
    await payIn(app, { to: one, amount: 100_000, value_date: '2027-01-25' })
    for (const { id } of [one, two]) {
      expect(await loanOf(app, id)).toMatchObject({ repaid_nominal_amount: 100_000 })
    }
    const back = (await Promise.all([one, two].map(loan => refundsOf(app, loan)))).flat()
    // Interest is 1,550: 14 days of one loan and 17 of the other.
    expect(back.map(([cents]) => cents)).toEqual([48_450])
    expect(await statusOf(app, borrower)).toBe('READY')
  },
)

story("two loans: the first one's payout is returned, and its money pays the other", async tale => {
  const { app, one, two, reference } = await twoLate(tale)
  await payIn(app, { to: one, amount: 100_000, reference })
  const [payout] = await paymentsOfType(app, one, 'LOAN_PAYMENT')
  await returnDebit(app, payout!, { reason_code: 'AC04' })
  expect(await refundsOf(app, one)).toEqual([])
  expect(await loanOf(app, two.id)).toMatchObject({ repaid_nominal_amount: 100_000 })
})

story(
  'two loans: a payout is returned and the other owes nothing, so everything is refunded',
  async tale => {
    const { app, one, two, reference } = await twoLate(tale)
    await payIn(app, { to: two, amount: 101_000 })
    await payIn(app, { to: one, amount: 100_000, reference })
    const [payout] = await paymentsOfType(app, one, 'LOAN_PAYMENT')
    await returnDebit(app, payout!, { reason_code: 'AC04' })
    expect(await refundsOf(app, one)).toEqual([[100_000, 'SCHEDULED', '2027-01-29']])
  },
)
