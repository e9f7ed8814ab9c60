/** Refunds and disputes of card purchases, before and after their cycle closes, in any order. */
import { expect } from 'vitest'
import { day } from '../../src/platform/kit/dates.ts'
import { checksThatFail } from '../books/with-tampering.ts'
import type { TestApp } from '../support/app.ts'
import { calendar } from '../support/calendar.ts'
import { movement, noon, tell } from '../support/card-news.ts'
import { activeCard, balanceOf, spend } from '../support/cards.ts'
import {
  payIn,
  paymentsOf,
  paymentsOfType,
  receiveNews,
  referenceOf,
  returnDebit,
} from '../support/money.ts'
import { readyBorrower } from '../support/story.ts'

const story = calendar('2027-01-28')

type ActiveCard = Awaited<ReturnType<typeof activeCard>>

async function state(app: TestApp, card: ActiveCard) {
  const { data } = await app.client.listLoans({ borrower: [card.borrower.id] })
  const { used } = await balanceOf(app, card)
  const loans = data.reverse().map(loan => [loan.amount, loan.repaid_nominal_amount])
  return { used, loans }
}

story("refunds exceed their purchase: the rest repays another purchase's loan", async tale => {
  const { app, until } = tale
  const card = await activeCard(app, await readyBorrower(app, 'SCT'))
  await tell(app, movement(card, 'payment', 20_000, noon('2027-01-28')))
  await until('2027-02-03')
  const of = { authorization_ref: 'iauth_more_back' }
  await tell(app, movement(card, 'payment', 22_000, noon('2027-01-29'), of))
  await tell(app, movement(card, 'refund', 24_000, noon('2027-01-30'), of))
  await tell(app, movement(card, 'refund', 3_000, noon('2027-01-30'), of))
  expect(await state(app, card)).toEqual({ used: 15_000, loans: [[20_000, 5_000]] })
})

story('money returned before its purchase is known waits for it', async ({ app, until }) => {
  const card = await activeCard(app, await readyBorrower(app, 'SCT'))
  await spend(app, card, 20_000)
  await until('2027-02-03')
  const ref = 'ipi_unheard'
  const back = { disputed_ref: ref }
  await tell(app, movement(card, 'dispute', 9_000, noon('2027-02-02'), back))
  expect((await state(app, card)).loans).toEqual([[20_000, 0]])
  // Without the reference, the credit would not wait but repay the loan, so verification objects.
  const unnamed = `update card_entries set original_ref = null where original_ref = '${ref}'`
  expect(await checksThatFail(app, unnamed)).toContain('card_credit')
  const of = { transaction_ref: ref }
  await tell(app, movement(card, 'payment', 7_000, noon('2027-02-01'), of))
  // The credit offsets the purchase, and the rest repays the loan.
  expect(await state(app, card)).toEqual({ used: 18_000, loans: [[20_000, 2_000]] })
})

story('a late-reported credit from after a close repays its loan', async ({ app, until }) => {
  const card = await activeCard(app, await readyBorrower(app, 'SCT'))
  await until('2027-01-31')
  await tell(app, movement(card, 'payment', 20_000, noon('2027-01-31')))
  await tell(app, movement(card, 'refund', 25_000, noon('2027-02-01')))
  await until('2027-02-02')
  expect(await state(app, card)).toEqual({ used: 0, loans: [[20_000, 20_000]] })
  await spend(app, card, 6_000)
  expect((await state(app, card)).used).toBe(1_000)
})

story('a credit pays a bill; the part refunded later does not count as its payment', async tale => {
  const { app, until } = tale
  const card = await activeCard(app)
  await spend(app, card, 10_000)
  await until('2027-02-10')
  await app.client.refundSandboxCard({ card_id: card.id, amount: 10_500 })
  await until('2027-03-04')
  const { data } = await app.client.listBills({ business_id: [card.borrower.id] })
  expect(data[0]).toMatchObject({ status: 'PAID', payment: { amount: 0, status: 'CANCELED' } })
  const [loan] = (await app.client.listLoans({ borrower: [card.borrower.id] })).data
  expect(await paymentsOfType(app, loan!, 'REFUND')).toHaveLength(1)
})

story('a debit is returned while the cards are in credit', async ({ app, until }) => {
  const card = await activeCard(app)
  await spend(app, card, 40_000)
  await until('2027-03-04')
  expect(await state(app, card)).toEqual({ used: 0, loans: [[40_000, 40_000]] })
  await app.client.refundSandboxCard({ card_id: card.id, amount: 15_000 })
  const [loan] = (await app.client.listLoans({ borrower: [card.borrower.id] })).data
  const [debit] = await paymentsOfType(app, loan!, 'REPAYMENT_NOMINAL')
  await returnDebit(app, debit!, { reason_code: 'MS03' })
  expect(await state(app, card)).toEqual({ used: 25_000, loans: [[40_000, 15_000]] })
})

story('a lost dispute repays its loan the same, whichever event comes first', async tale => {
  const { app, until } = tale
  const cards = [await activeCard(app), await activeCard(app)]
  await until('2027-01-29')
  const ref = (card: ActiveCard) => ({ disputed_ref: `ipi_lost_${card.id}` })
  for (const card of cards) {
    const transaction_ref = ref(card).disputed_ref
    await tell(app, movement(card, 'payment', 20_000, noon('2027-01-29'), { transaction_ref }))
  }
  await until('2027-02-12')
  for (const [n, card] of cards.entries()) {
    const won = movement(card, 'dispute', 20_000, noon('2027-02-05'), ref(card))
    const lost = movement(card, 'dispute_reversal', 20_000, noon('2027-02-10'), ref(card))
    await tell(app, ...(n === 0 ? [won, lost] : [lost, won]))
    expect(await state(app, card)).toEqual({ used: 20_000, loans: [[20_000, 20_000]] })
  }
})

story(
  'a debit is returned after a refund: the refund repays the loan as it would have',
  async tale => {
    const { app, until } = tale
    const card = await activeCard(app)
    await spend(app, card, 40_000)
    await until('2027-03-04')
    await app.client.refundSandboxCard({ card_id: card.id, amount: 15_000 })
    const of = { authorization_ref: 'iauth_after_refund' }
    await tell(app, movement(card, 'payment', 20_000, noon('2027-03-04'), of))
    expect(await state(app, card)).toEqual({ used: 5_000, loans: [[40_000, 40_000]] })
    const [loan] = (await app.client.listLoans({ borrower: [card.borrower.id] })).data
    const [debit] = await paymentsOfType(app, loan!, 'REPAYMENT_NOMINAL')
    await returnDebit(app, debit!, { reason_code: 'MS03' })
    expect(await state(app, card)).toEqual({ used: 45_000, loans: [[40_000, 15_000]] })
    // The current cycle's purchase is refunded too, so only the loan of the last cycle is owed.
    await tell(app, movement(card, 'refund', 20_000, noon('2027-03-04'), of))
    expect(await state(app, card)).toEqual({ used: 25_000, loans: [[40_000, 15_000]] })
  },
)

story('a transfer for the loans of two cycles is returned while money waits', async tale => {
  const { app, until } = tale
  const card = await activeCard(app, await readyBorrower(app, 'SCT'))
  await spend(app, card, 20_000)
  await until('2027-02-02')
  await spend(app, card, 30_000)
  await until('2027-03-02')
  const [later, sooner] = (await app.client.listLoans({ borrower: [card.borrower.id] })).data
  const reference = `${referenceOf(later!)} ${referenceOf(sooner!)}`
  await payIn(app, {
    to: later!,
    amount: 35_290,
    reference,
    from_iban: card.borrower.account_number,
  })
  const unheard = { disputed_ref: 'ipi_never_heard' }
  await tell(app, movement(card, 'dispute', 25_000, noon('2027-03-02'), unheard))
  expect((await state(app, card)).loans).toEqual([
    [20_000, 20_000],
    [30_000, 15_000],
  ])
  const transfer = (await paymentsOf(app, sooner!)).find(p => p.amount === 35_290)
  await receiveNews(app, {
    kind: 'RETURNED',
    payment_id: transfer!.id,
    amount: 35_290n,
    reason_code: 'FRAD',
    value_on: day('2027-03-02'),
  })
  expect(await state(app, card)).toEqual({
    used: 25_000,
    loans: [
      [20_000, 20_000],
      [30_000, 5_000],
    ],
  })
})
