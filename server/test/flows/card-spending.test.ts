/** Card spending from the authorization to the last cent of its loan. */
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { applyCardEvents, type EntryRow } from '../../src/credit/cards/index.ts'
import type { TransactionNews } from '../../src/integrations/ports/card-issuer.ts'
import { type TestApp, testApp } from '../support/app.ts'
import { activeCard, authorize, balanceOf, spend } from '../support/cards.ts'
import { billsOf, type Loan, lineOf, loanOf, payIn, paymentsOfType } from '../support/money.ts'
import { asOperator } from '../support/operators.ts'
import { plusDays, readyBorrower, requestLoan, today } from '../support/story.ts'

let app: TestApp
beforeAll(async () => {
  app = await testApp()
})

const POOL = 5_000_000

test('an authorization reserves credit, its clearing uses it; line and loans agree', async () => {
  const card = await activeCard(app)
  const held = await authorize(app, card, 30_000)
  expect(held).toMatchObject({ approved: true, reason: null, amount: 30_000 })
  expect(await balanceOf(app, card)).toEqual({
    available: POOL,
    pending: 30_000,
    used: 0,
    currency: 'EUR',
    available_including_pending: POOL - 30_000,
  })
  expect((await lineOf(app, card.borrower)).balance_available).toBe(POOL - 30_000)
  const entry = await app.client.clearSandboxAuthorization({
    authorization_id: held.authorization_id,
  })
  expect(entry).toMatchObject({ status: 'completed', amount: 30_000, merchant_name: 'Bistro' })
  expect(await balanceOf(app, card)).toMatchObject({
    available: POOL - 30_000,
    pending: 0,
    used: 30_000,
  })
  const loan = await requestLoan(app, card.borrower, { amount: POOL - 29_999 })
  expect(loan.denial_reason).toBe('AMOUNT_SUPERIOR_TO_AVAILABLE_BALANCE')
  const rest = await requestLoan(app, card.borrower, { amount: POOL - 30_000 })
  expect(rest.denial_reason).toBeNull()
  expect(await authorize(app, card, 1)).toMatchObject({
    approved: false,
    reason: 'insufficient_headroom',
    amount: 0,
  })
  expect((await app.verify()).findings).toEqual([])
})

test('clearings of other amounts, in another currency or in part, and reversals', async () => {
  const card = await activeCard(app)
  const { client } = app
  const less = await authorize(app, card, 10_000)
  await client.clearSandboxAuthorization({ authorization_id: less.authorization_id, amount: 7_000 })
  expect(await balanceOf(app, card)).toMatchObject({ pending: 0, used: 7_000 })
  const more = await authorize(app, card, 10_000)
  const id = { authorization_id: more.authorization_id }
  expect((await client.incrementSandboxAuthorization({ ...id, amount: 2_000 })).amount).toBe(12_000)
  expect((await client.reverseSandboxAuthorization({ ...id, amount: 5_000 })).amount).toBe(7_000)
  expect(await balanceOf(app, card)).toMatchObject({ pending: 7_000, used: 7_000 })
  const abroad = { amount: 13_000, merchant_amount: 14_100, merchant_currency: 'USD' }
  expect(await client.clearSandboxAuthorization({ ...id, ...abroad })).toMatchObject(abroad)
  await expect(client.clearSandboxAuthorization(id)).rejects.toThrow(/completed/)
  expect(await balanceOf(app, card)).toMatchObject({ pending: 0, used: 20_000 })
  const whole = await authorize(app, card, 500)
  await client.reverseSandboxAuthorization({ authorization_id: whole.authorization_id })
  const partial = await client.authorizeSandboxCard({
    card_id: card.id,
    amount: POOL,
    currency: 'EUR',
    merchant_name: 'Yard',
    allow_partial: true,
  })
  expect(partial).toMatchObject({ approved: true, amount: POOL - 20_000 })
  await client.reverseSandboxAuthorization({ authorization_id: partial.authorization_id })
  const statuses = (await client.listCardEntries({ card_id: card.id })).map(e => e.status)
  expect(statuses).toEqual(['reversed', 'reversed', 'completed', 'completed'])
  expect((await app.verify()).findings).toEqual([])
})

test('clearing without an authorization is accepted, even above the limit', async () => {
  const card = await activeCard(app)
  const { client } = app
  const forced = await client.forcePostSandboxCard({ card_id: card.id, amount: POOL + 5 })
  expect(forced).toMatchObject({ status: 'completed', amount: POOL + 5 })
  expect(await balanceOf(app, card)).toMatchObject({ available: 0, used: POOL + 5 })
  expect((await lineOf(app, card.borrower)).balance_available).toBe(0)
  const back = await client.disputeSandboxCardEntry({ entry_id: forced.id, amount: 1_000 })
  expect(back).toMatchObject({ transaction_type: 'dispute', amount: -1_000 })
  const over = client.disputeSandboxCardEntry({ entry_id: forced.id, amount: POOL })
  await expect(over).rejects.toThrow(/at stake/)
  await client.refundSandboxCard({ card_id: card.id, amount: POOL })
  expect(await balanceOf(app, card)).toMatchObject({ available: POOL, used: 0 })
  expect((await app.verify()).findings).toEqual([])
})

test('an authorization expires after a week, and a late clearing is still booked', async () => {
  const card = await activeCard(app)
  const held = await authorize(app, card, 4_000)
  await app.client.advanceSandboxClock({ days: 6 })
  expect(await balanceOf(app, card)).toMatchObject({ pending: 4_000 })
  await app.client.advanceSandboxClock({ days: 1 })
  expect(await balanceOf(app, card)).toMatchObject({ pending: 0, used: 0 })
  const [entry] = await app.client.listCardEntries({ card_id: card.id })
  expect(entry).toMatchObject({ id: held.authorization_id, status: 'reversed' })
  const late = await app.client.clearSandboxAuthorization({
    authorization_id: held.authorization_id,
  })
  expect(late).toMatchObject({ id: entry!.id, status: 'completed', amount: 4_000 })
  expect((await app.verify()).findings).toEqual([])
})

test('the rest of a partly cleared authorization expires as the day begins in Paris', async () => {
  const card = await activeCard(app)
  const { authorization_id } = await authorize(app, card, 4_000)
  await asOperator(app, async tx => {
    const entry = await tx.one(sql<EntryRow>`
      select * from card_entries where id = ${authorization_id}`)
    const { merchant_name, merchant_category, merchant_amount, merchant_currency } = entry
    const result: TransactionNews = {
      kind: 'TRANSACTION',
      transaction_type: 'payment',
      amount: 1_000n,
      currency: 'EUR',
      provider_card_id: card.provider_card_id!,
      authorization_ref: entry.authorization_ref,
      transaction_ref: 'ipi_part',
      disputed_ref: null,
      at: tx.now,
      purchase: { merchant_name, merchant_category, merchant_amount, merchant_currency },
    }
    await applyCardEvents(tx.as('processor'), [result])
  })
  expect(await balanceOf(app, card)).toMatchObject({ pending: 3_000, used: 1_000 })
  await app.client.advanceSandboxClock({ to: plusDays(await today(app), 7) })
  expect(await balanceOf(app, card)).toMatchObject({ pending: 0 })
  expect((await app.verify()).findings).toEqual([])
})

test('a cycle becomes one loan at its close; refunds repay it, a debit collects it', async () => {
  const { client } = app
  const borrower = await readyBorrower(app)
  const [card, other] = [await activeCard(app, borrower), await activeCard(app, borrower)]
  const bought = await spend(app, card, 60_000)
  await spend(app, other, 45_000)
  await client.refundSandboxCard({ card_id: card.id, amount: 5_000 })
  const open = await authorize(app, card, 1_000)
  const day = await today(app)
  const close = await nextClose(app)
  const days = (Date.parse(close) - Date.parse(day)) / 86_400_000
  await client.advanceSandboxClock({ days })
  const loans = (await client.listLoans({ borrower: [borrower.id] })).data
  expect(loans).toHaveLength(1)
  const [loan] = loans
  expect(loan).toMatchObject({
    loan_type: 'CREDIT_CARD_FINANCING',
    amount: 100_000,
    status: 'TO_REPAY',
    paid_at: `${close}T00:00:00Z`,
    to_repay_at: `${plusDays(close, 30)}T00:00:00Z`,
  })
  expect(loan!.contract_url).not.toBeNull()
  const entries = await client.listCardEntries({ card_id: card.id })
  expect(entries.find(e => e.id === bought.id)?.funding_obligation_id).toBe(loan!.id)
  const used = 100_000
  expect(await balanceOf(app, card)).toMatchObject({ used, available: POOL - used })
  expect((await app.verify()).findings).toEqual([])

  await client.advanceSandboxClock({ days: 3 })
  await client.refundSandboxCard({ card_id: card.id, amount: 20_000 })
  expect(await loanOf(app, loan!.id)).toMatchObject({ repaid_nominal_amount: 20_000 })
  expect(await balanceOf(app, card)).toMatchObject({ used: 80_000 })
  if (days < 4) {
    await client.clearSandboxAuthorization({ authorization_id: open.authorization_id })
  }
  await client.advanceSandboxClock({ days: 40 })
  expect((await loanOf(app, loan!.id)).repaid_nominal_amount).toBe(100_000)
  const bills = await billsOf(app, borrower)
  expect(bills.length).toBeGreaterThan(0)
  expect((await app.verify()).findings).toEqual([])
})

test('a refund becomes an overpayment once an earlier transfer is known', async () => {
  const { client } = app
  const card = await activeCard(app)
  await spend(app, card, 100_000)
  const close = await nextClose(app)
  await client.advanceSandboxClock({ to: plusDays(close, 4) })
  const [{ id }] = (await client.listLoans({ borrower: [card.borrower.id] })).data as [Loan]
  await client.refundSandboxCard({ card_id: card.id, amount: 100_000 })
  const loan = await loanOf(app, id)
  expect(loan).toMatchObject({ status: 'TO_REPAY_FEES', fees_ongoing: 200 })
  const from_iban = card.borrower.account_number
  await payIn(app, { to: loan, amount: 100_000, value_date: plusDays(close, 2), from_iban })
  expect(await loanOf(app, id)).toMatchObject({ status: 'CLOSED', fees_ongoing: 100 })
  expect(await paymentsOfType(app, loan, 'REFUND')).toMatchObject([
    { status: 'SCHEDULED', amount: 99_900 },
  ])
  // The card refund has already paid the interest that the bill charges.
  await client.advanceSandboxClock({ to: plusDays(await nextClose(app), 5) })
  expect(await paymentsOfType(app, loan, 'REFUND')).toMatchObject([
    { status: 'PAID', amount: 99_900 },
  ])
  expect(await billsOf(app, card.borrower)).toMatchObject([{ status: 'PAID', to_pay_amount: 0 }])
  expect((await app.verify()).findings).toEqual([])
})

/** The first of the next month, when the card cycle closes. */
async function nextClose(of: TestApp): Promise<string> {
  return `${plusDays(`${(await today(of)).slice(0, 7)}-28`, 4).slice(0, 7)}-01`
}
