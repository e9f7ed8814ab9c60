/** Eligibility of companies as borrowers, and as sellers or buyers of financed invoices. */
import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { transaction } from '../../../src/platform/db/transaction.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { faultsOf, refusal } from '../../support/refusal.ts'
import { readyBorrower, requestLoan } from '../../support/story.ts'

let app: TestApp
beforeAll(async () => {
  app = await testApp()
})

const SIREN = { identifier: '732829320', identifier_type: 'siren' } as const
const OTHER = { identifier: '404833048', identifier_type: 'siren' } as const
const codesOf = (answer: { reasons: { code: string }[] }) => answer.reasons.map(r => r.code)

async function someCompany() {
  const made = await app.client.generateSandboxBusiness({ is_borrower: true })
  return { identifier: made.identifier, identifier_type: made.identifier_type }
}

async function rowsWritten(): Promise<number> {
  const { rows } = await transaction(
    app.context.database,
    { partners: '*', actor: 'service' },
    tx =>
      tx.one(sql<{ rows: number }>`
      select (select count(*) from borrowers)::int + (select count(*) from events)::int
        + (select count(*) from state_changes)::int as rows`),
  )
  return rows
}

test('an active registered company is eligible in every role; nothing is written', async () => {
  const before = await rowsWritten()
  const { client } = app
  const yes = { is_eligible: true, reasons: [] }
  expect(await client.checkBorrowerEligibility(SIREN)).toEqual(yes)
  expect(await client.checkBeneficiaryEligibility(SIREN)).toEqual(yes)
  expect(await client.checkBuyerEligibility(OTHER)).toMatchObject({ ...yes, fees_daily_rate: 0.05 })
  expect(await client.checkSellerEligibility(SIREN)).toMatchObject({
    ...yes,
    max_amount: 5_000_000,
    pricing_details: { fees_daily_rate: 0.05, late_daily_rate: 0.05 },
  })
  expect(await rowsWritten()).toBe(before)
})

test('an agent needs no decision to check', async () => {
  expect((await app.agent.checkBorrowerEligibility(SIREN)).is_eligible).toBe(true)
})

describe('a number', () => {
  test('that is wrong is 422', async () => {
    const wrong = { ...SIREN, identifier: '732829321' }
    const faults = await faultsOf(app.client.checkBorrowerEligibility(wrong))
    expect(Object.keys(faults)).toEqual(['identifier'])
    const quote = app.client.quoteEligibility({ seller: SIREN, buyer: wrong })
    expect(Object.keys(await faultsOf(quote))).toEqual(['buyer.identifier'])
  })

  test('of another country, or a name alone, returns the reason', async () => {
    const italian = { identifier: 'IT00743110157', identifier_type: 'vat_number' } as const
    const answer = await app.client.checkBorrowerEligibility(italian)
    expect(answer).toEqual({
      is_eligible: false,
      reasons: [
        {
          code: 'COUNTRY_NOT_ELIGIBLE_BORROWER',
          description: expect.stringContaining('France, Germany'),
        },
      ],
    })
    const name = { identifier: 'Dupont', identifier_type: 'name' } as const
    const buyer = await app.client.checkBuyerEligibility(name)
    expect(codesOf(buyer)).toEqual(['BUSINESS_UNKNOWN_BUYER'])
    expect(buyer).toMatchObject({ max_amount: 0, fees_daily_rate: null, pricing_details: null })
  })
})

describe('a sandbox outcome set for a company', () => {
  test('before it borrows makes it ineligible, and unapproved when it signs', async () => {
    const company = await someCompany()
    const business_identifier = company
    await app.client.setSandboxEligibility({ business_identifier, scenario: 'NOT_ELIGIBLE' })
    const answer = await app.client.checkBorrowerEligibility(company)
    expect(codesOf(answer)).toEqual(['BUSINESS_COMPLIANCE_ISSUE_DETECTED'])
    const { id } = await app.client.createBorrower({ identifier: company.identifier })
    const signed_at = new Date().toISOString()
    const signed = await app.client.signBorrower({ borrower_id: id, signed_at })
    expect(signed).toMatchObject({
      status: 'BLOCKED',
      status_reason: 'BUSINESS_COMPLIANCE_ISSUE_DETECTED',
      compliance_checks: { status: 'REJECTED' },
    })
    await app.client.setSandboxEligibility({ business_identifier, scenario: 'OK' })
    expect((await app.client.checkBorrowerEligibility(company)).is_eligible).toBe(true)
    expect(await app.client.getBorrower({ borrower_id: id })).toMatchObject({
      status: 'SIGNED',
      status_reason: null,
      compliance_checks: { status: 'APPROVED' },
    })
  })

  test('shows for an unsigned borrower why it could not borrow', async () => {
    const company = await someCompany()
    const { id } = await app.client.createBorrower({ identifier: company.identifier })
    const decide = (scenario: 'OK' | 'NOT_ELIGIBLE') =>
      app.client.setSandboxEligibility({ business_identifier: company, scenario })
    const shown = async () => {
      const { status, status_reason } = await app.client.getBorrower({ borrower_id: id })
      return { status, status_reason }
    }
    const reason = { status_reason: 'BUSINESS_COMPLIANCE_ISSUE_DETECTED' }
    await decide('NOT_ELIGIBLE')
    expect(await shown()).toEqual({ status: 'TO_SIGN', ...reason })
    await decide('OK')
    expect(await shown()).toEqual({ status: 'TO_SIGN', status_reason: null })
    await decide('NOT_ELIGIBLE')
    await app.client.signBorrower({ borrower_id: id, signed_at: new Date().toISOString() })
    expect(await shown()).toEqual({ status: 'BLOCKED', ...reason })
    expect((await app.verify()).findings).toEqual([])
  })

  test('after it borrows declines its loans with the code that eligibility returns', async () => {
    const borrower = await readyBorrower(app)
    const business_identifier = { identifier: borrower.identifier }
    const decide = (scenario: 'OK' | 'NOT_ELIGIBLE') =>
      app.client.setSandboxEligibility({ business_identifier, scenario })
    const shown = () => app.client.getBorrower({ borrower_id: borrower.id })
    await decide('NOT_ELIGIBLE')
    expect(await shown()).toMatchObject({
      status: 'BLOCKED',
      status_reason: 'BUSINESS_COMPLIANCE_ISSUE_DETECTED',
    })
    const loan = await requestLoan(app, borrower, { amount: 10_000 })
    const company = { ...business_identifier, identifier_type: borrower.identifier_type }
    const answer = await app.client.checkBorrowerEligibility(company)
    expect(loan).toMatchObject({ status: 'DECLINED', denial_reason: codesOf(answer)[0] })
    expect(codesOf(answer)).toEqual(['BUSINESS_COMPLIANCE_ISSUE_DETECTED'])
    // The outcome applies to this partner's sandbox only.
    expect((await app.second.checkBorrowerEligibility(company)).is_eligible).toBe(true)
    await decide('OK')
    expect(await shown()).toMatchObject({ status: 'READY', status_reason: null })
    const again = await requestLoan(app, borrower, { amount: 10_000 })
    expect(again.status).not.toBe('DECLINED')
  })

  test('is rejected for a name or a wrong number', async () => {
    const decide = (business_identifier: { identifier: string; identifier_type?: 'name' }) =>
      app.client.setSandboxEligibility({ business_identifier, scenario: 'OK' })
    const name = await faultsOf(decide({ identifier: 'Dupont', identifier_type: 'name' }))
    expect(Object.keys(name)).toEqual(['business_identifier.identifier_type'])
    const wrong = await faultsOf(decide({ identifier: '732829321' }))
    expect(Object.keys(wrong)).toEqual(['business_identifier.identifier'])
  })
})

test('a borrower is eligible for the unused part of its line', async () => {
  const borrower = await readyBorrower(app)
  await requestLoan(app, borrower, { amount: 1_000_000 })
  const company = {
    identifier: borrower.identifier,
    identifier_type: borrower.identifier_type,
  }
  const answer = await app.client.checkSellerEligibility(company)
  expect(answer).toMatchObject({ is_eligible: true, max_amount: 4_000_000 })
})

describe('a quote', () => {
  const both = { seller: SIREN, buyer: OTHER }

  test('returns the interest for an amount and its dates', async () => {
    const days = { to_pay_at: '2026-12-01', to_repay_at: '2026-12-31' }
    expect(await app.client.quoteEligibility({ ...both, ...days, amount: 50_000 })).toMatchObject({
      is_eligible: true,
      fees_estimated: 750,
      fees_daily_rate: 0.05,
    })
  })

  test('is rejected above the limit or the maximum duration', async () => {
    const days = { to_pay_at: '2026-12-01', to_repay_at: '2027-12-31' }
    const answer = await app.client.quoteEligibility({ ...both, ...days, amount: 5_000_001 })
    expect(codesOf(answer)).toEqual(['MAX_AMOUNT_EXCEEDED', 'EXCESSIVE_DURATION_LOAN_REQUEST'])
    expect(answer.fees_estimated).toBeNull()
  })

  test('needs both dates, in order', async () => {
    const alone = app.client.quoteEligibility({ ...both, to_pay_at: '2026-12-01' })
    expect(Object.keys(await faultsOf(alone))).toEqual(['to_repay_at'])
    const days = { to_pay_at: '2026-12-02', to_repay_at: '2026-12-02' }
    const problem = await refusal(app.client.quoteEligibility({ ...both, ...days }))
    expect(problem.invalid_params[0]).toMatchObject({ name: 'to_repay_at' })
  })
})

test('a borrower without a line is eligible like a company that is no borrower', async () => {
  const made = await app.client.generateSandboxBusiness({ is_borrower: true })
  const seller = { identifier: made.identifier, identifier_type: 'siren' as const }
  const buyer = { identifier: '404833048', identifier_type: 'siren' as const }
  const before = await app.client.checkSellerEligibility(seller)
  await app.client.createBorrower(made)
  expect(await app.client.checkSellerEligibility(seller)).toEqual(before)
  expect(before.max_amount).toBeGreaterThan(0)
  const quote = await app.client.quoteEligibility({ seller, buyer, amount: 100_000 })
  expect(quote).toMatchObject({ is_eligible: true, reasons: [] })
  const itself = { identifier: made.vat_number!, identifier_type: 'vat_number' as const }
  const own = await app.client.quoteEligibility({ seller, buyer: itself, amount: 100_000 })
  expect(own.reasons.map(reason => reason.code)).toEqual(['INVOICE_NON_ELIGIBLE_USE_CASE'])
})
