/** Borrowers that an operator blocks, unblocks or permanently prohibits. */
import { expect } from 'vitest'
import {
  blockBorrowerManually,
  prohibitBorrower,
  unblockBorrowerManually,
} from '../../src/companies/borrowers/index.ts'
import { calendar } from '../support/calendar.ts'
import { activeCard } from '../support/cards.ts'
import { lend, lineOf, loanOf, payIn } from '../support/money.ts'
import { asOperator, createOperatorId } from '../support/operators.ts'
import { readyBorrower, requestLoan } from '../support/story.ts'

const story = calendar('2027-01-11')

story('a borrower blocked by an operator cannot draw until unblocked', async ({ app, until }) => {
  const { client } = app
  const borrower = await readyBorrower(app)
  const by = await createOperatorId(app)
  const reason = 'PROACTIVE_RECOLLECTION' as const
  await asOperator(app, tx => blockBorrowerManually(tx.as(by), borrower.id, reason))
  const state = async () => {
    const { status, status_reason } = await client.getBorrower({ borrower_id: borrower.id })
    return { status, status_reason }
  }
  expect(await state()).toEqual({ status: 'BLOCKED', status_reason: reason })
  const refused = await requestLoan(app, borrower, { amount: 1_000 })
  expect(refused).toMatchObject({ status: 'DECLINED', denial_reason: 'BORROWER_STATUS' })
  // No daily run lifts the block.
  await until('2027-01-14')
  expect(await state()).toEqual({ status: 'BLOCKED', status_reason: reason })
  const twice = asOperator(app, tx =>
    blockBorrowerManually(tx.as(by), borrower.id, 'BORROWER_DEFAULTED'),
  )
  await expect(twice).rejects.toMatchObject({ code: 'state_conflict' })
  await asOperator(app, tx => unblockBorrowerManually(tx.as(by), borrower.id))
  expect(await state()).toEqual({ status: 'READY', status_reason: null })
  await expect(
    asOperator(app, tx => unblockBorrowerManually(tx.as(by), borrower.id)),
  ).rejects.toMatchObject({
    code: 'state_conflict',
  })
  expect((await requestLoan(app, borrower, { amount: 1_000 })).status).toBe('VALIDATED')
})

story('prohibited: loans not yet paid out are declined, debts are still collected', async tale => {
  const { app, until } = tale
  const { client } = app
  const borrower = await readyBorrower(app)
  const by = await createOperatorId(app)
  const running = await lend(app, borrower, { amount: 20_000, days: 10 })
  const held = await requestLoan(app, borrower, { amount: 3_000, auto_validate: false })
  const before = (await lineOf(app, borrower)).balance_available!
  const card = await activeCard(app, borrower)
  const reason = 'BUSINESS_AML_EXTREME_RISK' as const
  await asOperator(app, tx => prohibitBorrower(tx.as(by), borrower.id, reason))
  expect(await client.getBorrower({ borrower_id: borrower.id })).toMatchObject({
    status: 'PROHIBITED',
    status_reason: reason,
  })
  expect((await loanOf(app, held.id)).status).toBe('DECLINED')
  // Cards are canceled at the processor too, because it may authorize payments in our place.
  expect((await client.getCard({ card_id: card.id })).status).toBe('canceled')
  const revived = client.updateCardStatus({ card_id: card.id, status: 'active' })
  await expect(revived).rejects.toMatchObject({ code: 'state_conflict' })
  expect((await lineOf(app, borrower)).balance_available).toBe(before + 3_000)
  const refused = await requestLoan(app, borrower, { amount: 1_000 })
  expect(refused).toMatchObject({ status: 'DECLINED', denial_reason: 'BORROWER_STATUS' })
  const again = asOperator(app, tx => prohibitBorrower(tx.as(by), borrower.id, reason))
  await expect(again).rejects.toMatchObject({ code: 'state_conflict' })
  await until('2027-02-10')
  expect((await loanOf(app, running.id)).status).toBe('CLOSED')
  await payIn(app, { to: running, amount: 100 })
  expect((await client.getBorrower({ borrower_id: borrower.id })).status).toBe('PROHIBITED')
})

story(
  'rejected while overdue: repaying does not restore drawing, a new review does',
  async tale => {
    const { app, until } = tale
    const { client } = app
    const borrower = await readyBorrower(app, 'SCT')
    const by = await createOperatorId(app)
    const loan = await lend(app, borrower, { amount: 20_000, days: 10 })
    const state = async () => {
      const { status, status_reason } = await client.getBorrower({ borrower_id: borrower.id })
      return [status, status_reason]
    }
    await until('2027-01-29')
    expect(await state()).toEqual(['BLOCKED', 'LATE_REPAYMENT_BORROWER'])
    const business_identifier = { identifier: borrower.identifier }
    await client.setSandboxEligibility({ business_identifier, scenario: 'NOT_ELIGIBLE' })
    await payIn(app, { to: loan, amount: 20_000 })
    await until('2027-02-01')
    expect(await state()).toEqual(['BLOCKED', 'BUSINESS_COMPLIANCE_ISSUE_DETECTED'])
    await expect(
      asOperator(app, tx => unblockBorrowerManually(tx.as(by), borrower.id)),
    ).rejects.toMatchObject({
      code: 'state_conflict',
    })
    await client.setSandboxEligibility({ business_identifier, scenario: 'OK' })
    expect(await state()).toEqual(['READY', null])
  },
)
