/** Borrowers blocked, unblocked or permanently prohibited by an operator. */
import { expect } from 'vitest'
import {
  blockByHand,
  prohibitBorrower,
  unblockByHand,
} from '../../src/companies/borrowers/index.ts'
import { calendar } from '../support/calendar.ts'
import { activeCard } from '../support/cards.ts'
import { atDesk, operatorOf } from '../support/desk.ts'
import { lend, lineOf, loanOf, payIn } from '../support/money.ts'
import { readyBorrower, requestLoan } from '../support/story.ts'

const story = calendar('2027-01-11')

story('blocked by hand: it cannot draw until unblocked', async ({ house, until }) => {
  const { client } = house
  const borrower = await readyBorrower(house)
  const by = await operatorOf(house)
  const reason = 'PROACTIVE_RECOLLECTION' as const
  await atDesk(house, tx => blockByHand(tx, by, borrower.id, reason))
  const standing = async () => {
    const { status, status_reason } = await client.getBorrower({ borrower_id: borrower.id })
    return { status, status_reason }
  }
  expect(await standing()).toEqual({ status: 'BLOCKED', status_reason: reason })
  const refused = await requestLoan(house, borrower, { amount: 1_000 })
  expect(refused).toMatchObject({ status: 'DECLINED', denial_reason: 'BORROWER_STATUS' })
  // No daily run lifts the block.
  await until('2027-01-14')
  expect(await standing()).toEqual({ status: 'BLOCKED', status_reason: reason })
  const twice = atDesk(house, tx => blockByHand(tx, by, borrower.id, 'BORROWER_DEFAULTED'))
  await expect(twice).rejects.toMatchObject({ code: 'state_conflict' })
  await atDesk(house, tx => unblockByHand(tx, by, borrower.id))
  expect(await standing()).toEqual({ status: 'READY', status_reason: null })
  await expect(atDesk(house, tx => unblockByHand(tx, by, borrower.id))).rejects.toMatchObject({
    code: 'state_conflict',
  })
  expect((await requestLoan(house, borrower, { amount: 1_000 })).status).toBe('VALIDATED')
})

story('prohibited: loans not yet paid out are declined, debts are still collected', async tale => {
  const { house, until } = tale
  const { client } = house
  const borrower = await readyBorrower(house)
  const by = await operatorOf(house)
  const running = await lend(house, borrower, { amount: 20_000, days: 10 })
  const held = await requestLoan(house, borrower, { amount: 3_000, auto_validate: false })
  const before = (await lineOf(house, borrower)).balance_available!
  const card = await activeCard(house, borrower)
  const reason = 'BUSINESS_AML_EXTREME_RISK' as const
  await atDesk(house, tx => prohibitBorrower(tx, by, borrower.id, reason))
  expect(await client.getBorrower({ borrower_id: borrower.id })).toMatchObject({
    status: 'PROHIBITED',
    status_reason: reason,
  })
  expect((await loanOf(house, held.id)).status).toBe('DECLINED')
  // Canceled for good at the processor too, which may authorize payments in our place.
  expect((await client.getCard({ card_id: card.id })).status).toBe('canceled')
  const revived = client.updateCardStatus({ card_id: card.id, status: 'active' })
  await expect(revived).rejects.toMatchObject({ code: 'state_conflict' })
  expect((await lineOf(house, borrower)).balance_available).toBe(before + 3_000)
  const refused = await requestLoan(house, borrower, { amount: 1_000 })
  expect(refused).toMatchObject({ status: 'DECLINED', denial_reason: 'BORROWER_STATUS' })
  const again = atDesk(house, tx => prohibitBorrower(tx, by, borrower.id, reason))
  await expect(again).rejects.toMatchObject({ code: 'state_conflict' })
  await until('2027-02-10')
  expect((await loanOf(house, running.id)).status).toBe('CLOSED')
  await payIn(house, { to: running, amount: 100 })
  expect((await client.getBorrower({ borrower_id: borrower.id })).status).toBe('PROHIBITED')
})

story(
  'rejected while overdue: repaying does not restore drawing, a new review does',
  async tale => {
    const { house, until } = tale
    const { client } = house
    const borrower = await readyBorrower(house, 'SCT')
    const by = await operatorOf(house)
    const loan = await lend(house, borrower, { amount: 20_000, days: 10 })
    const standing = async () => {
      const { status, status_reason } = await client.getBorrower({ borrower_id: borrower.id })
      return [status, status_reason]
    }
    await until('2027-01-29')
    expect(await standing()).toEqual(['BLOCKED', 'LATE_REPAYMENT_BORROWER'])
    const business_identifier = { identifier: borrower.identifier }
    await client.setSandboxEligibility({ business_identifier, scenario: 'NOT_ELIGIBLE' })
    await payIn(house, { to: loan, amount: 20_000 })
    await until('2027-02-01')
    expect(await standing()).toEqual(['BLOCKED', 'BUSINESS_COMPLIANCE_ISSUE_DETECTED'])
    await expect(atDesk(house, tx => unblockByHand(tx, by, borrower.id))).rejects.toMatchObject({
      code: 'state_conflict',
    })
    await client.setSandboxEligibility({ business_identifier, scenario: 'OK' })
    expect(await standing()).toEqual(['READY', null])
  },
)
