/** A card credit that remains after the loans of its purchases are repaid is refunded. */
import { expect } from 'vitest'
import type { TestApp } from '../support/app.ts'
import { calendar, type StoryContext } from '../support/calendar.ts'
import { activeCard, balanceOf, spend } from '../support/cards.ts'
import { debitOf, loanOf, payIn, paymentsOfType, refundDebit } from '../support/money.ts'
import { refusal } from '../support/refusal.ts'
import { mailsTo } from '../support/story.ts'

const story = calendar('2027-01-28')

type ActiveCard = Awaited<ReturnType<typeof activeCard>>

async function lastLoan({ client }: TestApp, { borrower }: ActiveCard) {
  const { data } = await client.listLoans({ borrower: [borrower.id] })
  return data[0]!
}

/** A purchase that is disputed successfully after a final debit has repaid its loan. */
async function wonBack({ app, until }: StoryContext, amount: number) {
  const card = await activeCard(app)
  const purchase = await spend(app, card, amount)
  await until('2027-04-10')
  const loan = await lastLoan(app, card)
  expect(loan).toMatchObject({ amount, repaid_nominal_amount: amount, status: 'CLOSED' })
  await app.client.disputeSandboxCardEntry({ entry_id: purchase.id, amount })
  await app.drain()
  return { card, loan }
}

async function refundsOf(app: TestApp, loan: { id: string }) {
  const refunds = await paymentsOfType(app, loan, 'REFUND')
  return refunds.map(({ amount, status, scheduled_at, to_account_details: to }) => [
    amount,
    status,
    scheduled_at?.slice(0, 10),
    to?.account_number,
  ])
}

story("at the cycle's close, to the account that was debited", async tale => {
  const { app, until } = tale
  const { card, loan } = await wonBack(tale, 200_000)
  const before = await loanOf(app, loan.id)
  await until('2027-05-01')
  const iban = card.borrower.account_number
  expect(await refundsOf(app, loan)).toEqual([[200_000, 'SCHEDULED', '2027-05-03', iban]])
  await until('2027-05-04')
  expect(await refundsOf(app, loan)).toEqual([[200_000, 'PAID', '2027-05-03', iban]])
  expect(await balanceOf(app, card)).toMatchObject({ used: 0, pending: 0 })
  const { repaid_amount, fees_ongoing } = before
  expect(await loanOf(app, loan.id)).toMatchObject({
    status: 'CLOSED',
    repaid_amount,
    fees_ongoing,
    reclaimed_refunds_amount: 0,
  })
  const result = await app.client.getBorrowerStatement({
    borrower_id: card.borrower.id,
    from: '2027-04-10',
    to: '2027-05-04',
  })
  expect(result.movements.map(m => [m.value_date.slice(5, 10), m.kind, m.amount])).toEqual([
    ['04-10', 'repayment', -200_000],
    ['05-03', 'refund', 200_000],
  ])
  expect(result).toMatchObject({ closing_balance: 0, payoff_balance: 0 })
  // The loan was repaid once, so only one mail says so.
  expect(await mailsTo(app, card.borrower, /est remboursé/)).toHaveLength(1)
  await app.client.deactivateBorrower({ borrower_id: card.borrower.id })
})

story('a card credit is first used up by purchases', async tale => {
  const { app, until } = tale
  const { card, loan } = await wonBack(tale, 200_000)
  await spend(app, card, 150_000)
  await until('2027-05-02')
  expect((await refundsOf(app, loan)).map(([amount]) => amount)).toEqual([50_000])
  expect((await lastLoan(app, card)).id).toBe(loan.id)
  expect((await balanceOf(app, card)).used).toBe(0)
})

story('a card credit is refunded as soon as the last card is canceled', async tale => {
  const { app, until } = tale
  const { card, loan } = await wonBack(tale, 60_000)
  await until('2027-04-11')
  expect(await refundsOf(app, loan)).toEqual([])
  await app.client.updateCardStatus({ card_id: card.id, status: 'canceled' })
  await until('2027-04-15')
  const iban = card.borrower.account_number
  expect(await refundsOf(app, loan)).toEqual([[60_000, 'PAID', '2027-04-13', iban]])
})

story('a deactivated borrower is refunded its card credit', async tale => {
  const { app, until } = tale
  const { card, loan } = await wonBack(tale, 70_000)
  await app.client.deactivateBorrower({ borrower_id: card.borrower.id })
  // The debit of the March bill settled on the 5th, and can be returned for a week.
  await until('2027-04-15')
  const iban = card.borrower.account_number
  expect(await refundsOf(app, loan)).toEqual([[70_000, 'PAID', '2027-04-13', iban]])
})

story("more than its loan's repayment goes to the account on file", async tale => {
  const { app, until } = tale
  const { card, loan } = await wonBack(tale, 40_000)
  await app.client.refundSandboxCard({ card_id: card.id, amount: 10_000 })
  await until('2027-05-03')
  const iban = card.borrower.account_number
  expect(await refundsOf(app, loan)).toEqual([
    [40_000, 'PAID', '2027-05-03', iban],
    [10_000, 'PAID', '2027-05-03', iban],
  ])
})

story('a card credit goes to the account on file if its payer is unknown', async tale => {
  const { app, until } = tale
  const card = await activeCard(app)
  const purchase = await spend(app, card, 50_000)
  await until('2027-02-20')
  const loan = await loanOf(app, (await lastLoan(app, card)).id)
  await payIn(app, { to: loan, amount: 50_000, from_iban: null })
  await until('2027-04-10')
  expect(await loanOf(app, loan.id)).toMatchObject({ status: 'CLOSED' })
  await app.client.disputeSandboxCardEntry({ entry_id: purchase.id, amount: 50_000 })
  await until('2027-05-04')
  const iban = card.borrower.account_number
  expect(await refundsOf(app, loan)).toEqual([[50_000, 'PAID', '2027-05-03', iban]])
})

story('the debit is returned afterwards: the refunded amount is principal again', async tale => {
  const { app, until } = tale
  const { card, loan } = await wonBack(tale, 80_000)
  await app.client.updateCardStatus({ card_id: card.id, status: 'canceled' })
  await until('2027-04-20')
  await refundDebit(app, await debitOf(app, loan))
  expect(await loanOf(app, loan.id)).toMatchObject({
    status: 'TO_REPAY',
    reclaimed_refunds_amount: 80_000,
  })
  expect((await balanceOf(app, card)).used).toBe(80_000)
})

story("the credit pays its loan's outstanding interest first", async ({ app, until }) => {
  const card = await activeCard(app)
  const purchase = await spend(app, card, 50_000)
  await until('2027-03-10')
  const loan = await lastLoan(app, card)
  expect(loan).toMatchObject({ status: 'TO_REPAY_FEES', repaid_nominal_amount: 50_000 })
  await app.client.disputeSandboxCardEntry({ entry_id: purchase.id, amount: 50_000 })
  await until('2027-04-05')
  const { fees_ongoing, paid_interests_amount, status } = await loanOf(app, loan.id)
  expect([status, paid_interests_amount]).toEqual(['CLOSED', fees_ongoing])
  const [refund] = await paymentsOfType(app, loan, 'REFUND')
  expect(refund).toMatchObject({ status: 'PAID', scheduled_at: '2027-04-02T00:00:00Z' })
  // The interest of February is already paid with its bill, so the credit pays only the rest.
  expect(refund!.amount).toBe(50_000 - fees_ongoing! + loan.paid_interests_amount)
})

story(
  'without a loan the credit stays, and deactivation is refused for it',
  async ({ app, until }) => {
    const card = await activeCard(app)
    await app.client.refundSandboxCard({ card_id: card.id, amount: 9_000 })
    await until('2027-02-02')
    const { id: borrower_id } = card.borrower
    const { code, message } = await refusal(app.client.deactivateBorrower({ borrower_id }))
    expect([code, message]).toEqual(['money_owed', expect.stringContaining('9000 more than')])
    await spend(app, card, 9_500)
    await until('2027-03-02')
    expect(await lastLoan(app, card)).toMatchObject({ amount: 500 })
  },
)
