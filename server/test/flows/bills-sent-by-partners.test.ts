/** Bills that a partner sends itself: their debits wait until it says that it has. */
import { expect } from 'vitest'
import { calendar } from '../support/calendar.ts'
import { billsOf, lend } from '../support/money.ts'
import { agree } from '../support/partner-terms.ts'
import { readyBorrower } from '../support/story.ts'

const story = calendar('2027-01-28')

story('nothing is debited for a bill before its partner has sent it', async ({ house, until }) => {
  await agree(house, { fees_mode: 'CHARGED', sends_bills: true })
  const borrower = await readyBorrower(house)
  await lend(house, borrower, { amount: 100_000, days: 40 })
  await until('2027-02-12')
  const billed = async () => (await billsOf(house, borrower))[0]!
  const bill = await billed()
  expect(bill).toMatchObject({ status: 'VALIDATED', payment: { status: 'SCHEDULED' } })
  expect((await house.client.getBorrower({ borrower_id: borrower.id })).status).toBe('READY')
  const sent = { sent_on: '2027-02-12', to_email_addresses: ['own@partner.example'] }
  await house.client.noteBillSent({ bill_id: bill.id, ...sent })
  // A Friday: due and debited on Tuesday.
  expect(await billed()).toMatchObject({
    ...{ status: 'TO_PAY', due_date: '2027-02-16T00:00:00Z' },
    payment: { id: bill.payment.id, status: 'SCHEDULED', scheduled_at: '2027-02-16T00:00:00Z' },
  })
  await until('2027-02-16')
  expect(await billed()).toMatchObject({ status: 'PAID', payment: { status: 'PAID' } })
})
