/** A wallet loan from request to closing. */
import { beforeAll, expect, test } from 'vitest'
import { type TestApp, testApp } from '../support/app.ts'
import { plusDays, readyBorrower, requestLoan, today } from '../support/story.ts'

let app: TestApp
beforeAll(async () => {
  app = await testApp()
})

test('€1,234.56 for 45 days by direct debit: €27.78, in bills that add up', async () => {
  const { client } = app
  await client.advanceSandboxClock({ to: '2027-01-15' })
  const borrower = await readyBorrower(app)
  expect(borrower.status).toBe('READY')
  const loan = await requestLoan(app, borrower, { amount: 123_456, days: 45 })
  expect(loan).toMatchObject({ status: 'VALIDATED', fees_estimated: 2778 })
  await app.drain()
  const paid = await client.getLoan({ loan_id: loan.id })
  expect(paid.status).toBe('TO_REPAY')
  expect(paid.contract_url).toContain('/document/')
  const day = await today(app)
  await client.advanceSandboxClock({ to: plusDays(day, 60) })
  const closed = await client.getLoan({ loan_id: loan.id })
  expect(closed).toMatchObject({ status: 'CLOSED', paid_interests_amount: 2778 })
  const bills = await client.listBills({})
  expect(bills.data.map(b => b.status)).toEqual(['PAID', 'PAID'])
  expect(bills.data.reduce((sum, b) => sum + b.to_pay_amount, 0)).toBe(2778)
  expect((await app.verify()).findings).toEqual([])
})
