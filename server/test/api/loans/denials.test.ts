/** Valid requests that are declined: the loan is DECLINED with its code and reserves nothing. */
import type { Input } from '@headroom/sdk'
import { describe, expect, test } from 'vitest'
import { appOn } from '../../support/calendar.ts'
import { lend, lineOf, runSql } from '../../support/money.ts'
import { type ReadyBorrower, readyBorrower } from '../../support/story.ts'
import { DAY, requestOf } from './request.ts'

const app = await appOn(DAY)
const { client } = app
const borrower = await readyBorrower(app)

type Body = Partial<Input<'createLoan'>>

/** Checks that creation and preview are declined with this code, and that the line is unchanged. */
async function declined(who: ReadyBorrower, code: string, other: Body = {}): Promise<void> {
  await app.drain()
  const before = await client.listCreditLines({ borrower: [who.id] })
  const body = requestOf(who, other)
  const { wait_for_validation: _, ...requested } = body
  const preview = await client.previewLoan(requested)
  expect(preview).toMatchObject({ decision: 'DECLINED', denial_reason: code })
  for (const wait_for_validation of [true, false]) {
    const { data, status } = await client.call('createLoan', {
      ...body,
      wait_for_validation,
      salt_id: crypto.randomUUID(),
    })
    expect(status).toBe(201)
    expect(data).toMatchObject({ status: 'DECLINED', denial_reason: code, contract_url: null })
  }
  await app.drain()
  expect(await client.listCreditLines({ borrower: [who.id] })).toEqual(before)
  const { data: declinedOnes } = await client.listLoans({
    borrower: [who.id],
    status: ['DECLINED'],
  })
  const { data: payments } = await client.listPayments({ loan_id: declinedOnes.map(l => l.id) })
  expect(payments).toEqual([])
}

describe('the loan', () => {
  test('longer than 45 days', async () => {
    await declined(borrower, 'EXCESSIVE_DURATION_LOAN_REQUEST', { to_repay_at: '2027-03-02' })
    const longest = requestOf(borrower, { amount: 100, to_repay_at: '2027-03-01' })
    expect((await client.createLoan(longest)).status).toBe('VALIDATED')
  })

  test('exceeding the available credit by a cent or by far', async () => {
    const who = await readyBorrower(app)
    await declined(who, 'AMOUNT_SUPERIOR_TO_AVAILABLE_BALANCE', { amount: 5_000_001 })
    await declined(who, 'AMOUNT_SUPERIOR_TO_AVAILABLE_BALANCE', { amount: 900_000_000 })
    expect((await client.createLoan(requestOf(who, { amount: 5_000_000 }))).status).toBe(
      'VALIDATED',
    )
    await declined(who, 'AMOUNT_SUPERIOR_TO_AVAILABLE_BALANCE', { amount: 1 })
    expect(await lineOf(app, who)).toMatchObject({ balance_available: 0 })
  })

  test.each([
    'INVENTORY_FINANCING',
    'FUNDING_OBLIGATION_CONSOLIDATION',
    'CREDIT_CARD_FINANCING',
  ] as const)('of a product that is not offered: %s', async loan_type => {
    await declined(borrower, 'FINANCIAL_PRODUCT_NOT_IN_RELEASE', { loan_type })
  })

  test('invoice financing without an invoice, or an invoice with another product', async () => {
    await declined(borrower, 'INVOICE_DOES_NOT_MATCH_ELIGIBILITY_CRITERIA', {
      loan_type: 'INVOICE_BASED_FINANCING',
      to_account: { account_number: borrower.account_number },
    })
    await declined(borrower, 'INVOICE_NON_ELIGIBLE_USE_CASE', {
      invoice_ids: ['01900000-0000-7000-8000-00000000abcd'],
    })
  })
})

test('a public body cannot borrow', async () => {
  const generated = await client.generateSandboxBusiness({ country: 'ESP', is_borrower: true })
  const { identifier: _, vat_number: __, identifier_type: ___, ...rest } = generated
  const created = await client.createBorrower({ ...rest, identifier: 'P2807900B' })
  const borrower_id = created.id!
  await client.signBorrower({ borrower_id, signed_at: new Date().toISOString() })
  const account_number = generated.account_number!
  await declined(
    { ...(await client.getBorrower({ borrower_id })), id: borrower_id, account_number },
    'LEGAL_FORM_NOT_ELIGIBLE_BORROWER',
  )
})

describe('the account to pay to', () => {
  test('belongs to another company', async () => {
    const other = await readyBorrower(app)
    await declined(borrower, 'UNAUTHORIZED_LOAN_PAYMENT_BENEFICIARY', {
      loan_to: { account_number: other.account_number },
    })
    await declined(borrower, 'UNAUTHORIZED_LOAN_PAYMENT_BENEFICIARY', {
      loan_to: {
        account_number: borrower.account_number,
        account_holder: { identifier: other.identifier, identifier_type: 'siren' },
      },
    })
  })

  test("belongs to another partner's company", async () => {
    const theirs = await readyBorrower({ ...app, client: app.second })
    await declined(borrower, 'UNAUTHORIZED_LOAN_PAYMENT_BENEFICIARY', {
      loan_to: { account_number: theirs.account_number },
    })
  })

  test('is refused by the bank, or not an IBAN', async () => {
    const { iban } = await client.generateSandboxIban({ scenario: 'REJECT' })
    await declined(borrower, 'UNAUTHORIZED_LOAN_PAYMENT_ACCOUNT', {
      loan_to: { account_number: iban },
    })
    await declined(borrower, 'UNAUTHORIZED_LOAN_PAYMENT_ACCOUNT', {
      loan_to: { account_number: '7', account_number_type: 'account_number' },
    })
  })

  test("is another company's wallet or an unknown one", async () => {
    const other = await readyBorrower(app)
    const theirs = await client.openWallet({ borrower_id: other.id })
    const account_number_type = 'internal_id'
    for (const account_number of [theirs.account_number, 'wallet 7', borrower.account_number]) {
      const loan_to = { account_number, account_number_type } as const
      await declined(borrower, 'UNAUTHORIZED_LOAN_PAYMENT_BENEFICIARY', { loan_to })
    }
  })

  test('is put on file with the loan if it is new', async () => {
    const { iban } = await client.generateSandboxIban({ scenario: 'SUCCESS' })
    const loan_to = { account_number: iban }
    const requested = requestOf(borrower, { amount: 100, loan_to })
    expect((await client.createLoan(requested)).status).toBe('VALIDATED')
    const { accounts } = await client.getBorrower({ borrower_id: borrower.id })
    expect(accounts?.map(a => a.account_number)).toContain(iban)
    await declined(await readyBorrower(app), 'UNAUTHORIZED_LOAN_PAYMENT_BENEFICIARY', { loan_to })
  })
})

describe('the borrower', () => {
  test('has not signed', async () => {
    const generated = await client.generateSandboxBusiness({})
    const created = await client.createBorrower(generated)
    const who = { ...created, account_number: generated.account_number } as ReadyBorrower
    await declined(who, 'BORROWER_TO_SIGN')
  })

  test('was rejected by KYB', async () => {
    const who = await readyBorrower(app)
    await client.setSandboxKyb({ borrower_id: who.id, status: 'REJECTED' })
    await declined(who, 'BUSINESS_COMPLIANCE_ISSUE_DETECTED')
  })

  // Set directly in the database, so that nothing else changes.
  test.each([
    ['is blocked', `update borrowers set status = 'BLOCKED' where id = $1`, 'BORROWER_STATUS'],
    [
      'is deactivated',
      `update borrowers set status = 'DEACTIVATED' where id = $1`,
      'BORROWER_STATUS',
    ],
    [
      'is prohibited',
      `update borrowers set status = 'PROHIBITED' where id = $1`,
      'BORROWER_STATUS',
    ],
    [
      'was removed from the registry',
      `with told as (
          insert into sandbox_companies (partner_id, company_key, is_active, updated_at)
          select partner_id, company_key, false, now() from borrowers where id = $1)
        update borrowers set company = jsonb_set(company, '{is_active}', 'false') where id = $1`,
      'BUSINESS_RADIATED',
    ],
    [
      'has an expired line',
      `update credit_lines set ends_on = '2027-01-14' where borrower_id = $1`,
      'OUTDATED_DATA',
    ],
    [
      'has no method in force',
      `update repayment_methods set status = 'DEACTIVATED' where borrower_id = $1`,
      'BORROWER_STATUS',
    ],
  ])('%s', async (_, statement, code) => {
    const who = await readyBorrower(app)
    await runSql(app, statement, [who.id])
    await declined(who, code)
  })

  test('has a partner that has reached its ceiling', async () => {
    const who = await readyBorrower(app)
    const setCeiling = (ceiling: string) =>
      runSql(app, `update partners set exposure_max = ${ceiling} where id = $1`, [app.partner_id])
    await app.drain()
    await setCeiling('exposure + 1000')
    await declined(who, 'EXCEEDED_PARTNER_CREDIT_LINE', { amount: 1_001 })
    expect((await client.createLoan(requestOf(who, { amount: 1_000 }))).status).toBe('VALIDATED')
    await setCeiling('1000000000')
  })
})

test('a borrower overdue beyond the four-day grace period cannot draw', async () => {
  const late = await readyBorrower(app, 'SCT')
  await lend(app, late, { amount: 10_000, days: 3 })
  const requested = { to_pay_at: '2027-01-22', to_repay_at: '2027-01-30', amount: 100 }
  // The loan was due on Monday the 18th, so the 22nd is the last day of the grace period.
  await client.advanceSandboxClock({ to: '2027-01-22' })
  expect((await client.createLoan(requestOf(late, requested))).status).toBe('VALIDATED')
  await client.advanceSandboxClock({ to: '2027-01-23' })
  await declined(late, 'LATE_REPAYMENT_BORROWER', { ...requested, to_pay_at: '2027-01-23' })
  // Statuses set directly in the database have no history.
  const { findings } = await app.verify()
  expect(findings.filter(({ check }) => check !== 'history')).toEqual([])
})
