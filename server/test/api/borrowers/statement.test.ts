/**
 * GET /borrower/{id}/statement: each balance follows from the movements and agrees with the books.
 */
import { sql } from 'kysely'
import { expect } from 'vitest'
import { sendRefundAgain } from '../../../src/office/desk/index.ts'
import { transaction } from '../../../src/platform/db/transaction.ts'
import { day } from '../../../src/platform/kit/dates.ts'
import { calendar } from '../../support/calendar.ts'
import { atDesk } from '../../support/desk.ts'
import type { TestHouse } from '../../support/house.ts'
import {
  lend,
  payIn,
  paymentsOf,
  paymentsOfType,
  refundDebit,
  sendBack,
  tellOfBank,
} from '../../support/money.ts'
import { agree, asSecond } from '../../support/partner-terms.ts'
import { faultsOf, refusal } from '../../support/refusal.ts'
import { readyBorrower } from '../../support/story.ts'
import { writeOff } from '../../support/write-offs.ts'

const story = calendar('2027-01-15')

story('two loans, a bill and an overpayment', async ({ house, until }) => {
  const borrower = await readyBorrower(house, 'SCT')
  const borrower_id = borrower.id
  const first = await lend(house, borrower, { amount: 50_000, days: 20 })
  await lend(house, borrower, { amount: 30_000, days: 40 })
  await until('2027-01-25')
  await payIn(house, { to: first, amount: 60_000 })
  await until('2027-02-08')
  const read = (from: string, to: string) =>
    house.client.getBorrowerStatement({ borrower_id, from, to })
  const all = await read('2027-01-01', '2027-02-28')
  expect(all.opening_balance).toBe(0)
  expect(all.movements.map(m => [m.value_date.slice(0, 10), m.kind, m.amount])).toEqual([
    ['2027-01-15', 'payout', 50_000],
    ['2027-01-15', 'payout', 30_000],
    // 250 of interest came due and was paid; 9,750 is to be refunded.
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
  const { owed } = await transaction(house.context.database, { partners: '*' }, tx =>
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
    `${house.base_url}/borrower/${borrower_id}/statement?from=2027-01-01&to=2027-02-28&format=pdf`,
    { headers: { authorization: `Bearer ${house.key}` } },
  )
  expect(pdf.headers.get('content-type')).toBe('application/pdf')
  expect((await pdf.text()).slice(0, 5)).toBe('%PDF-')
})

story('a returned debit, a backdated transfer, and fees paid by another party', async tale => {
  const { house, until } = tale
  const borrower = await readyBorrower(house)
  const loan = await lend(house, borrower, { amount: 100_000, days: 10 })
  const partner = asSecond(house)
  await agree(partner, { fees_mode: 'TRANSFERRED' })
  const free = await readyBorrower(partner, 'SCT')
  const borne = await lend(partner, free, { amount: 40_000, days: 10 })
  await until('2027-01-25')
  await payIn(partner, { to: borne, amount: 40_000 })
  const [debit] = await paymentsOfType(house, loan, 'REPAYMENT_NOMINAL')
  await sendBack(house, debit!)
  await payIn(house, { to: loan, amount: 100_300, value_date: '2027-01-21' })
  await until('2027-02-02')
  const [bill] = (await partner.client.listBills({ business_id: [partner.partner_id] })).data
  const reference = bill!.payment.to_references[0]!
  // Overpaid by a euro: the refund goes to the partner and does not concern the borrower.
  await payIn(partner, { to: borne, amount: bill!.to_pay_amount + 100, reference })
  await until('2027-02-08')
  // Nor does the statement show that this refund failed and was sent again.
  const [refund] = await paymentsOfType(partner, borne, 'REFUND')
  await sendBack(partner, refund!, { reason_code: 'AC04' })
  const person = crypto.randomUUID()
  await atDesk(house, tx => sendRefundAgain(tx, person, refund!.id, 'The account is right.'))
  await until('2027-02-10')
  expect(await paymentsOfType(partner, borne, 'REFUND')).toMatchObject([
    { amount: 100, status: 'PAID' },
    { amount: 100, status: 'PAID' },
  ])
  const paid = (await paymentsOf(partner, borne)).find(p => p.amount === bill!.to_pay_amount + 100)
  await tellOfBank(house, {
    kind: 'RETURNED',
    payment_id: paid!.id,
    amount: BigInt(paid!.amount),
    reason_code: 'FRAD',
    value_on: day('2027-02-10'),
  })
  const days = { from: '2027-01-01', to: '2027-02-28' }
  const rows = async ({ client }: TestHouse, borrower_id: string) => {
    const told = await client.getBorrowerStatement({ borrower_id, ...days })
    return told.movements.map(m => [m.value_date.slice(5, 10), m.kind, m.amount])
  }
  expect(await rows(partner, free.id)).toEqual([
    ['01-15', 'payout', 40_000],
    ['01-25', 'repayment', -40_000],
  ])
  expect(await rows(house, borrower.id)).toEqual([
    ['01-15', 'payout', 100_000],
    ['01-21', 'interest', 300],
    ['01-21', 'repayment', -100_300],
    ['01-25', 'interest', 500],
    ['01-25', 'repayment', -100_000],
    ['01-25', 'interest', -500],
    ['01-25', 'repayment_returned', 100_000],
  ])
})

story('a pending refund does not pay anything else', async ({ house, until }) => {
  const [credited, surplus] = [await readyBorrower(house, 'SCT'), await readyBorrower(house)]
  const dear = await lend(house, credited, { amount: 200_000, days: 45 })
  const [x, y] = [
    await lend(house, surplus, { amount: 500_000, days: 14 }),
    await lend(house, surplus, { amount: 400_000, days: 45 }),
  ]
  const agrees = async (borrower: { id: string }, loans: readonly { id: string }[]) => {
    const payoffs = await Promise.all(
      loans.map(({ id }) => house.client.getLoanPayoff({ loan_id: id })),
    )
    const payoff = payoffs.reduce((sum, { total }) => sum + total, 0)
    const told = await closedOn(house, borrower.id, '2027-03-31')
    expect(told.payoff_balance).toBe(payoff)
    return told
  }
  await until('2027-01-31')
  await payIn(house, { to: x, amount: 300_000, from_iban: STRANGER })
  // The surplus belongs to the third-party payer and waits for the debit's return window.
  expect(await agrees(surplus, [x, y])).toMatchObject({
    payoff_balance: 403_200,
    closing_balance: 400_000 - 300_000 + 3_500,
  })
  await until('2027-02-04')
  const [bill] = (await house.client.listBills({ business_id: [credited.id] })).data
  const reference = bill!.payment.to_references[0]!
  await payIn(house, { to: dear, amount: bill!.to_pay_amount, reference })
  await payIn(house, { to: dear, amount: 100_000, value_date: '2027-01-16' })
  // Of the 1,700 billed and paid, 750 was not owed; four days of February are.
  expect(await agrees(credited, [dear])).toEqual({
    closing_balance: 100_000,
    unbilled_interest: -650,
    payoff_balance: 100_000,
  })
  await payIn(house, { to: dear, amount: 100_000 })
  await payIn(house, { to: y, amount: (await agrees(surplus, [x, y])).payoff_balance })
  expect((await agrees(surplus, [x, y])).payoff_balance).toBe(0)
  expect((await agrees(credited, [dear])).payoff_balance).toBe(0)
  await until('2027-02-20')
  expect((await agrees(surplus, [x, y])).payoff_balance).toBe(0)
})

/** An account on file for no borrower. */
const STRANGER = 'DE89370400440532013000'

story("no movements, invalid days, and another partner's borrower", async ({ house }) => {
  const { id: borrower_id } = await readyBorrower(house)
  const days = { from: '2027-01-01', to: '2027-01-31' }
  expect(await house.client.getBorrowerStatement({ borrower_id, ...days })).toMatchObject({
    opening_balance: 0,
    closing_balance: 0,
    movements: [],
    bills: [],
  })
  const turned = house.client.getBorrowerStatement({ borrower_id, from: days.to, to: days.from })
  expect(await faultsOf(turned)).toEqual({ to: 'is before from' })
  expect(await refusal(house.second.getBorrowerStatement({ borrower_id, ...days }))).toMatchObject({
    status: 404,
    code: 'resource_unknown',
  })
})

interface Told {
  readonly closing_balance: number
  readonly unbilled_interest: number
  readonly payoff_balance: number
}

/** The closing figures of a statement up to a day. */
async function closedOn({ client }: TestHouse, borrower_id: string, to: string): Promise<Told> {
  const period = { from: '2027-01-01', to }
  const told = await client.getBorrowerStatement({ borrower_id, ...period })
  const { closing_balance, unbilled_interest, payoff_balance } = told
  return { closing_balance, unbilled_interest, payoff_balance }
}

story('a past period does not change: later returns are not in it', async tale => {
  const { house, until } = tale
  const sent = await readyBorrower(house, 'SCT')
  const debited = await readyBorrower(house)
  const lost = await lend(house, sent, { amount: 100_000, days: 45 })
  const loan = await lend(house, debited, { amount: 100_000, days: 10 })
  await until('2027-02-01')
  const days = ['2027-01-20', '2027-01-25', '2027-01-31']
  const read = (id: string, on = days) => Promise.all(on.map(to => closedOn(house, id, to)))
  const before = { sent: await read(sent.id), debited: await read(debited.id) }
  // 16 days of interest accrue up to the 31st, all on that month's bill.
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
  // Debited on Monday the 25th.
  expect(before.debited.map(told => told.payoff_balance)).toEqual([100_300, 500, 500])
  await until('2027-02-10')
  const [payout] = await paymentsOfType(house, lost, 'LOAN_PAYMENT')
  await sendBack(house, payout!)
  const [debit] = await paymentsOfType(house, loan, 'REPAYMENT_NOMINAL')
  await refundDebit(house, debit!)
  expect({ sent: await read(sent.id), debited: await read(debited.id) }).toEqual(before)
  // From the day of the return, the payout counts as never made and the debit as never received.
  await until('2027-02-11')
  const now = await closedOn(house, sent.id, '2027-02-10')
  expect(now.payoff_balance).toBe(0)
  const payoff = await house.client.getLoanPayoff({ loan_id: loan.id })
  expect(await closedOn(house, debited.id, '2027-02-11')).toMatchObject({
    payoff_balance: payoff.total,
  })
})

story('interest before a write-off stays, and stops after it', async tale => {
  const { house, until } = tale
  const borrower = await readyBorrower(house, 'SCT')
  const loan = await lend(house, borrower, { amount: 100_000, days: 10 })
  await until('2027-03-15')
  const days = ['2027-02-20', '2027-03-05', '2027-03-11']
  const read = () => Promise.all(days.map(to => closedOn(house, borrower.id, to)))
  const before = await read()
  await writeOff(house, loan, '2027-03-10')
  const after = await read()
  expect(after.slice(0, 2)).toEqual(before.slice(0, 2))
  // 54 days up to the 10th; two more had accrued before the write-off.
  expect([before[2]!.payoff_balance, after[2]!.payoff_balance]).toEqual([102_800, 102_700])
})
