/** Short stories that use the operations of the record and fill its lists. */
import { expect } from 'vitest'
import type { TestApp } from '../support/app.ts'
import { activeCard, asBorrower, spend } from '../support/cards.ts'
import { validInvoice } from '../support/invoices.ts'
import { openCase, planFor } from '../support/recollection.ts'
import { plusDays, readyBorrower, requestLoan, today } from '../support/story.ts'

export async function useSettings({ client, base_url }: TestApp): Promise<void> {
  const input = {
    name: 'all',
    to_url: `${base_url}/nowhere`,
    event_types: ['Loan.CLOSED'] as const,
  }
  const webhook = await client.createWebhook({ ...input, event_types: [...input.event_types] })
  await client.listWebhooks({})
  await client.updateWebhook({ webhook_id: webhook.id!, name: 'renamed' })
  await client.deleteWebhook({ webhook_id: webhook.id! })
  await client.hello({})
  await client.listDenialCodes({})
  await client.getDenialCodeTranslation({ code: 'BORROWER_TO_SIGN' })
  await client.generateSandboxIban({ country: 'FRA', scenario: 'SUCCESS' })
}

export async function useBorrowers(app: TestApp): Promise<void> {
  const { client } = app
  const company = { identifier: '732829320', identifier_type: 'siren' as const }
  await client.setSandboxEligibility({ business_identifier: company, scenario: 'OK' })
  await client.checkBorrowerEligibility(company)
  await client.checkBeneficiaryEligibility(company)
  const onboarding = await client.createOnboarding({ business: company, preferred_language: 'fr' })
  await client.getOnboarding({ onboarding_id: onboarding.id })
  const borrower = await readyBorrower(app, 'SCT')
  await client.listBorrowers({})
  const person = { first_name: 'Ada', last_name: 'Byron', email: 'ada@example.com' }
  await client.createOwner({ borrower_id: borrower.id, ...person, phone_number: '+33123456789' })
  await client.listRepaymentMethods({ borrower_id: borrower.id })
  await client.listBorrowerFinancialProducts({ borrower_id: borrower.id })
  const lines = await client.listCreditLines({})
  await client.getCreditLine({ credit_line_id: lines.data[0]!.id! })
  await client.getTenantCreditLine({})
  await client.deactivateBorrower({ borrower_id: borrower.id })
}

export async function useData(app: TestApp): Promise<void> {
  const { client } = app
  const { identifier, identifier_type, id } = await readyBorrower(app)
  const company = { identifier, identifier_type: identifier_type! }
  const at = new Date().toISOString()
  const batch = await client.createDataBatch({
    business_identifier: company,
    content: { accounts: { total_count: 1 }, shared_data_types: ['accounts'] },
    context: 'DATA_REFRESH',
  })
  const account = { id: 'a1', amount: 12_345, last_updated_at: at }
  await client.shareAccounts({ ...company, batch_id: batch.id, accounts: [account] })
  await client.closeDataBatch({ batch_id: batch.id })
  const transactions = [{ amount: 4_200, at, currency: 'EUR' as const, side: 'credit' as const }]
  await client.shareTransactions({ ...company, transactions })
  const parties = { buyer: company, seller: company }
  const days = { issued_at: at, due_at: at }
  const invoice = { ...parties, ...days, direction: 'customer' as const, net_amount: 5_000 }
  await client.shareInvoices({ ...company, invoices: [{ ...invoice, invoice_number: 'S-1' }] })
  await client.findPublicData({ identifier })
  const borrower = await client.getBorrower({ borrower_id: id })
  await client.getBusinessSegment({ business_id: borrower.id! })
  await client.getDataType({ data_type: 'tax_return' })
}

export async function useInvoices({ client }: TestApp): Promise<void> {
  const draft = await client.createInvoice({ ...(await validInvoice()), is_draft: true })
  await client.updateInvoice({ invoice_id: draft.id, metadata: { order: 1 } })
  await client.submitInvoice({ invoice_id: draft.id })
  await client.getInvoice({ invoice_id: draft.id })
  expect((await client.listInvoices({})).count).toBeGreaterThan(0)
  const { pdf_download_url } = await client.generateSandboxInvoice({})
  const file = new Uint8Array(await (await fetch(pdf_download_url)).arrayBuffer())
  await client.uploadInvoice({ file })
  const other = await client.createInvoice(await validInvoice())
  await client.deleteInvoice({ invoice_id: other.id })
  const company = { identifier: '404833048', identifier_type: 'siren' as const }
  const party = await client.createCounterparty({ ...company, relation_types: ['CLIENT'] })
  await client.getCounterparty({ counterparty_id: party.id })
  expect((await client.listCounterparties({})).count).toBeGreaterThan(0)
}

export async function useLoans(app: TestApp): Promise<void> {
  const { client } = app
  const borrower = await readyBorrower(app)
  const held = await requestLoan(app, borrower, { amount: 1_000, auto_validate: false })
  await client.changeLoan({ loan_id: held.id, metadata: { order: 2 } })
  await client.validateLoan({ loan_id: held.id })
  const dropped = await requestLoan(app, borrower, { amount: 1_000, auto_validate: false })
  await client.cancelLoan({ loan_id: dropped.id })
  await requestLoan(app, borrower, { amount: 99_999_999 })
  await app.drain()
  await client.fetchLoanDocuments({ document_type: 'contract', loan_ids: [held.id] })
  await client.repayNow({ amount: 500, base_callback_url: 'https://example.com/back' })
  const repayment_date = plusDays(await today(app), 40)
  const terms = { loan_id: held.id, repayment_date, repayment_method: 'SCT' as const }
  await client.setRepaymentTerms({ repayment_terms: [terms] })
  await client.advanceSandboxClock({ days: 40 })
  await client.getLoan({ loan_id: held.id })
  for (const list of [
    await client.listLoans({}),
    await client.listPayments({}),
    await client.listBills({}),
    await client.listEvents({}),
    await client.listLoanEvents({ loan_id: held.id }),
  ]) {
    expect(list.count).toBeGreaterThan(0)
  }
}

export async function useCards(app: TestApp): Promise<void> {
  const { client } = app
  const card = await activeCard(app)
  await spend(app, card, 1_200)
  await client.getCard({ card_id: card.id })
  expect(await client.listCards({})).toHaveLength(1)
  expect(await client.listCardEntries({ card_id: card.id })).toHaveLength(1)
  await client.exportCardEntries({ card_id: card.id })
  const holder = await asBorrower(app, card.borrower.id)
  await holder.createCardEphemeralKey({ card_id: card.id, nonce: 'n-1' })
}

/** Creates a case, a plan for it, and a plan without a case. */
export async function useRecollection(app: TestApp): Promise<void> {
  const { client } = app
  const borrower = await readyBorrower(app, 'SCT')
  const loan = await requestLoan(app, borrower, { amount: 5_000 })
  const other = await requestLoan(app, borrower, { amount: 4_000 })
  await app.drain()
  const { id: recollection_case_id } = await openCase(app, borrower, { loan_ids: [loan.id] })
  const debtor = { identifier: borrower.identifier, identifier_type: borrower.identifier_type! }
  expect((await client.listRecollectionCases(debtor)).count).toBeGreaterThan(0)
  await client.getRecollectionCase({ recollection_case_id })
  await client.updateRecollectionCase({
    recollection_case_id,
    recollection_notes: { requested: 1 },
  })
  const start_date = plusDays(await today(app), 5)
  const terms = { number_of_installment: 2, start_date }
  const { plan } = await planFor(app, recollection_case_id, terms)
  expect(plan.status).toBe('SCHEDULED')
  const computed = await client.computeInstallmentPlan({ ...terms, loan_ids: [other.id] })
  await client.createInstallmentPlan({
    payment_method: computed.payment_method,
    installments: computed.installments.map(({ amount, date, loans }) => ({ amount, date, loans })),
  })
  await app.drain()
  expect((await client.listInstallments({})).count).toBe(4)
}
