/** Invoices returned to the partner for correction, and the loans waiting for them. */
import { expect, test } from 'vitest'
import { testApp } from '../support/app.ts'
import { availableOf, declareInvoice, lendOnInvoices } from '../support/invoice-loans.ts'
import { loanOf } from '../support/money.ts'
import { faultsOf, refusal } from '../support/refusal.ts'
import { plusDays, readyBorrower, today } from '../support/story.ts'

/** An invoice under review, a loan that waits for it, and the fields to correct. */
async function looked() {
  const app = await testApp()
  const { client } = app
  const borrower = await readyBorrower(app, 'SCT')
  await client.setSandboxInvoiceReview({ review: 'ALL' })
  const { id: invoice_id } = await declareInvoice(app, borrower, 'Facture')
  const loan = await lendOnInvoices(app, borrower, invoice_id)
  const to_edit = [{ name: 'due_at', reason: 'the PDF says another day' }]
  return { app, client, borrower, invoice_id, loan, to_edit }
}

test('pending loans continue once the invoice is resubmitted', async () => {
  const { app, client, borrower, invoice_id, loan, to_edit } = await looked()
  const send = { invoice_id, status: 'TO_EDIT' as const }
  expect(await faultsOf(client.reviewSandboxInvoice(send))).toHaveProperty('to_edit')
  const requested = await client.reviewSandboxInvoice({ ...send, to_edit })
  expect(requested).toMatchObject({ status: 'TO_EDIT', status_reason: null, to_edit })
  // The end of a KYB review of the borrower does not decide the loan, which waits for the invoice.
  for (const status of ['REVIEWING', 'APPROVED'] as const) {
    await client.setSandboxKyb({ borrower_id: borrower.id, status })
  }
  expect((await loanOf(app, loan.id)).status).toBe('PENDING_VALIDATION')
  expect((await lendOnInvoices(app, borrower, invoice_id)).status).toBe('DECLINED')
  const less = client.updateInvoice({
    invoice_id,
    net_amount: 30_000,
    tax_amount: 0,
    total_amount: 30_000,
  })
  expect((await refusal(less)).code).toBe('state_conflict')
  const due_at = plusDays(await today(app), 50)
  const edited = await client.updateInvoice({ invoice_id, due_at })
  expect(edited).toMatchObject({ status: 'TO_EDIT', due_at: `${due_at}T00:00:00Z`, to_edit: [] })
  // All invoices are reviewed, so the resubmitted one is too.
  expect((await client.submitInvoice({ invoice_id })).status).toBe('SUBMITTED')
  await client.reviewSandboxInvoice({ ...send, to_edit })
  await client.setSandboxInvoiceReview({ review: 'NONE' })
  const submitted = await client.submitInvoice({ invoice_id, invoice_number: 'CORRECTED-1' })
  expect(submitted).toMatchObject({ status: 'VERIFIED', invoice_number: 'CORRECTED-1' })
  await app.drain()
  expect((await loanOf(app, loan.id)).status).toBe('TO_REPAY')
  const late = client.updateInvoice({ invoice_id, due_at })
  expect((await refusal(late)).code).toBe('state_conflict')
  expect((await app.verify()).findings).toEqual([])
})

test('pending loans are declined if the corrected invoice cannot be financed', async () => {
  const app = await testApp()
  const { client } = app
  const borrower = await readyBorrower(app, 'SCT')
  await client.setSandboxInvoiceReview({ review: 'ALL' })
  const { id: invoice_id } = await declareInvoice(app, borrower, 'Facture')
  const before = await availableOf(app, borrower)
  const loan = await lendOnInvoices(app, borrower, invoice_id)
  const to_edit = [{ name: 'seller', reason: 'is another company' }]
  await client.reviewSandboxInvoice({ invoice_id, status: 'TO_EDIT', to_edit })
  await client.setSandboxInvoiceReview({ review: 'NONE' })
  const seller = { identifier: '552100554', identifier_type: 'siren' as const }
  expect((await client.submitInvoice({ invoice_id, seller })).status).toBe('VERIFIED')
  expect(await loanOf(app, loan.id)).toMatchObject({
    status: 'DECLINED',
    denial_reason: 'INVOICE_NON_ELIGIBLE_USE_CASE',
  })
  expect(await availableOf(app, borrower)).toBe(before)
  expect((await app.verify()).findings).toEqual([])
})

test('a pending loan is declined if its borrower becomes insolvent meanwhile', async () => {
  const { app, client, borrower, invoice_id, loan, to_edit } = await looked()
  await client.reviewSandboxInvoice({ invoice_id, status: 'TO_EDIT', to_edit })
  await client.setSandboxInvoiceReview({ review: 'NONE' })
  await client.setSandboxEligibility({
    business_identifier: { identifier: borrower.identifier },
    scenario: 'OK',
    insolvent_since: await today(app),
  })
  await client.submitInvoice({ invoice_id, invoice_number: 'CORRECTED-2' })
  await app.drain()
  expect((await loanOf(app, loan.id)).status).toBe('DECLINED')
})
