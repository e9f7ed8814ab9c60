/**
 * GET /borrower/{id}/statement: balances follow from the movements and agree with the books.
 */
import { sql } from 'kysely'
import { expect } from 'vitest'
import { sendRefundAgain } from '../../../src/back-office/operations/index.ts'
import { transaction } from '../../../src/platform/db/transaction.ts'
import { day } from '../../../src/platform/kit/dates.ts'
import type { TestApp } from '../../support/app.ts'
import { calendar } from '../../support/calendar.ts'
import {
  lend,
  payIn,
  paymentsOf,
  paymentsOfType,
  receiveNews,
  refundDebit,
  returnDebit,
} from '../../support/money.ts'
import { asOperator } from '../../support/operators.ts'
import { agree, asSecondPartner } from '../../support/partner-terms.ts'
import { faultsOf, refusal } from '../../support/refusal.ts'
import { readyBorrower } from '../../support/story.ts'
import { writeOff } from '../../support/write-offs.ts'

const story = calendar('2027-01-15')

story('two loans, a bill and an overpayment', async ({ app, until }) => {
  const borrower = await readyBorrower(app, 'SCT')
  const borrower_id = borrower.id
  const first = await lend(app, borrower, { amount: 50_000, days: 20 })
  await lend(app, borrower, { amount: 30_000, days: 40 })
  await until('2027-01-25')
  await payIn(app, { to: first, amount: 60_000 })
  await until('2027-02-08')
  const read = (from: string, to: string) =>
    app.client.getBorrowerStatement({ borrower_id, from, to })
  const all = await read('2027-01-01', '2027-02-28')
  expect(all.opening_balance).toBe(0)
  expect(all.movements.map(m => [m.value_date.slice(0, 10), m.kind, m.amount])).toEqual([
    ['2027-01-15', 'payout', 50_000],
    ['2027-01-15', 'payout', 30_000],
    // The transfer also pays 250 of interest, and leaves a surplus of 9,750 to refund.
    ['2027-01-25', 'interest', 250],
    ['2027-01-25', 'repayment', -60_000],
    ['2027-01-26', 'refund', 9_750],
    ['2027-01-31', 'bill', 255],
  ])
  expect(all.movements[3]).toMatchObject({ principal: -50_000, interest: -250, refund: 9_750 })
  let balance = 0
  for (const row of all.movements) {
    balance += row.amount
    expect(row.balance).toBe(balance)
    expect(row.amount).toBe(row.principal + row.interest - row.refund)
  }
  expect(all.movements.at(-1)!.balance).toBe(all.closing_balance)
  expect(all.closing_balance).toBe(30_255)
  expect(all.bills.map(b => [b.amount, b.end_date])).toEqual([[505, '2027-01-31T00:00:00Z']])
  const { owed } = await transaction(
    app.context.database,
    { partners: '*', actor: 'service' },
    tx =>
      tx.one(sql<{ owed: bigint }>`
      select sum(b.amount)::bigint as owed from ledger_balances b
      join ledger_accounts a on a.id = b.account_id join loans l on l.id = a.owner_id
      where l.borrower_id = ${borrower_id} and a.code in
        ('loan_principal', 'interest_accrued', 'interest_billed', 'refunds_payable')`),
  )
  expect(Number(owed)).toBe(all.closing_balance)
  const [early, late] = [
    await read('2027-01-01', '2027-01-25'),
    await read('2027-01-26', '2027-02-28'),
  ]
  expect(late.opening_balance).toBe(early.closing_balance)
  expect([...early.movements, ...late.movements]).toEqual(all.movements)
  const pdf = await fetch(
    `${app.base_url}/borrower/${borrower_id}/statement?from=2027-01-01&to=2027-02-28&format=pdf`,
    { headers: { authorization: `Bearer ${app.key}` } },
  )
  expect(pdf.headers.get('content-type')).toBe('application/pdf')
  expect((await pdf.text()).slice(0, 5)).toBe('%PDF-')
})

story('a returned debit, a backdated transfer, and fees paid by another party', async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app)
  const loan = await lend(app, borrower, { amount: 100_000, days: 10 })
  const partner = asSecondPartner(app)
  await agree(partner, { fees_mode: 'TRANSFERRED' })
  const free = await readyBorrower(partner, 'SCT')
  const borne = await lend(partner, free, { amount: 40_000, days: 10 })
  await until('2027-01-25')
  await payIn(partner, { to: borne, amount: 40_000 })
  const [debit] = await paymentsOfType(app, loan, 'REPAYMENT_NOMINAL')
  await returnDebit(app, debit!)
  await payIn(app, { to: loan, amount: 100_300, value_date: '2027-01-21' })
  await until('2027-02-02')
  const [bill] = (await partner.client.listBills({ business_id: [partner.partner_id] })).data
  const reference = bill!.payment.to_references[0]!
  // A surplus of €1 is refunded to the partner, so it does not appear in the borrower's statement.
  await payIn(partner, { to: borne, amount: bill!.to_pay_amount + 100, reference })
  await until('2027-02-08')
  // The statement does not show the refund's return and second attempt either.
  const [refund] = await paymentsOfType(partner, borne, 'REFUND')
  await returnDebit(partner, refund!, { reason_code: 'AC04' })
  const person = crypto.randomUUID()
  await asOperator(app, tx => sendRefundAgain(tx.as(person), refund!.id, 'The account is right.'))
  await until('2027-02-10')
  expect(await paymentsOfType(partner, borne, 'REFUND')).toMatchObject([
    { amount: 100, status: 'PAID' },
    { amount: 100, status: 'PAID' },
  ])
  const paid = (await paymentsOf(partner, borne)).find(p => p.amount === bill!.to_pay_amount + 100)
  await receiveNews(app, {
    kind: 'RETURNED',
    payment_id: paid!.id,
    amount: BigInt(paid!.amount),
    reason_code: 'FRAD',
    value_on: day('2027-02-10'),
  })
  const days = { from: '2027-01-01', to: '2027-02-28' }
  const rows = async ({ client }: TestApp, borrower_id: string) => {
    const result = await client.getBorrowerStatement({ borrower_id, ...days })
    return result.movements.map(m => [m.value_date.slice(5, 10), m.kind, m.amount])
  }
  expect(await rows(partner, free.id)).toEqual([
    ['01-15', 'payout', 40_000],
    ['01-25', 'repayment', -40_000],
  ])
  expect(await rows(app, borrower.id)).toEqual([
    ['01-15', 'payout', 100_000],
    ['01-21', 'interest', 300],
    ['01-21', 'repayment', -100_300],
    ['01-25', 'interest', 500],
    ['01-25', 'repayment', -100_000],
    ['01-25', 'interest', -500],
    ['01-25', 'repayment_returned', 100_000],
  ])
})

story('a pending refund does not pay anything else', async ({ app, until }) => {
  const [credited, surplus] = [await readyBorrower(app, 'SCT'), await readyBorrower(app)]
  const dear = await lend(app, credited, { amount: 200_000, days: 45 })
  const [x, y] = [
    await lend(app, surplus, { amount: 500_000, days: 14 }),
    await lend(app, surplus, { amount: 400_000, days: 45 }),
  ]
  const agrees = async (borrower: { id: string }, loans: readonly { id: string }[]) => {
    const payoffs = await Promise.all(
      loans.map(({ id }) => app.client.getLoanPayoff({ loan_id: id })),
    )
    const payoff = payoffs.reduce((sum, { total }) => sum + total, 0)
    const result = await closedOn(app, borrower.id, '2027-03-31')
    expect(result.payoff_balance).toBe(payoff)
    return result
  }
  await until('2027-01-31')
  await payIn(app, { to: x, amount: 300_000, from_iban: STRANGER })
  // The third party's surplus is not refunded until the debit can no longer be returned.
  expect(await agrees(surplus, [x, y])).toMatchObject({
    payoff_balance: 403_200,
    closing_balance: 400_000 - 300_000 + 3_500,
  })
  await until('2027-02-04')
  const [bill] = (await app.client.listBills({ business_id: [credited.id] })).data
  const reference = bill!.payment.to_references[0]!
  await payIn(app, { to: dear, amount: bill!.to_pay_amount, reference })
  await payIn(app, { to: dear, amount: 100_000, value_date: '2027-01-16' })
  // 1,700 cents were billed and paid, but 800 of them were not owed. 150 are owed for 1 to 3
  // February.
  expect(await agrees(credited, [dear])).toEqual({
    closing_balance: 100_000,
    unbilled_interest: -650,
    payoff_balance: 100_000,
  })
  await payIn(app, { to: dear, amount: 100_000 })
  await payIn(app, { to: y, amount: (await agrees(surplus, [x, y])).payoff_balance })
  expect((await agrees(surplus, [x, y])).payoff_balance).toBe(0)
  expect((await agrees(credited, [dear])).payoff_balance).toBe(0)
  await until('2027-02-20')
  expect((await agrees(surplus, [x, y])).payoff_balance).toBe(0)
})

/** An account that no borrower has on file. */
const STRANGER = 'DE89370400440532013000'

story("no movements, invalid days, and another partner's borrower", async ({ app }) => {
  const { id: borrower_id } = await readyBorrower(app)
  const days = { from: '2027-01-01', to: '2027-01-31' }
  expect(await app.client.getBorrowerStatement({ borrower_id, ...days })).toMatchObject({
    opening_balance: 0,
    closing_balance: 0,
    movements: [],
    bills: [],
  })
  const turned = app.client.getBorrowerStatement({ borrower_id, from: days.to, to: days.from })
  expect(await faultsOf(turned)).toEqual({ to: 'is before from' })
  expect(await refusal(app.second.getBorrowerStatement({ borrower_id, ...days }))).toMatchObject({
    status: 404,
    code: 'resource_unknown',
  })
})

interface Answered {
  readonly closing_balance: number
  readonly unbilled_interest: number
  readonly payoff_balance: number
}

/** The closing figures of a statement from 1 January 2027 to a day. */
async function closedOn({ client }: TestApp, borrower_id: string, to: string): Promise<Answered> {
  const period = { from: '2027-01-01', to }
  const result = await client.getBorrowerStatement({ borrower_id, ...period })
  const { closing_balance, unbilled_interest, payoff_balance } = result
  return { closing_balance, unbilled_interest, payoff_balance }
}

story('a past period does not change: later returns are not in it', async tale => {
  const { app, until } = tale
  const sent = await readyBorrower(app, 'SCT')
  const debited = await readyBorrower(app)
  const lost = await lend(app, sent, { amount: 100_000, days: 45 })
  const loan = await lend(app, debited, { amount: 100_000, days: 10 })
  await until('2027-02-01')
  const days = ['2027-01-20', '2027-01-25', '2027-01-31']
  const read = (id: string, on = days) => Promise.all(on.map(to => closedOn(app, id, to)))
  const before = { sent: await read(sent.id), debited: await read(debited.id) }
  // Interest for 17 days accrues up to 31 January, and the January bill charges all of it.
  expect(before.sent.at(-1)).toEqual({
    closing_balance: 100_850,
    unbilled_interest: 0,
    payoff_balance: 100_850,
  })
  expect(before.sent[0]).toEqual({
    closing_balance: 100_000,
    unbilled_interest: 300,
    payoff_balance: 100_300,
  })
  // The debit settles on Monday the 25th, so from then on only interest is owed.
  expect(before.debited.map(result => result.payoff_balance)).toEqual([100_300, 500, 500])
  await until('2027-02-10')
  const [payout] = await paymentsOfType(app, lost, 'LOAN_PAYMENT')
  await returnDebit(app, payout!)
  const [debit] = await paymentsOfType(app, loan, 'REPAYMENT_NOMINAL')
  await refundDebit(app, debit!)
  expect({ sent: await read(sent.id), debited: await read(debited.id) }).toEqual(before)
  // Once booked, a return makes the payout or debit count as if it had never happened.
  await until('2027-02-11')
  const now = await closedOn(app, sent.id, '2027-02-10')
  expect(now.payoff_balance).toBe(0)
  const payoff = await app.client.getLoanPayoff({ loan_id: loan.id })
  expect(await closedOn(app, debited.id, '2027-02-11')).toMatchObject({
    payoff_balance: payoff.total,
  })
})

story('interest before a write-off stays, and stops after it', async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app, 'SCT')
  const loan = await lend(app, borrower, { amount: 100_000, days: 10 })
  await until('2027-03-15')
  const days = ['2027-02-20', '2027-03-05', '2027-03-11']
  const read = () => Promise.all(days.map(to => closedOn(app, borrower.id, to)))
  const before = await read()
  await writeOff(app, loan, '2027-03-10')
  const after = await read()
  expect(after.slice(0, 2)).toEqual(before.slice(0, 2))
  // The backdated write-off stops interest after 54 days; 56 had accrued by then.
  expect([before[2]!.payoff_balance, after[2]!.payoff_balance]).toEqual([102_800, 102_700])
})
