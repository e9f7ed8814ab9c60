/** Concurrent loans on one invoice never exceed its amount by a cent. */
import { beforeAll, expect, test } from 'vitest'
import { invoiceLoan } from '../support/invoice-loans.ts'
import { validInvoice } from '../support/invoices.ts'
import { readyBorrower, today } from '../support/story.ts'
import { atOnce, expectVerifiedBooks, startTwoServers, type TwoServers } from './two-servers.ts'

let servers: TwoServers
beforeAll(async () => {
  servers = await startTwoServers()
})

test('100 concurrent loans finance the whole invoice and never more', async () => {
  const { app } = servers
  const borrower = await readyBorrower(app)
  const invoice = await app.client.createInvoice(
    await validInvoice({ seller: { identifier: borrower.identifier } }),
  )
  const day = await today(app)
  // Seventeen loans of €70 fit into €1,200.
  const { answers, refusals } = await atOnce(100, turn =>
    servers
      .client(turn)
      .createLoan(invoiceLoan(borrower, day, { amount: 7_000, invoice_ids: [invoice.id] })),
  )
  expect(refusals).toEqual([])
  const approved = answers.filter(loan => loan.status !== 'DECLINED')
  expect(approved).toHaveLength(17)
  const reasons = new Set(answers.flatMap(l => (l.status === 'DECLINED' ? [l.denial_reason] : [])))
  expect([...reasons]).toEqual(['INVOICE_ALREADY_FINANCED'])
  const accounts = new Set(approved.map(loan => loan.repayment_to.account_number))
  expect(accounts.size).toBe(17)
  await app.drain()
  await expectVerifiedBooks(app)
})

test('50 concurrent loans that contain the invoice declare it once, never lend more', async () => {
  const { app } = servers
  const borrower = await readyBorrower(app)
  const { is_draft: _, ...given } = await validInvoice({
    seller: { identifier: borrower.identifier },
  })
  const day = await today(app)
  const { answers, refusals } = await atOnce(50, turn =>
    servers
      .client(turn)
      .createLoan(invoiceLoan(borrower, day, { amount: 7_000, invoices: [given as never] })),
  )
  expect(refusals).toEqual([])
  expect(answers.filter(loan => loan.status !== 'DECLINED')).toHaveLength(17)
  expect(new Set(answers.flatMap(loan => loan.invoice_ids)).size).toBe(1)
  await app.drain()
  await expectVerifiedBooks(app)
})
