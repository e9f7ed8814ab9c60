/** A change without a status change has one event, which shows the resource after the change. */
import { EVENT_NAMES, type EventName } from '@headroom/contract'
import { expect } from 'vitest'
import type { TestApp } from '../support/app.ts'
import { calendar } from '../support/calendar.ts'
import { lasting } from '../support/latest-events.ts'
import {
  type Bill,
  billsOf,
  debitOf,
  type Loan,
  lend,
  loanOf,
  type Payment,
  payIn,
  paymentsOf,
  returnDebit,
} from '../support/money.ts'
import { transfer } from '../support/recollection.ts'
import { readyBorrower } from '../support/story.ts'

const story = calendar('2027-01-11')

type Sent<Data> = { type: EventName; data: Data }

async function eventsOf<Data extends { id: string }>(
  { client }: TestApp,
  prefix: 'Payment' | 'Bill' | 'Loan',
  id: string,
): Promise<Sent<Data>[]> {
  const sent: Sent<Data>[] = []
  const wanted = EVENT_NAMES.filter(name => name.startsWith(prefix))
  for await (const event of client.each('listWebhookEvents', { type: wanted, page_size: 500 })) {
    const { type, data } = event as Sent<Data>
    if (data.id === id) sent.push({ type, data })
  }
  return sent
}

const partsOf = ({ related_to }: Payment) =>
  related_to.loans.map(part => [part.payment_type, part.amount])

story('a repayment that becomes known late changes what an earlier one has paid', async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app, 'SCT')
  const loan = await lend(app, borrower, { amount: 100_000 })
  await until('2027-01-21')
  await payIn(app, { to: loan, amount: 60_000 })
  const updates = async () =>
    (await eventsOf<Loan>(app, 'Loan', loan.id)).filter(({ type }) => type === 'Loan.UPDATED')
  expect((await updates()).map(({ data }) => data.repaid_nominal_amount)).toEqual([60_000])
  await payIn(app, { to: loan, amount: 60_000, value_date: '2027-01-16' })
  // The transfer valued last pays interest: five days on 100,000 and five on 40,000.
  const shared = [
    ['REPAYMENT_NOMINAL', 40_000],
    ['REPAYMENT_FEES', 350],
    ['EXTRA', 19_650],
  ]
  const [, first, second] = await paymentsOf(app, loan)
  expect(partsOf(first!)).toEqual(shared)
  expect(partsOf(second!)).toEqual([['REPAYMENT_NOMINAL', 60_000]])
  const sent = await eventsOf<Payment>(app, 'Payment', first!.id)
  expect(sent.map(({ type }) => type)).toEqual(['Payment.PAID', 'Payment.UPDATED'])
  expect(sent.map(({ data }) => partsOf(data))).toEqual([[['REPAYMENT_NOMINAL', 60_000]], shared])
  expect(sent.at(-1)!.data).toEqual(first)
  const { data } = await app.client.listPayments({ updated_after: first!.updated_at })
  expect(data.map(({ id }) => id)).toContain(first!.id)
  expect(await eventsOf<Payment>(app, 'Payment', second!.id)).toHaveLength(1)
  await until('2027-01-25')
})

story('a bill is paid in part, then in full', async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app, 'SCT')
  await lend(app, borrower, { amount: 100_000, days: 40 })
  await until('2027-02-02')
  const [bill] = await billsOf(app, borrower)
  const paid = { reference: bill!.payment.to_references[0]!, from_iban: borrower.account_number }
  await transfer(app, { ...paid, amount: 400 })
  const sent = await eventsOf<Bill>(app, 'Bill', bill!.id)
  const [last] = sent.slice(-1)
  expect(last!.type).toBe('Bill.UPDATED')
  const [open] = await billsOf(app, borrower)
  expect(lasting(last!.data)).toEqual(lasting(open!))
  expect(open).toMatchObject({ paid_amount: 400, open_amount: bill!.total_amount - 400 })
  await transfer(app, { ...paid, amount: bill!.total_amount - 400 })
  const types = (await eventsOf<Bill>(app, 'Bill', bill!.id)).map(({ type }) => type)
  expect(types).toEqual([...sent.map(({ type }) => type), 'Bill.PAID'])
  await until('2027-02-06')
})

story('a returned debit shows its planned allocation', async ({ app, until }) => {
  const borrower = await readyBorrower(app)
  const loan = await lend(app, borrower, { amount: 100_000, days: 10 })
  await until('2027-01-22')
  // This transfer is valued before the debit, so half of the debit becomes surplus.
  await payIn(app, { to: loan, amount: 50_000, value_date: '2027-01-16' })
  const debit = await debitOf(app, loan)
  expect(partsOf(debit)).toContainEqual(['EXTRA', expect.any(Number)])
  await returnDebit(app, debit)
  const returned = await debitOf(app, loan)
  expect(partsOf(returned)).toEqual([['REPAYMENT_NOMINAL', 100_000]])
  const [before, last] = (await eventsOf<Payment>(app, 'Payment', debit.id)).slice(-2)
  expect(before!.data).toEqual(debit)
  expect(last).toEqual({ type: 'Payment.UPDATED', data: returned })
  await until('2027-01-26')
})

story('a canceled debit of several loans shows its planned allocation', async ({ app, until }) => {
  await until('2027-04-12')
  const borrower = await readyBorrower(app)
  const loans: Loan[] = []
  for (const amount of [100_000, 200_000, 300_000]) {
    loans.push(await lend(app, borrower, { amount, days: 40 }))
  }
  // 1 May is a Saturday: the bill is not sent before Monday, and its debit is only planned.
  await until('2027-05-01')
  const [bill] = await billsOf(app, borrower)
  expect(bill!.payment).toMatchObject({ status: 'SCHEDULED', amount: bill!.total_amount })
  const reference = loans.map(loan => loan.repayment_to_references[0]).join(' ')
  const amount = 600_000 + bill!.total_amount
  await transfer(app, { reference, amount, from_iban: borrower.account_number })
  const sent = await eventsOf<Payment>(app, 'Payment', bill!.payment.id)
  expect(sent.map(({ type }) => type)).toEqual(['Payment.SCHEDULED', 'Payment.CANCELED'])
  expect(sent.at(-1)!.data).toMatchObject({ status: 'CANCELED', amount: bill!.total_amount })
  for (const { id } of loans) expect((await loanOf(app, id)).status).toBe('CLOSED')
  await until('2027-05-04')
})
