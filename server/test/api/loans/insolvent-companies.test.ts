/** Loan requests that involve insolvent or newly founded companies are declined with the reason. */
import type { Input } from '@headroom/sdk'
import { afterAll, expect, test } from 'vitest'
import { testApp } from '../../support/app.ts'
import { runSql } from '../../support/money.ts'
import { faultsOf } from '../../support/refusal.ts'
import { readyBorrower, requestLoan } from '../../support/story.ts'
import { lending } from './on-invoices.ts'

const app = await testApp({ work: false })
const { client, second } = app
const { borrower, day, requestOf, invoiceOf, invoiceBody } = await lending(app)

const BUYER = { identifier: '404833048', identifier_type: 'siren' } as const
const REFUSED = 'COUNTERPARTY_INSOLVENCY_PROCEDURE_EXISTS'

type EligibilityInput = Omit<Input<'setSandboxEligibility'>, 'business_identifier' | 'scenario'>

function tell(company: { identifier: string }, result: EligibilityInput): Promise<unknown> {
  const business_identifier = { identifier: company.identifier }
  return client.setSandboxEligibility({ business_identifier, scenario: 'OK', ...result })
}

const codesOf = (answer: { reasons: { code: string }[] }) => answer.reasons.map(r => r.code)

const numberOf = ({ identifier }: { identifier: string }) =>
  ({ identifier, identifier_type: 'siren' }) as const

afterAll(async () => {
  expect((await app.verify()).findings).toEqual([])
})

test('an insolvent borrower is refused until it is solvent again', async () => {
  const who = await readyBorrower(app)
  expect((await requestLoan(app, who, { amount: 10_000 })).denial_reason).toBeNull()
  await tell(who, { insolvent_since: day })
  const code = 'INSOLVENCY_PROCEDURE_EXISTS_BORROWER'
  const requested = { ...requestOf(), loan_type: 'WALLET_FINANCING' as const, to_account: null }
  const own = {
    borrower: { identifier: who.identifier },
    loan_to: { account_number: who.account_number },
    to_repay_at: new Date(Date.parse(day) + 10 * 86_400_000).toISOString(),
  }
  const { wait_for_validation: _, ...preview } = { ...requested, ...own }
  expect(await client.previewLoan(preview)).toMatchObject({
    decision: 'DECLINED',
    denial_reason: code,
  })
  const declined = await requestLoan(app, who, { amount: 10_000 })
  expect(declined).toMatchObject({ status: 'DECLINED', denial_reason: code })
  expect(codesOf(await client.checkBorrowerEligibility(numberOf(who)))).toEqual([code])
  expect(codesOf(await client.checkSellerEligibility(numberOf(who)))).toEqual([REFUSED])
  const beneficiary = await client.checkBeneficiaryEligibility(numberOf(who))
  expect(codesOf(beneficiary)).toEqual(['BUSINESS_INSOLVENCY_PROCEDURE_EXISTS'])
  const [line] = (await client.listCreditLines({ borrower: [who.id] })).data
  expect(line?.default_borrower).toMatchObject({
    has_ongoing_insolvency_procedure: true,
    last_insolvency_procedure_open_date: day,
  })
  // Another partner's sandbox is unaffected.
  expect((await second.checkBorrowerEligibility(numberOf(who))).is_eligible).toBe(true)
  // An omitted field keeps its value; null clears it.
  await tell(who, {})
  expect((await requestLoan(app, who, { amount: 10_000 })).denial_reason).toBe(code)
  await tell(who, { insolvent_since: null })
  expect((await requestLoan(app, who, { amount: 10_000 })).denial_reason).toBeNull()
})

/** Records insolvency proceedings directly; the operation would also decide pending loans. */
const opened = (who: { identifier: string }) =>
  runSql(
    app,
    `insert into sandbox_companies (partner_id, company_key, insolvent_since, updated_at)
      select partner_id, company_key, $2, now() from borrowers where identifier = $1
      on conflict (partner_id, company_key)
      do update set insolvent_since = excluded.insolvent_since`,
    [who.identifier, day],
  )

test("a pending loan is decided by the registry's answer at the time of the decision", async () => {
  const code = 'INSOLVENCY_PROCEDURE_EXISTS_BORROWER'
  const waiting = async () => {
    const who = await readyBorrower(app)
    await client.setSandboxKyb({ borrower_id: who.id, status: 'REVIEWING' })
    const loan = await requestLoan(app, who, { amount: 10_000 })
    expect(loan.status).toBe('PENDING_VALIDATION')
    return { who, loan_id: loan.id }
  }
  const one = await waiting()
  await opened(one.who)
  await client.setSandboxKyb({ borrower_id: one.who.id, status: 'APPROVED' })
  expect(await client.getLoan({ loan_id: one.loan_id })).toMatchObject({
    status: 'DECLINED',
    denial_reason: code,
  })
  const two = await waiting()
  await tell(two.who, { insolvent_since: day })
  expect(await client.getLoan({ loan_id: two.loan_id })).toMatchObject({
    status: 'DECLINED',
    denial_reason: code,
  })
})

test('a loan whose invoice is under review is decided by the current registry answer', async () => {
  const buyer = { identifier: '552100554', identifier_type: 'siren' } as const
  await client.setSandboxInvoiceReview({ review: 'ALL' })
  const { id: invoice_id } = await invoiceOf({ buyer })
  await client.setSandboxInvoiceReview({ review: 'NONE' })
  const requested = await client.createLoan(requestOf({ invoice_ids: [invoice_id], amount: 1_000 }))
  expect(requested.status).toBe('PENDING_VALIDATION')
  await tell(buyer, { insolvent_since: day })
  await client.reviewSandboxInvoice({ invoice_id, status: 'VERIFIED' })
  expect(await client.getLoan({ loan_id: requested.id })).toMatchObject({
    status: 'DECLINED',
    denial_reason: REFUSED,
  })
  await tell(buyer, { insolvent_since: null })
})

test('a loan is validated by the current registry answer, for its buyer too', async () => {
  const who = await readyBorrower(app)
  const step = { amount: 10_000, auto_validate: false }
  const one = await requestLoan(app, who, step)
  expect(one.status).toBe('TO_VALIDATE')
  await opened(who)
  expect(await client.validateLoan({ loan_id: one.id })).toMatchObject({
    status: 'DECLINED',
    denial_reason: 'INSOLVENCY_PROCEDURE_EXISTS_BORROWER',
  })
  const other = await readyBorrower(app)
  const two = await requestLoan(app, other, step)
  await tell(other, { is_active: false })
  expect(await client.validateLoan({ loan_id: two.id })).toMatchObject({
    status: 'DECLINED',
    denial_reason: 'BUSINESS_RADIATED',
  })
  const buyer = { identifier: '552100554', identifier_type: 'siren' } as const
  const invoice = await invoiceOf({ buyer })
  const requested = requestOf({ invoice_ids: [invoice.id], amount: 1_000, auto_validate: false })
  const loan = await client.createLoan(requested)
  await tell(buyer, { insolvent_since: day })
  expect(await client.validateLoan({ loan_id: loan.id })).toMatchObject({
    status: 'DECLINED',
    denial_reason: REFUSED,
  })
  await tell(buyer, { insolvent_since: null })
})

test('invoices to an insolvent buyer are declined: by id, inline, declared, quoted', async () => {
  const buyer = BUYER
  const before = await invoiceOf({ buyer })
  expect(before.status).toBe('VERIFIED')
  await tell(buyer, { insolvent_since: day })
  const named = () => requestOf({ invoice_ids: [before.id], amount: 1_000 })
  expect(await client.createLoan(named())).toMatchObject({ denial_reason: REFUSED })
  const with_invoice = requestOf({ invoices: [await invoiceBody({ buyer })], amount: 1_000 })
  expect(await client.createLoan(with_invoice)).toMatchObject({ denial_reason: REFUSED })
  const declined = await invoiceOf({ buyer })
  expect(declined).toMatchObject({ status: 'DECLINED', status_reason: REFUSED })
  const known = await client.createCounterparty({ ...buyer, relation_types: ['CLIENT'] })
  expect(known.credit_limit).toMatchObject({ max_amount: 0, max_amount_details: REFUSED })
  expect(codesOf(await client.checkBuyerEligibility(buyer))).toEqual([REFUSED])
  const seller = numberOf(borrower)
  expect(codesOf(await client.quoteEligibility({ seller, buyer }))).toEqual([REFUSED])
  await tell(buyer, { insolvent_since: null })
  expect(await client.createLoan(named())).toMatchObject({ denial_reason: null })
  const { credit_limit } = await client.getCounterparty({ counterparty_id: known.id })
  expect(credit_limit.max_amount).toBeGreaterThan(0)
  expect(credit_limit.max_amount_details).toBeNull()
})

test("a company younger than its product's minimum age, if any, is refused", async () => {
  const who = await readyBorrower(app)
  await tell(who, { creation_date: day })
  expect((await requestLoan(app, who, { amount: 10_000 })).denial_reason).toBeNull()
  const send = (months: number, where = 'true') =>
    runSql(app, `update products set company_age_months_min = ${months} where ${where}`, [])
  const code = 'BUSINESS_AGE_BELOW_THRESHOLD'
  await send(6)
  expect((await requestLoan(app, who, { amount: 10_000 })).denial_reason).toBe(code)
  expect(codesOf(await client.checkBorrowerEligibility(numberOf(who)))).toEqual([code])
  expect(codesOf(await client.checkSellerEligibility(numberOf(who)))).toEqual([code])
  // Buyers have no minimum age.
  expect((await client.checkBuyerEligibility(numberOf(who))).is_eligible).toBe(true)
  const other = await readyBorrower(app)
  expect((await requestLoan(app, other, { amount: 10_000 })).denial_reason).toBeNull()
  await send(0, `product_type <> 'INVOICE_BASED_FINANCING'`)
  expect((await client.checkBorrowerEligibility(numberOf(who))).is_eligible).toBe(true)
  expect(codesOf(await client.checkSellerEligibility(numberOf(who)))).toEqual([code])
  expect((await requestLoan(app, who, { amount: 10_000 })).denial_reason).toBeNull()
  await send(0)
})

test('future and invalid insolvency dates are rejected', async () => {
  const future = { insolvent_since: '2200-01-01', creation_date: '2200-01-01' }
  expect(await faultsOf(tell(borrower, future))).toEqual({
    insolvent_since: 'is in the future',
    creation_date: 'is in the future',
  })
  const wrong = await faultsOf(tell(borrower, { insolvent_since: 'soon' }))
  expect(Object.keys(wrong)).toEqual(['insolvent_since'])
})
