/** Unmatched payments that operators match, unmatch or return, and failed payouts. */
import { expect } from 'vitest'
import { cancelFailedPayout, payAgain } from '../../src/credit/loans/index.ts'
import {
  dismissSuspense,
  matchSuspense,
  unmatchSuspense,
} from '../../src/credit/repayments/index.ts'
import { sendBackSuspense } from '../../src/money/payments/index.ts'
import { acknowledgeAlert, readOpenAlerts } from '../../src/platform/alerts/index.ts'
import { day } from '../../src/platform/kit/dates.ts'
import type { TestApp } from '../support/app.ts'
import { calendar, type StoryContext } from '../support/calendar.ts'
import {
  billsOf,
  creditOf,
  lend,
  lineOf,
  loanOf,
  payIn,
  paymentsOfType,
  receiveNews,
  referenceOf,
  returnDebit,
  suspenseReasons,
} from '../support/money.ts'
import { asOperator } from '../support/operators.ts'
import { installmentsOf, openCase, planFor } from '../support/recollection.ts'
import { readyBorrower, requestLoan } from '../support/story.ts'

const story = calendar('2027-01-14')
const ACTOR = crypto.randomUUID()
const STRANGER = 'FR7630006000011234567890189'

async function itemOf({ context }: TestApp, amount: number) {
  const { rows } = await context.database.pool.query(
    'select id, status, cash from suspense_items where amount = $1 order by id desc limit 1',
    [amount],
  )
  return rows[0] as { id: string; status: string; cash: bigint }
}

async function alertsOf(app: TestApp, subject_id: string) {
  const alerts = await asOperator(app, readOpenAlerts)
  return alerts.filter(alert => alert.subject_id === subject_id)
}

/** A loan, and a function that pays it by transfer without a known reference. */
async function stray(app: TestApp, amount: number, from_iban?: string | null) {
  const to = await lend(app, await readyBorrower(app, 'SCT'), { amount: 100_000, days: 20 })
  const input = { to, amount, reference: 'for you', from_iban, value_date: '2027-01-16' }
  return {
    to,
    pay: () =>
      payIn(
        app,
        from_iban === undefined ? { ...input, from_iban: to.loan_to.account_number } : input,
      ),
  }
}

story('a match uses the value date, and can be undone and repeated', async ({ app, until }) => {
  const { to, pay } = await stray(app, 60_001)
  await until('2027-01-19')
  await pay()
  const { id } = await itemOf(app, 60_001)
  const detail = expect.stringMatching(/^transfer in of €[\d,.]+: /)
  expect(await alertsOf(app, id)).toMatchObject([{ kind: 'suspense', detail }])
  await asOperator(app, tx => matchSuspense(tx.as(ACTOR), id, referenceOf(to)))
  // Interest for two days on the full amount and for three on the rest.
  expect(await loanOf(app, to.id)).toMatchObject({
    repaid_nominal_amount: 60_001,
    fees_ongoing: 160,
  })
  expect(await suspenseReasons(app, 60_001)).toEqual([])
  expect(await alertsOf(app, id)).toEqual([])
  const again = asOperator(app, tx => matchSuspense(tx.as(ACTOR), id, to.id))
  await expect(again).rejects.toMatchObject({ code: 'state_conflict' })
  await asOperator(app, tx => unmatchSuspense(tx.as(ACTOR), id))
  expect(await loanOf(app, to.id)).toMatchObject({ repaid_nominal_amount: 0, fees_ongoing: 250 })
  expect(await itemOf(app, 60_001)).toMatchObject({ id, status: 'OPEN' })
  expect(await alertsOf(app, id)).toHaveLength(1)
  await asOperator(app, tx => matchSuspense(tx.as(ACTOR), id, to.id))
  expect(await loanOf(app, to.id)).toMatchObject({ repaid_nominal_amount: 60_001 })
})

story('after an undone match, the debit covers all that is owed', async ({ app, until }) => {
  const to = await lend(app, await readyBorrower(app), { amount: 100_000, days: 20 })
  const { pay } = await stray(app, 60_003)
  await until('2027-01-18')
  await pay()
  const { id } = await itemOf(app, 60_003)
  const planned = async () => {
    const debits = await paymentsOfType(app, to, 'REPAYMENT_NOMINAL')
    return debits.filter(one => one.status === 'SCHEDULED').map(one => one.amount)
  }
  await asOperator(app, tx => matchSuspense(tx.as(ACTOR), id, to.id))
  expect(await planned()).toEqual([39_997])
  await asOperator(app, tx => unmatchSuspense(tx.as(ACTOR), id))
  expect(await planned()).toEqual([100_000])
})

story(
  'a match can be undone once its refund has failed or been returned, and not before',
  async tale => {
    const { app, until } = tale
    const { iban } = await app.client.generateSandboxIban({ scenario: 'FAIL' })
    const strays = [await stray(app, 100_701, iban), await stray(app, 100_702)]
    await until('2027-01-18')
    for (const [index, { to, pay }] of strays.entries()) {
      const amount = 100_701 + index
      await pay()
      const { id } = await itemOf(app, amount)
      await asOperator(app, tx => matchSuspense(tx.as(ACTOR), id, to.id))
      expect(await loanOf(app, to.id)).toMatchObject({ status: 'CLOSED' })
    }
    await until('2027-01-20')
    const undo = async (amount: number) => {
      const { id } = await itemOf(app, amount)
      await asOperator(app, tx => unmatchSuspense(tx.as(ACTOR), id))
    }
    const refundOf = async (index: number) =>
      (await paymentsOfType(app, strays[index]!.to, 'REFUND'))[0]!
    expect(await refundOf(0)).toMatchObject({ status: 'FAILED' })
    await undo(100_701)
    expect(await refundOf(1)).toMatchObject({ status: 'PAID' })
    await expect(undo(100_702)).rejects.toMatchObject({ code: 'state_conflict' })
    await returnDebit(app, await refundOf(1))
    await undo(100_702)
    for (const [index, { to }] of strays.entries()) {
      expect(await itemOf(app, 100_701 + index)).toMatchObject({ status: 'OPEN' })
      expect(await loanOf(app, to.id)).toMatchObject({
        status: 'TO_REPAY',
        repaid_nominal_amount: 0,
      })
    }
  },
)

story('matched with a bill; a refunded match cannot be undone', async ({ app, until }) => {
  const { to, pay } = await stray(app, 777)
  await until('2027-02-03')
  await payIn(app, { to, amount: 100_000 })
  const [bill] = await billsOf(app, { id: to.borrower.id! })
  await pay()
  const { id } = await itemOf(app, 777)
  const unknown = asOperator(app, tx => matchSuspense(tx.as(ACTOR), id, 'nothing'))
  await expect(unknown).rejects.toMatchObject({ code: 'resource_unknown' })
  await asOperator(app, tx => matchSuspense(tx.as(ACTOR), id, bill!.id))
  expect((await loanOf(app, to.id)).paid_interests_amount).toBe(777)
  await asOperator(app, tx => unmatchSuspense(tx.as(ACTOR), id))
  expect((await loanOf(app, to.id)).paid_interests_amount).toBe(0)
})

/** A third party pays the first bill. A backdated repayment turns most of this into surplus. */
async function billPaidByStranger({ app, until }: StoryContext, amount: number, method?: 'SCT') {
  const borrower = await readyBorrower(app, method)
  const loan = await lend(app, borrower, { amount, days: 45 })
  await until('2027-02-02')
  const interest = (amount / 2_000) * 18
  await payIn(app, { to: loan, amount: interest, reference: 'hello', from_iban: STRANGER })
  const [bill] = await billsOf(app, borrower)
  const { id } = await itemOf(app, interest)
  await asOperator(app, tx => matchSuspense(tx.as(ACTOR), id, bill!.id))
  await until('2027-02-05')
  await payIn(app, { to: loan, amount, value_date: '2027-01-16' })
  return {
    borrower,
    loan,
    id,
    undo: () => asOperator(app, tx => unmatchSuspense(tx.as(ACTOR), id)),
  }
}

story('a match cannot be undone once a credit note has refunded it', async tale => {
  const { app, until } = tale
  const { borrower, loan, id, undo } = await billPaidByStranger(tale, 1_000_000, 'SCT')
  await until('2027-03-02')
  const [, note] = await billsOf(app, borrower)
  expect(note).toMatchObject({ kind: 'CREDIT_NOTE', refund_amount: 8_000 })
  const refund = { status: 'PAID', to_account_details: { account_number: STRANGER } }
  expect(note!.payment).toMatchObject(refund)
  await expect(undo()).rejects.toMatchObject({ code: 'state_conflict' })
  // Once the refund is returned, the match can be undone.
  await returnDebit(app, note!.payment)
  await undo()
  expect(await itemOf(app, 9_000)).toMatchObject({ id, status: 'OPEN' })
  await until('2027-03-04')
  expect(await app.client.getLoanPayoff({ loan_id: loan.id })).toMatchObject({ interest: 1_000 })
})

story("after an undone match, a credit note's planned refund pays the bill", async tale => {
  const { app, until } = tale
  const { borrower, loan, undo } = await billPaidByStranger(tale, 1_100_000, 'SCT')
  await until('2027-03-01')
  const [, note] = await billsOf(app, borrower)
  expect(note!.payment).toMatchObject({ payment_type: 'REFUND', status: 'SCHEDULED' })
  await undo()
  await until('2027-03-02')
  const [bill, after] = await billsOf(app, borrower)
  expect(after).toMatchObject({ refund_amount: 0, payment: { status: 'CANCELED' } })
  expect(bill).toMatchObject({ status: 'TO_PAY', to_pay_amount: 1_100 })
  expect(await app.client.getLoanPayoff({ loan_id: loan.id })).toMatchObject({ interest: 1_100 })
})

story('after an undone match, the debit covers the rest of the bill', async tale => {
  const { app, until } = tale
  const { borrower, loan, undo } = await billPaidByStranger(tale, 1_200_000)
  await until('2027-03-01')
  await undo()
  await until('2027-03-03')
  const [bill, note] = await billsOf(app, borrower)
  expect(note).toMatchObject({ refund_amount: 0, payment: { status: 'CANCELED' } })
  expect(bill).toMatchObject({
    status: 'PAID',
    payment: { payment_method: 'DIRECT_DEBIT', amount: 1_200 },
  })
  expect(await loanOf(app, loan.id)).toMatchObject({
    status: 'CLOSED',
    paid_interests_amount: 1_200,
  })
  expect(await creditOf(app, borrower.id)).toBe(0)
})

story(
  'matched with an installment and its fees; unmatched, its plan requests it again',
  async tale => {
    const { app, until } = tale
    const { to, pay } = await stray(app, 41_111)
    const { id: case_id } = await openCase(app, to.borrower, { loan_ids: [to.id] })
    const terms = { number_of_installment: 3, period: 'weekly' as const, start_date: '2027-01-19' }
    const { plan } = await planFor(app, case_id, { ...terms, recollection_fees: 900 })
    const [first] = plan.installments
    await until('2027-01-19')
    await pay()
    const { id } = await itemOf(app, 41_111)
    await asOperator(app, tx => matchSuspense(tx.as(ACTOR), id, first!.reference))
    let [one, two] = await installmentsOf(app, plan.id)
    expect(one).toMatchObject({ status: 'PAID', paid_amount: first!.amount })
    // The match pays the installment, and the rest of the money repays the loan early.
    expect((await loanOf(app, to.id)).repaid_nominal_amount).toBeGreaterThan(40_000)
    expect(two).toMatchObject({ status: 'SCHEDULED' })
    await asOperator(app, tx => unmatchSuspense(tx.as(ACTOR), id))
    ;[one, two] = await installmentsOf(app, plan.id)
    expect(one).toMatchObject({ status: 'SCHEDULED', paid_amount: 0, due_amount: first!.amount })
    expect((await loanOf(app, to.id)).repaid_nominal_amount).toBe(0)
    await asOperator(app, tx => matchSuspense(tx.as(ACTOR), id, first!.id))
    expect((await installmentsOf(app, plan.id))[0]).toMatchObject({ status: 'PAID' })
  },
)

story('unmatched for 30 days it is returned, and an alert is raised', async ({ app, until }) => {
  const { pay } = await stray(app, 4_242)
  await until('2027-01-18')
  await pay()
  const { id } = await itemOf(app, 4_242)
  await until('2027-02-16')
  expect(await itemOf(app, 4_242)).toMatchObject({ status: 'OPEN' })
  await until('2027-02-17')
  expect(await itemOf(app, 4_242)).toMatchObject({ status: 'SENT_BACK' })
  const [alert] = await alertsOf(app, id)
  expect(alert).toMatchObject({ kind: 'suspense_sent_back' })
  await asOperator(app, tx => acknowledgeAlert(tx.as('service'), alert!.id))
  expect(await alertsOf(app, id)).toEqual([])
})

story('a failed return waits for an operator, and is not retried daily', async tale => {
  const { app, until } = tale
  const { iban } = await app.client.generateSandboxIban({ scenario: 'FAIL' })
  const { pay } = await stray(app, 7_373, iban)
  await until('2027-01-18')
  await pay()
  const { id } = await itemOf(app, 7_373)
  await until('2027-02-17')
  expect(await itemOf(app, 7_373)).toMatchObject({ status: 'OPEN' })
  expect(await alertsOf(app, id)).toContainEqual(expect.objectContaining({ kind: 'suspense' }))
  await until('2027-02-19')
  const tries = async () => {
    const changes = `select from state_changes where resource_id = $1 and trigger = 'send_back'`
    return (await asOperator(app, tx => tx.raw(changes, [id]))).rowCount
  }
  expect(await tries()).toBe(1)
  // An operator can send the return again.
  await asOperator(app, tx => sendBackSuspense(tx.as(ACTOR), id))
  expect(await tries()).toBe(2)
})

story('returned on request; impossible for an unknown sender', async ({ app, until }) => {
  const { pay } = await stray(app, 5_151)
  const unknown = await stray(app, 6_161, null)
  await until('2027-01-18')
  await pay()
  await unknown.pay()
  const { id } = await itemOf(app, 5_151)
  await asOperator(app, tx => sendBackSuspense(tx.as(ACTOR), id))
  expect(await itemOf(app, 5_151)).toMatchObject({ status: 'SENT_BACK' })
  const other = await itemOf(app, 6_161)
  const sending = asOperator(app, tx => sendBackSuspense(tx.as(ACTOR), other.id))
  await expect(sending).rejects.toMatchObject({ code: 'state_conflict' })
  await expect(
    asOperator(app, tx => dismissSuspense(tx.as(ACTOR), other.id)),
  ).rejects.toMatchObject({
    code: 'state_conflict',
  })
})

story(
  'news of an unknown payment raises an alert; only without cash it is dismissed',
  async ({ app }) => {
    const news = { payment_id: crypto.randomUUID(), amount: 31_313n, reason_code: 'AM04' }
    await receiveNews(app, { ...news, kind: 'RETURNED', value_on: day('2027-01-14') })
    const returned = await itemOf(app, 31_313)
    expect(returned.cash).toBe(31_313n)
    await expect(
      asOperator(app, tx => dismissSuspense(tx.as(ACTOR), returned.id)),
    ).rejects.toMatchObject({ code: 'state_conflict' })
    const rejected = { ...news, amount: 31_314n, kind: 'REJECTED' as const }
    await receiveNews(app, { ...rejected, value_on: day('2027-01-14') })
    const { id } = await itemOf(app, 31_314)
    expect(await alertsOf(app, id)).toMatchObject([{ kind: 'suspense' }])
    await asOperator(app, tx => dismissSuspense(tx.as(ACTOR), id))
    expect(await alertsOf(app, id)).toEqual([])
  },
)

story('paid again: refunded money repays nothing, retained money does', async ({ app, until }) => {
  const borrower = await readyBorrower(app, 'SCT')
  const { iban } = await app.client.generateSandboxIban({ scenario: 'SUCCESS' })
  const unlucky = { ...borrower, account_number: iban }
  const loan = await lend(app, unlucky, { amount: 100_000, days: 30 })
  await until('2027-01-18')
  await payIn(app, { to: loan, amount: 30_000, from_iban: borrower.account_number })
  const [payout] = await paymentsOfType(app, loan, 'LOAN_PAYMENT')
  await returnDebit(app, payout!)
  expect(await loanOf(app, loan.id)).toMatchObject({ status: 'ISSUE_DETECTED' })
  await until('2027-01-20')
  expect(await paymentsOfType(app, loan, 'REFUND')).toMatchObject([
    { amount: 30_000, status: 'PAID' },
  ])
  await payIn(app, { to: loan, amount: 100, reference: 'stays here' })
  const { id } = await itemOf(app, 100)
  await asOperator(app, tx => payAgain(tx.as(ACTOR), loan.id, app.context.ports.bank))
  expect(await loanOf(app, loan.id)).toMatchObject({
    status: 'TO_REPAY',
    paid_at: '2027-01-20T00:00:00Z',
    repaid_nominal_amount: 0,
  })
  const twice = asOperator(app, tx => payAgain(tx.as(ACTOR), loan.id, app.context.ports.bank))
  await expect(twice).rejects.toMatchObject({ code: 'state_conflict' })
  await asOperator(app, tx => matchSuspense(tx.as(ACTOR), id, loan.id))
  await until('2027-02-01')
  await payIn(app, { to: loan, amount: 99_900 })
  expect(await loanOf(app, loan.id)).toMatchObject({ status: 'TO_REPAY_FEES' })
})

story('a failed payout is canceled and its credit released', async ({ app }) => {
  const borrower = await readyBorrower(app)
  const { iban } = await app.client.generateSandboxIban({ scenario: 'FAIL' })
  const unlucky = { ...borrower, account_number: iban }
  const { id } = await requestLoan(app, unlucky, { amount: 100_000 })
  await app.drain()
  expect(await loanOf(app, id)).toMatchObject({ status: 'ISSUE_DETECTED' })
  await asOperator(app, tx => cancelFailedPayout(tx.as(ACTOR), id))
  expect(await loanOf(app, id)).toMatchObject({ status: 'CANCELED' })
  expect(await lineOf(app, borrower)).toMatchObject({ balance_available: 5_000_000 })
})
