/** Irregular card spending: its effect on money, balances and books. */
import { expect } from 'vitest'
import { approveWriteOff, proposeWriteOff } from '../../src/credit/loans/index.ts'
import { day } from '../../src/platform/kit/dates.ts'
import { readPdf } from '../documents/samples.ts'
import type { TestApp } from '../support/app.ts'
import { calendar } from '../support/calendar.ts'
import { movement, noon, snapshot, tell } from '../support/card-news.ts'
import { activeCard, authorize, balanceOf, spend } from '../support/cards.ts'
import { booksOf, lineOf, loanOf, paymentsOfType, returnDebit } from '../support/money.ts'
import { asOperator, createOperatorId } from '../support/operators.ts'
import { readyBorrower } from '../support/story.ts'

const story = calendar('2027-01-11')
const POOL = 5_000_000

type ActiveCard = Awaited<ReturnType<typeof activeCard>>

/** The card's balance, which equals its line's because these borrowers have no other loans. */
async function balance(app: TestApp, card: ActiveCard) {
  const {
    available,
    pending,
    used,
    available_including_pending: after,
  } = await balanceOf(app, card)
  expect(after).toBe(Math.max(0, available - pending))
  expect((await lineOf(app, card.borrower)).balance_available).toBe(after)
  return { available, pending, used }
}

async function loansOf({ client }: TestApp, card: ActiveCard) {
  return (await client.listLoans({ borrower: [card.borrower.id] })).data.reverse()
}

async function entriesOf({ client }: TestApp, card: ActiveCard) {
  return (await client.listCardEntries({ card_id: card.id })).reverse()
}

story('cleared in January, reported in February: it counts for the next cycle', async tale => {
  const { app, until } = tale
  const card = await activeCard(app)
  await spend(app, card, 5_000)
  await until('2027-01-28')
  const ref = 'iauth_late_cycle'
  await tell(app, snapshot(card, ref, 20_000, noon('2027-01-28')))
  await until('2027-02-03')
  const [first] = await loansOf(app, card)
  expect(first).toMatchObject({ amount: 5_000, paid_at: '2027-02-01T00:00:00Z' })
  const late = noon('2027-01-30')
  await tell(app, movement(card, 'payment', 20_000, late, { authorization_ref: ref }))
  expect(await balance(app, card)).toEqual({
    available: POOL - 25_000,
    pending: 0,
    used: 25_000,
  })
  await until('2027-03-01')
  const loans = await loansOf(app, card)
  expect(loans).toMatchObject([{ amount: 5_000 }, { paid_at: '2027-03-01T00:00:00Z' }])
  expect(loans[1]).toMatchObject({ amount: 20_000, to_repay_at: '2027-03-31T00:00:00Z' })
  const address = `${app.base_url}/borrower/${card.borrower.id}/statement`
  const pdf = await fetch(`${address}?from=2027-03-01&to=2027-03-01&format=pdf`, {
    headers: { authorization: `Bearer ${app.key}` },
  })
  const { text } = await readPdf(Buffer.from(await pdf.arrayBuffer()))
  expect(text).toMatch(/Dépenses\s+par\s+carte\s+200,00/)
  const [, entry] = await entriesOf(app, card)
  expect(entry).toMatchObject({ cleared_at: late.toISOString(), status: 'completed' })
  expect(entry!.funding_obligation_id).toBe(loans[1]!.id)
})

story('a refund reported late repays the loan as of its clearing', async ({ app, until }) => {
  const card = await activeCard(app)
  const bought = await spend(app, card, 30_000)
  await until('2027-02-11')
  await tell(app, movement(card, 'refund', 10_000, noon('2027-02-06')))
  await until('2027-02-21')
  const [loan] = await loansOf(app, card)
  expect(bought.amount).toBe(30_000)
  // Interest on €300 for five days and €200 for fifteen.
  expect(loan).toMatchObject({ repaid_nominal_amount: 10_000, fees_ongoing: 75 + 150 })
  expect(await balance(app, card)).toEqual({
    available: POOL - 20_000,
    pending: 0,
    used: 20_000,
  })
})

story('refunds exceed the debt: the rest offsets later spending', async tale => {
  const { app, until } = tale
  const card = await activeCard(app)
  await spend(app, card, 10_000)
  await until('2027-02-05')
  await app.client.refundSandboxCard({ card_id: card.id, amount: 15_000 })
  const [loan] = await loansOf(app, card)
  expect(loan).toMatchObject({ status: 'TO_REPAY_FEES', repaid_nominal_amount: 10_000 })
  // Returned money never raises available credit above the limit.
  expect(await balance(app, card)).toEqual({ available: POOL, pending: 0, used: 0 })
  await spend(app, card, 8_000)
  expect(await balance(app, card)).toEqual({ available: POOL - 3_000, pending: 0, used: 3_000 })
  await until('2027-03-02')
  expect(await loansOf(app, card)).toMatchObject([{ amount: 10_000 }, { amount: 3_000 }])
})

story('a dispute is won, lost again, and won once there is a loan', async ({ app, until }) => {
  const card = await activeCard(app)
  const ref = 'ipi_disputed'
  const at = noon('2027-01-12')
  await until('2027-01-13')
  await tell(app, movement(card, 'payment', 20_000, at, { transaction_ref: ref }))
  const won = movement(card, 'dispute', 20_000, noon('2027-01-13'), { disputed_ref: ref })
  const twice = await tell(app, won, won)
  expect(new Set(twice).size).toBe(1)
  expect(await balance(app, card)).toEqual({ available: POOL, pending: 0, used: 0 })
  // The dispute is lost after all, so its credit is reversed.
  const lost = movement(card, 'dispute_reversal', 20_000, noon('2027-01-13'))
  await tell(app, { ...lost, disputed_ref: ref })
  expect(await balance(app, card)).toMatchObject({ used: 20_000 })
  await until('2027-02-03')
  const [loan] = await loansOf(app, card)
  expect(loan).toMatchObject({ amount: 20_000, status: 'TO_REPAY' })
  const again = movement(card, 'dispute', 20_000, noon('2027-02-03'), { disputed_ref: ref })
  await tell(app, again)
  expect(await loanOf(app, loan!.id)).toMatchObject({ repaid_nominal_amount: 20_000 })
  expect(await balance(app, card)).toEqual({ available: POOL, pending: 0, used: 0 })
})

story('cleared in part, increased, reversed, and cleared again', async ({ app }) => {
  const card = await activeCard(app)
  const { authorization_id } = await authorize(app, card, 10_000)
  await app.client.incrementSandboxAuthorization({ authorization_id, amount: 2_000 })
  expect(await balance(app, card)).toEqual({ available: POOL, pending: 12_000, used: 0 })
  const ref = await refOf(app, authorization_id)
  const now = noon('2027-01-11')
  const part = movement(card, 'payment', 4_000, now, { authorization_ref: ref })
  const left = { rank: 10n, cleared: [part.transaction_ref] }
  await tell(app, part, snapshot(card, ref, 8_000, now, left))
  expect(await balance(app, card)).toEqual({
    available: POOL - 4_000,
    pending: 8_000,
    used: 4_000,
  })
  await tell(app, snapshot(card, ref, 0, now, { ...left, rank: 11n, state: 'reversed' }))
  expect(await balance(app, card)).toEqual({ available: POOL - 4_000, pending: 0, used: 4_000 })
  // An outdated event that arrives later does not reopen the authorization.
  await tell(app, snapshot(card, ref, 8_000, now, left))
  expect((await balance(app, card)).pending).toBe(0)
  await tell(app, movement(card, 'payment', 3_000, now, { authorization_ref: ref }))
  expect(await balance(app, card)).toEqual({ available: POOL - 7_000, pending: 0, used: 7_000 })
  expect((await entriesOf(app, card)).map(e => [e.status, e.amount])).toEqual([
    ['completed', 4_000],
    ['completed', 3_000],
  ])
})

async function refOf(app: TestApp, id: string): Promise<string> {
  const { rows } = await asOperator(app, tx =>
    tx.raw('select authorization_ref from card_entries where id = $1', [id]),
  )
  return rows[0].authorization_ref
}

story('a canceled card pays its debt, and makes no more purchases', async ({ app, until }) => {
  const card = await activeCard(app)
  const { authorization_id } = await authorize(app, card, 5_000)
  await app.client.updateCardStatus({ card_id: card.id, status: 'canceled' })
  expect(await authorize(app, card, 1)).toMatchObject({ reason: 'card_canceled' })
  await until('2027-01-14')
  await app.client.clearSandboxAuthorization({ authorization_id })
  const abroad = { merchant_amount: 1_180n, merchant_currency: 'CHF' }
  const forced = movement(card, 'payment', 1_250, noon('2027-01-14'))
  await tell(app, { ...forced, purchase: { ...forced.purchase, ...abroad } })
  expect(await balance(app, card)).toEqual({ available: POOL - 6_250, pending: 0, used: 6_250 })
  const last = (await entriesOf(app, card)).at(-1)
  expect(last).toMatchObject({ amount: 1_250, merchant_amount: 1_180, merchant_currency: 'CHF' })
  await until('2027-02-01')
  expect(await loansOf(app, card)).toMatchObject([{ amount: 6_250, status: 'TO_REPAY' }])
})

story('the debit of a cycle is returned: the line is used again', async ({ app, until }) => {
  const card = await activeCard(app)
  await spend(app, card, 40_000)
  await until('2027-03-04')
  const [loan] = await loansOf(app, card)
  expect(loan!.repaid_nominal_amount).toBe(40_000)
  // The loan is repaid, but the amount stays reserved until the debit can no longer be returned.
  expect(await balance(app, card)).toEqual({ available: POOL - 40_000, pending: 0, used: 0 })
  const [debit] = await paymentsOfType(app, loan!, 'REPAYMENT_NOMINAL')
  await returnDebit(app, debit!, { reason_code: 'MS03' })
  expect(await loanOf(app, loan!.id)).toMatchObject({ status: 'TO_REPAY' })
  expect(await balance(app, card)).toEqual({ available: POOL - 40_000, pending: 0, used: 40_000 })
  await until('2027-03-10')
  expect(await authorize(app, card, 100)).toMatchObject({ reason: 'borrower_blocked' })
})

story('a cycle is written off: a later refund is a recovery', async ({ app, until }) => {
  const card = await activeCard(app, await readyBorrower(app, 'SCT'))
  await spend(app, card, 30_000)
  await until('2027-03-20')
  const [loan] = await loansOf(app, card)
  const [ann, ben] = [await createOperatorId(app), await createOperatorId(app)]
  const input = { loan_id: loan!.id, written_off_on: day('2027-03-20'), reason: 'Insolvent' }
  const id = await asOperator(app, tx => proposeWriteOff(tx.as(ann), input))
  await asOperator(app, tx => approveWriteOff(tx.as(ben), id))
  expect(await loanOf(app, loan!.id)).toMatchObject({ status: 'CLOSED' })
  expect((await balance(app, card)).used).toBe(0)
  await until('2027-03-23')
  const ref = 'ipi_of_a_loss'
  await tell(app, movement(card, 'refund', 4_000, noon('2027-03-22'), { transaction_ref: ref }))
  expect(await booksOf(app, await loanOf(app, loan!.id))).toMatchObject({
    principal_written_off: 30_000,
    principal_recovered: -4_000,
  })
  expect((await balance(app, card)).used).toBe(0)
})
