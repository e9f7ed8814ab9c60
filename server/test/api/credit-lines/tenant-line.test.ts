/** The partner's own line: its ceiling, and totals over its borrowers. */
import { expect, test } from 'vitest'
import { testApp } from '../../support/app.ts'
import { readyBorrower, requestLoan } from '../../support/story.ts'

const app = await testApp({ work: false })
const { client } = app

test('totals what all borrowers use, owe and will be billed', async () => {
  const empty = await client.getTenantCreditLine()
  expect(empty).toMatchObject({
    id: app.partner_id,
    currency: 'EUR',
    end_date: null,
    default_borrower: null,
    amount_to_repay: 0,
    coming_up_monthly_fees: 0,
    balance_pending: 0,
  })
  expect(empty.balance_available).toBe(empty.pool_amount)

  const [one, two] = [await readyBorrower(app), await readyBorrower(app, 'SCT')]
  await requestLoan(app, one, { amount: 123_456, days: 45 })
  await requestLoan(app, two, { amount: 1_000_000, days: 45 })
  const undecided = await requestLoan(app, two, { amount: 50_000, auto_validate: false })
  await app.drain()
  await client.advanceSandboxClock({ days: 12 })
  const used = await client.getTenantCreditLine()
  const loans = (await client.listLoans({ status: ['TO_REPAY'] })).data
  expect(loans).toHaveLength(2)
  // The undecided loan may have been declined while the clock advanced.
  const held = (await client.getLoan({ loan_id: undecided.id })).status === 'TO_VALIDATE'
  expect(used).toMatchObject({
    pool_amount: empty.pool_amount,
    balance_available: empty.pool_amount! - 1_123_456 - (held ? 50_000 : 0),
    balance_pending: 0,
    balance_pending_validation: held ? 50_000 : 0,
  })
  const bills = (await client.listBills()).data
  const billed = bills.reduce((sum, bill) => sum + bill.to_pay_amount, 0)
  const paid = loans.reduce((sum, loan) => sum + loan.paid_interests_amount, 0)
  expect(used.amount_to_repay).toBe(1_123_456 + billed - paid)
  const ongoing = loans.reduce((sum, loan) => sum + (loan.fees_ongoing ?? 0), 0)
  const unpaid = used.amount_to_repay! - 1_123_456
  expect(unpaid + paid + used.coming_up_monthly_fees!).toBe(ongoing)
  expect(ongoing).toBeGreaterThan(0)
  const other = await app.second.getTenantCreditLine()
  expect(other.balance_available).toBe(other.pool_amount)
})
