/** A partner's paid bill keeps showing the payment that paid it. */
import { expect } from 'vitest'
import { calendar } from '../support/calendar.ts'
import { lend, payIn } from '../support/money.ts'
import { agree, PARTNER_COMPANY } from '../support/partner-terms.ts'
import { readyBorrower } from '../support/story.ts'

const story = calendar('2027-01-28')

story('a paid bill shows what paid it, not a later refunded transfer', async tale => {
  const { app, until } = tale
  await agree(app, { repayment_handled_by: 'PARTNER' })
  const loan = await lend(app, await readyBorrower(app, 'SCT'), { amount: 100_000, days: 30 })
  await until('2027-02-01')
  const [bill] = (await app.client.listBills({ business_id: [app.partner_id] })).data
  const { iban: from_iban } = PARTNER_COMPANY
  const paid = { to: loan, reference: bill!.payment.to_references[0]!, from_iban }
  await payIn(app, { ...paid, amount: bill!.to_pay_amount })
  await payIn(app, { ...paid, amount: 333 })
  const [now] = (await app.client.listBills({ business_id: [app.partner_id] })).data
  expect(now).toMatchObject({ status: 'PAID', payment: { amount: bill!.to_pay_amount } })
})
