/** Invoices returned to the partner for correction, and the loans waiting for them. */
import { expect, test } from 'vitest'
import { testHouse } from '../support/house.ts'
import { availableOf, declare, lendOn } from '../support/invoice-loans.ts'
import { loanOf } from '../support/money.ts'
import { faultsOf, refusal } from '../support/refusal.ts'
import { plusDays, readyBorrower, today } from '../support/story.ts'

/** An invoice under review, a loan waiting for it, and the fields to correct. */
async function looked() {
  const house = await testHouse()
  const { client } = house
  const borrower = await readyBorrower(house, 'SCT')
  await client.setSandboxInvoiceReview({ review: 'ALL' })
  const { id: invoice_id } = await declare(house, borrower, 'Facture')
  const loan = await lendOn(house, borrower, invoice_id)
  const to_edit = [{ name: 'due_at', reason: 'the PDF says another day' }]
  return { house, client, borrower, invoice_id, loan, to_edit }
}

test('pending loans continue once the invoice is resubmitted', async () => {
  const { house, client, borrower, invoice_id, loan, to_edit } = await looked()
  const ask = { invoice_id, status: 'TO_EDIT' as const }
  expect(await faultsOf(client.reviewSandboxInvoice(ask))).toHaveProperty('to_edit')
  const asked = await client.reviewSandboxInvoice({ ...ask, to_edit })
  expect(asked).toMatchObject({ status: 'TO_EDIT', status_reason: null, to_edit })
  // Meanwhile a KYB review of the borrower does not decide the loan.
  for (const status of ['REVIEWING', 'APPROVED'] as const) {
    await client.setSandboxKyb({ borrower_id: borrower.id, status })
  }
  expect((await loanOf(house, loan.id)).status).toBe('PENDING_VALIDATION')
  expect((await lendOn(house, borrower, invoice_id)).status).toBe('DECLINED')
  const less = client.updateInvoice({
    invoice_id,
    net_amount: 30_000,
    tax_amount: 0,
    total_amount: 30_000,
  })
  expect((await refusal(less)).code).toBe('state_conflict')
  const due_at = plusDays(await today(house), 50)
  const edited = await client.updateInvoice({ invoice_id, due_at })
  expect(edited).toMatchObject({ status: 'TO_EDIT', due_at: `${due_at}T00:00:00Z`, to_edit: [] })
  // All invoices are reviewed, including this one again.
  expect((await client.submitInvoice({ invoice_id })).status).toBe('SUBMITTED')
  await client.reviewSandboxInvoice({ ...ask, to_edit })
  await client.setSandboxInvoiceReview({ review: 'NONE' })
  const submitted = await client.submitInvoice({ invoice_id, invoice_number: 'CORRECTED-1' })
  expect(submitted).toMatchObject({ status: 'VERIFIED', invoice_number: 'CORRECTED-1' })
  await house.drain()
  expect((await loanOf(house, loan.id)).status).toBe('TO_REPAY')
  const late = client.updateInvoice({ invoice_id, due_at })
  expect((await refusal(late)).code).toBe('state_conflict')
  expect((await house.verify()).findings).toEqual([])
})

test('corrected so that it cannot be financed: pending loans are declined', async () => {
  const house = await testHouse()
  const { client } = house
  const borrower = await readyBorrower(house, 'SCT')
  await client.setSandboxInvoiceReview({ review: 'ALL' })
  const { id: invoice_id } = await declare(house, borrower, 'Facture')
  const before = await availableOf(house, borrower)
  const loan = await lendOn(house, borrower, invoice_id)
  const to_edit = [{ name: 'seller', reason: 'is another company' }]
  await client.reviewSandboxInvoice({ invoice_id, status: 'TO_EDIT', to_edit })
  await client.setSandboxInvoiceReview({ review: 'NONE' })
  const seller = { identifier: '552100554', identifier_type: 'siren' as const }
  expect((await client.submitInvoice({ invoice_id, seller })).status).toBe('VERIFIED')
  expect(await loanOf(house, loan.id)).toMatchObject({
    status: 'DECLINED',
    denial_reason: 'INVOICE_NON_ELIGIBLE_USE_CASE',
  })
  expect(await availableOf(house, borrower)).toBe(before)
  expect((await house.verify()).findings).toEqual([])
})

test('resubmitted after its borrower became insolvent: the pending loan is declined', async () => {
  const { house, client, borrower, invoice_id, loan, to_edit } = await looked()
  await client.reviewSandboxInvoice({ invoice_id, status: 'TO_EDIT', to_edit })
  await client.setSandboxInvoiceReview({ review: 'NONE' })
  await client.setSandboxEligibility({
    business_identifier: { identifier: borrower.identifier },
    scenario: 'OK',
    insolvent_since: await today(house),
  })
  await client.submitInvoice({ invoice_id, invoice_number: 'CORRECTED-2' })
  await house.drain()
  expect((await loanOf(house, loan.id)).status).toBe('DECLINED')
})
