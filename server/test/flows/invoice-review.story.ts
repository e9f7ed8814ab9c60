/** Invoices reviewed by an operator, and the loans waiting for them. */
import { expect } from 'vitest'
import { calendar } from '../support/calendar.ts'
import { availableOf, declareInvoice, lendOnInvoices } from '../support/invoice-loans.ts'
import { loanOf } from '../support/money.ts'
import { faultsOf, refusal } from '../support/refusal.ts'
import { readyBorrower } from '../support/story.ts'

const story = calendar('2027-01-11')

story('verified: pending loans continue automatically', async ({ app }) => {
  const { client } = app
  const borrower = await readyBorrower(app, 'SCT')
  await client.setSandboxInvoiceReview({ review: 'ALL' })
  const first = await declareInvoice(app, borrower, 'Facture')
  const second = await declareInvoice(app, borrower, 'Facture')
  expect([first.status, first.status_reason, first.to_edit]).toEqual(['SUBMITTED', null, []])
  const loan = await lendOnInvoices(app, borrower, first.id, second.id)
  expect(loan.status).toBe('PENDING_VALIDATION')
  // An invoice under review cannot be changed.
  const edit = client.updateInvoice({ invoice_id: first.id, net_amount: 1 })
  expect((await refusal(edit)).code).toBe('state_conflict')
  const drop = client.deleteInvoice({ invoice_id: first.id })
  expect((await refusal(drop)).code).toBe('state_conflict')
  const seen = { invoice_id: first.id, status: 'VERIFIED' as const }
  expect((await client.reviewSandboxInvoice(seen)).status).toBe('VERIFIED')
  expect((await loanOf(app, loan.id)).status).toBe('PENDING_VALIDATION')
  expect((await refusal(client.reviewSandboxInvoice(seen))).code).toBe('state_conflict')
  await client.reviewSandboxInvoice({ ...seen, invoice_id: second.id })
  await app.drain()
  expect((await loanOf(app, loan.id)).status).toBe('TO_REPAY')
})

story(
  'declined: pending loans are declined with its code, and release their reserved credit',
  async ({ app }) => {
    const { client } = app
    const borrower = await readyBorrower(app, 'SCT')
    await client.setSandboxInvoiceReview({ review: 'ALL' })
    const invoice = await declareInvoice(app, borrower, 'Facture')
    const before = await availableOf(app, borrower)
    const loan = await lendOnInvoices(app, borrower, invoice.id)
    expect(await availableOf(app, borrower)).toBe(before! - 50_000)
    const declined = { invoice_id: invoice.id, status: 'DECLINED' as const }
    expect(await faultsOf(client.reviewSandboxInvoice(declined))).toHaveProperty('reason')
    const reason = 'INVOICE_COMPLIANCE_ISSUE_DETECTED' as const
    expect(await client.reviewSandboxInvoice({ ...declined, reason })).toMatchObject({
      status: 'DECLINED',
      status_reason: reason,
    })
    expect(await loanOf(app, loan.id)).toMatchObject({
      status: 'DECLINED',
      denial_reason: reason,
    })
    expect(await availableOf(app, borrower)).toBe(before)
    expect((await lendOnInvoices(app, borrower, invoice.id)).denial_reason).toBe(reason)
  },
)

// Uses the second partner, because the review setting applies to all invoices of a partner.
story('only doubtful invoices wait: another total or currency', async ({ app: both }) => {
  const app = { ...both, client: both.second }
  const { client } = app
  const borrower = await readyBorrower(app, 'SCT')
  await client.setSandboxInvoiceReview({ review: 'DOUBTFUL' })
  const status = async (...lines: string[]) =>
    (await declareInvoice(app, borrower, ...lines)).status
  expect(await status('Facture', 'Total TTC 1 200,00 €')).toBe('VERIFIED')
  expect(await status('Facture')).toBe('VERIFIED')
  expect(await status('Facture', 'Total TTC 1 100,00 €')).toBe('SUBMITTED')
  const { data } = await client.listInvoices({ status: ['SUBMITTED'] })
  expect(data).toHaveLength(1)
  const { id: invoice_id } = data[0]!
  // Another partner cannot find the invoice. Without a loan, its own partner can delete it.
  const verify = both.client.reviewSandboxInvoice({ invoice_id, status: 'VERIFIED' })
  expect((await refusal(verify)).status).toBe(404)
  expect((await client.deleteInvoice({ invoice_id })).status).toBe('DELETED')
  expect(await status('Invoice', 'Total amount £1,200.00')).toBe('SUBMITTED')
  expect(await status('Invoice', 'Total amount 1,200.00 USD')).toBe('SUBMITTED')
})

story('a loan that waits for a review too long expires', async ({ app, until }) => {
  const { client } = app
  const borrower = await readyBorrower(app, 'SCT')
  await client.setSandboxInvoiceReview({ review: 'ALL' })
  const invoice = await declareInvoice(app, borrower, 'Facture')
  const loan = await lendOnInvoices(app, borrower, invoice.id)
  await until('2027-02-11')
  expect(await loanOf(app, loan.id)).toMatchObject({
    status: 'DECLINED',
    denial_reason: 'LOAN_REQUEST_EXPIRED',
  })
  const seen = { invoice_id: invoice.id, status: 'VERIFIED' as const }
  expect((await client.reviewSandboxInvoice(seen)).status).toBe('VERIFIED')
  expect((await loanOf(app, loan.id)).status).toBe('DECLINED')
})
