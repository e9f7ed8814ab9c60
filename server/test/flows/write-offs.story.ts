/** Write-offs by two operators, some of them backdated, and later recoveries. */
import { expect } from 'vitest'
import {
  approveWriteOff,
  readProposedWriteOffs,
  rejectWriteOff,
  releaseRevocable,
} from '../../src/credit/loans/index.ts'
import { day } from '../../src/platform/kit/dates.ts'
import type { TestApp } from '../support/app.ts'
import { calendar } from '../support/calendar.ts'
import {
  billsOf,
  booksOf,
  type Loan,
  lend,
  lendInParts,
  lineOf,
  loanOf,
  payIn,
  paymentsOfType,
  returnDebit,
} from '../support/money.ts'
import { asOperator, createOperatorId } from '../support/operators.ts'
import { installmentsOf, openCase, planFor } from '../support/recollection.ts'
import { readyBorrower, requestLoan } from '../support/story.ts'
import { propose, writeOff } from '../support/write-offs.ts'

const story = calendar('2027-01-11')

async function state({ client }: TestApp, borrower: { id: string }) {
  return (await client.getBorrower({ borrower_id: borrower.id })).status
}

story('accrual ends, bill lines lapse, later payments are recoveries', async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app, 'SCT')
  const loan = await lend(app, borrower, { amount: 100_000, days: 30 })
  const other = await lend(app, borrower, { amount: 40_000, days: 40 })
  await until('2027-02-10')
  await writeOff(app, loan, '2027-02-10')
  expect(await loanOf(app, loan.id)).toMatchObject({
    status: 'CLOSED',
    written_off_at: '2027-02-10T00:00:00Z',
    // The principal, and thirty days of interest at 50 cents a day.
    written_off_amount: 101_500,
    recovered_amount: 0,
    repaid_amount: 0,
    fees_ongoing: 1_500,
    repaid_nominal_at: null,
  })
  expect(await booksOf(app, loan)).toEqual({
    principal_written_off: 100_000,
    interest_written_off: 1_500,
    interest_income: -1_500,
  })
  // The bill still charges the other loan's interest.
  const [bill] = await billsOf(app, borrower)
  expect(bill).toMatchObject({
    status: 'TO_PAY',
    to_pay_amount: 420,
    total_amount: 1_470,
    paid_amount: 0,
    credited_amount: 0,
    lapsed_amount: 1_050,
    open_amount: 420,
  })
  // The lost principal is no longer outstanding, but the loss lowers the limit.
  expect(await lineOf(app, borrower)).toMatchObject({ balance_available: 3_960_000 })
  expect(await state(app, borrower)).toBe('BLOCKED')
  expect((await requestLoan(app, borrower, { amount: 10_000 })).status).toBe('DECLINED')
  // A payment of the full bill pays the lines still owed, then recovers the lapsed ones.
  await until('2027-02-15')
  const reference = bill!.payment.to_references[0]!
  await payIn(app, { to: loan, amount: 1_470, reference })
  expect(await loanOf(app, other.id)).toMatchObject({ paid_interests_amount: 420 })
  expect(await loanOf(app, loan.id)).toMatchObject({ status: 'CLOSED', recovered_amount: 1_050 })
  await payIn(app, { to: loan, amount: 60_000 })
  expect(await loanOf(app, loan.id)).toMatchObject({
    status: 'CLOSED',
    written_off_amount: 101_500,
    recovered_amount: 61_050,
    repaid_nominal_amount: 60_000,
  })
  const owed = await app.client.getLoanPayoff({ loan_id: loan.id })
  expect(owed).toMatchObject({ principal: 40_000, interest: 450 })
  expect(await booksOf(app, loan)).toMatchObject({
    principal_recovered: -60_000,
    interest_recovered: -1_050,
  })
  await until('2027-03-05')
  expect(await state(app, borrower)).toBe('BLOCKED')
  const lines = (await billsOf(app, borrower)).flatMap(b => b.lines.map(l => l.loan_id))
  expect(lines.filter(id => id === loan.id)).toHaveLength(1)
  await payIn(app, { to: loan, amount: 41_000 })
  expect(await loanOf(app, loan.id)).toMatchObject({ recovered_amount: 101_500 })
  expect(await paymentsOfType(app, loan, 'REFUND')).toMatchObject([{ amount: 550 }])
  const { data: feed } = await app.client.listWebhookEvents({
    type: ['Loan.WRITTEN_OFF', 'Loan.RECOVERED'],
  })
  const own = feed.filter(e => (e.data as { id: string }).id === loan.id).map(e => e.type)
  expect(own).toEqual(['Loan.WRITTEN_OFF', ...Array(3).fill('Loan.RECOVERED')])
  await until('2027-01-22')
})

story('money beyond the loss is refunded: no recovery', async ({ app, until }) => {
  const borrower = await readyBorrower(app, 'SCT')
  const loan = await lend(app, borrower, { amount: 100_000, days: 10 })
  await until('2027-02-10')
  await writeOff(app, loan, '2027-02-10')
  for (const amount of [150_000, 700]) await payIn(app, { to: loan, amount })
  const { written_off_amount } = await loanOf(app, loan.id)
  expect(await loanOf(app, loan.id)).toMatchObject({ recovered_amount: written_off_amount })
  const { data: feed } = await app.client.listWebhookEvents({ type: ['Loan.RECOVERED'] })
  expect(feed.filter(e => (e.data as { id: string }).id === loan.id)).toHaveLength(1)
})

story('backdated before a paid bill: the surplus is credited', async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app, 'SCT')
  const loan = await lend(app, borrower, { amount: 100_000, days: 40 })
  await until('2027-02-03')
  const [bill] = await billsOf(app, borrower)
  await payIn(app, { to: loan, amount: 1_050, reference: bill!.payment.to_references[0]! })
  await until('2027-02-08')
  await writeOff(app, loan, '2027-01-20')
  expect(await loanOf(app, loan.id)).toMatchObject({
    // Interest for nine days was owed. The bill's payment came later, so it recovers that part.
    written_off_amount: 100_450,
    recovered_amount: 450,
    paid_interests_amount: 1_050,
  })
  await until('2027-03-04')
  expect(await loanOf(app, loan.id)).toMatchObject({
    written_off_amount: 100_450,
    recovered_amount: 450,
    paid_interests_amount: 450,
  })
  const [, credit] = await billsOf(app, borrower)
  expect(credit).toMatchObject({ refund_amount: 600, payment: { status: 'PAID' } })
  const credited = (await billsOf(app, borrower)).flatMap(b => b.lines.map(l => l.amount))
  expect(credited).toEqual([1_050, -600])
})

story('an unpaid bill is replaced, and the rest of it lapses', async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app, 'SCT')
  const loan = await lend(app, borrower, { amount: 100_000, days: 40 })
  await until('2027-02-03')
  await writeOff(app, loan, '2027-01-20')
  expect((await billsOf(app, borrower)).map(bill => bill.status)).toEqual(['INVALID', 'INVALID'])
  expect(await loanOf(app, loan.id)).toMatchObject({ written_off_amount: 100_450 })
  await until('2027-03-04')
  expect(await billsOf(app, borrower)).toHaveLength(2)
})

story('the same facts in any order: the same loss, recovery and books', async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app, 'SCT')
  const first = await lend(app, borrower, { amount: 100_000, days: 20 })
  const second = await lend(app, borrower, { amount: 100_000, days: 20 })
  const third = await lend(app, borrower, { amount: 100_000, days: 20 })
  await until('2027-01-26')
  const paying = (amount: number, value_date: string) => (to: Loan) =>
    payIn(app, { to, amount, value_date })
  const before = paying(30_000, '2027-01-15')
  const theDayBefore = paying(20_000, '2027-01-19')
  const after = paying(7_000, '2027-01-22')
  await before(first)
  await theDayBefore(first)
  await writeOff(app, first, '2027-01-20')
  await after(first)
  await writeOff(app, second, '2027-01-20')
  await after(second)
  await theDayBefore(second)
  await before(second)
  await after(third)
  await before(third)
  await writeOff(app, third, '2027-01-20')
  await theDayBefore(third)
  expect(await loanOf(app, first.id)).toMatchObject({
    // €500, and interest for four days on €1,000, four on €700 and one on €500.
    written_off_amount: 50_365,
    recovered_amount: 7_000,
    repaid_nominal_amount: 57_000,
  })
  const books = await booksOf(app, first)
  expect(books).toMatchObject({ principal_written_off: 50_000, principal_recovered: -7_000 })
  expect(await booksOf(app, second)).toEqual(books)
  expect(await booksOf(app, third)).toEqual(books)
})

story('a write-off needs two operators and a loan that is owed', async ({ app, until }) => {
  const borrower = await readyBorrower(app, 'SCT')
  const loan = await lend(app, borrower, { amount: 10_000, days: 20 })
  await until('2027-01-13')
  const [ann, ben] = [await createOperatorId(app), await createOperatorId(app)]
  const id = await propose(app, ann, loan, '2027-01-12')
  expect((await loanOf(app, loan.id)).status).toBe('TO_REPAY')
  const conflict = { code: 'state_conflict' }
  const alone = asOperator(app, tx => approveWriteOff(tx.as(ann), id))
  await expect(alone).rejects.toMatchObject(conflict)
  await expect(propose(app, ben, loan, '2027-01-12')).rejects.toMatchObject(conflict)
  await asOperator(app, tx => rejectWriteOff(tx.as(ben), id, 'It still pays'))
  const late = asOperator(app, tx => approveWriteOff(tx.as(ben), id))
  await expect(late).rejects.toMatchObject(conflict)
  for (const on of ['2027-01-10', '2027-01-14']) {
    await expect(propose(app, ann, loan, on)).rejects.toMatchObject({ code: 'request_invalid' })
  }
  const again = await propose(app, ann, loan, '2027-01-13')
  const cleo = await createOperatorId(app)
  const both = await Promise.allSettled([
    asOperator(app, tx => approveWriteOff(tx.as(ben), again)),
    asOperator(app, tx => approveWriteOff(tx.as(cleo), again)),
  ])
  expect(both.map(one => one.status).sort()).toEqual(['fulfilled', 'rejected'])
  await expect(propose(app, ann, loan, '2027-01-13')).rejects.toMatchObject(conflict)
  await expect(propose(app, ann, { id: ann }, '2027-01-13')).rejects.toMatchObject({
    code: 'resource_unknown',
  })
})

story("a repaid loan's proposed write-off needs no approval", async ({ app, until }) => {
  const borrower = await readyBorrower(app, 'SCT')
  const loan = await lend(app, borrower, { amount: 10_000, days: 20 })
  await until('2027-01-13')
  const [ann, ben] = [await createOperatorId(app), await createOperatorId(app)]
  const id = await propose(app, ann, loan, '2027-01-12')
  const waits = async () =>
    (await asOperator(app, readProposedWriteOffs)).some(one => one.id === id)
  await payIn(app, { to: loan, amount: 5_000 })
  expect(await waits()).toBe(true)
  await payIn(app, { to: loan, amount: 5_100 })
  expect((await loanOf(app, loan.id)).status).toBe('CLOSED')
  expect(await waits()).toBe(false)
  const late = asOperator(app, tx => approveWriteOff(tx.as(ben), id))
  await expect(late).rejects.toMatchObject({ code: 'state_conflict' })
})

story('a returned payout ends the write-off', async ({ app, until }) => {
  const borrower = await readyBorrower(app, 'SCT')
  const loan = await lend(app, borrower, { amount: 10_000, days: 20 })
  const [payout] = await paymentsOfType(app, loan, 'LOAN_PAYMENT')
  await until('2027-01-13')
  await writeOff(app, loan, '2027-01-12')
  await returnDebit(app, payout!)
  expect(await loanOf(app, loan.id)).toMatchObject({
    status: 'ISSUE_DETECTED',
    written_off_at: null,
    written_off_amount: 0,
  })
  expect(await booksOf(app, loan)).toEqual({})
})

story('its case is closed, and its plan ends with it', async ({ app, until }) => {
  const borrower = await readyBorrower(app)
  const loan = await lend(app, borrower, { amount: 90_000, days: 5 })
  const { id: case_id } = await openCase(app, borrower, { loan_ids: [loan.id] })
  const terms = { number_of_installment: 3, start_date: '2027-02-01', recollection_fees: 1_000 }
  const { plan } = await planFor(app, case_id, terms)
  await until('2027-01-20')
  await writeOff(app, loan, '2027-01-20')
  const closed = await app.client.getRecollectionCase({ recollection_case_id: case_id })
  expect(closed.status).toBe('CLOSED')
  const installments = await installmentsOf(app, plan.id)
  expect(new Set(installments.map(one => one.status))).toEqual(new Set(['CANCELED']))
  await until('2027-02-04')
  expect(await loanOf(app, loan.id)).toMatchObject({ status: 'CLOSED', recovered_amount: 0 })
})

story('a loan written off while reserves are released reserves nothing', async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app)
  const loan = await lendInParts(app, borrower, [
    [10_000, 8],
    [30_000, 40],
  ])
  await until('2027-01-22')
  // The first debit can still be returned, so the run would otherwise reserve its principal.
  await writeOff(app, loan, '2027-01-22')
  const line = await lineOf(app, borrower)
  const page = [{ partner_id: app.partner_id, id: loan.id }]
  const failures: unknown[] = []
  await releaseRevocable(day('2027-01-22')).work(app.context.database, page, failures)
  expect(failures).toEqual([])
  expect(await lineOf(app, borrower)).toEqual(line)
})
