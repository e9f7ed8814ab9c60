/** A partner that bears the fees, sends bills itself, and reports sending its own too late. */
import { expect } from 'vitest'
import { calendar } from '../support/calendar.ts'
import { lend, payIn } from '../support/money.ts'
import { agree, PARTNER_COMPANY } from '../support/partner-terms.ts'
import { readyBorrower, requestLoan } from '../support/story.ts'

const story = calendar('2027-01-28')

story(
  'the bill is due all the same: no loans whose fees the partner bears until it is paid',
  async tale => {
    const { app, until } = tale
    await agree(app, { fees_mode: 'TRANSFERRED', sends_bills: true })
    const billsOfPartner = async () =>
      (await app.client.listBills({ business_id: [app.partner_id] })).data
    const borrower = await readyBorrower(app, 'SCT')
    const loan = await lend(app, borrower, { amount: 100_000, days: 45 })
    await until('2027-02-09')
    const [bill] = await billsOfPartner()
    expect(bill).toMatchObject({ status: 'VALIDATED', due_date: '2027-02-03T00:00:00Z' })
    expect((await lend(app, borrower, { amount: 10_000, days: 10 })).status).toBe('TO_REPAY')
    await until('2027-02-10')
    const refused = { status: 'DECLINED', denial_reason: 'LINKED_BUSINESS_IS_BLOCKED' }
    expect(await requestLoan(app, borrower, { amount: 10_000 })).toMatchObject(refused)
    // A late report does not postpone the partner's own bill.
    const sent = { sent_on: '2027-02-10', to_email_addresses: ['own@partner.example'] }
    await app.client.noteBillSent({ bill_id: bill!.id, ...sent })
    expect((await billsOfPartner())[0]).toMatchObject({
      status: 'TO_PAY',
      due_date: bill!.due_date,
    })
    expect(await requestLoan(app, borrower, { amount: 10_000 })).toMatchObject(refused)
    const reference = bill!.payment.to_references[0]!
    await payIn(app, { to: loan, amount: 200, reference, from_iban: PARTNER_COMPANY.iban })
    expect((await requestLoan(app, borrower, { amount: 10_000, days: 5 })).status).not.toBe(
      'DECLINED',
    )
  },
)
