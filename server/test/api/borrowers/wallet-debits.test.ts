/** The repayment method `P2P`, which debits the borrower's wallet. */
import { beforeAll, expect, test } from 'vitest'
import { testApp } from '../../support/app.ts'
import { faultsOf } from '../../support/refusal.ts'
import { type ReadyBorrower, readyBorrower } from '../../support/story.ts'

const app = await testApp({ work: false })
const { client } = app

const FLAGS = { is_default_repayment_method: true, apply_to_all_active_loans: false }
const debit = { payment_method: 'P2P', ...FLAGS } as const

let borrower: ReadyBorrower
beforeAll(async () => {
  borrower = await readyBorrower(app)
})

async function signed() {
  const { identifier } = await client.generateSandboxBusiness({ country: 'FRA' })
  const created = await client.createBorrower({ identifier, signed_at: new Date().toISOString() })
  return created.id
}

test('without a wallet the missing data is named and nothing is written', async () => {
  const borrower_id = await signed()
  const faults = await faultsOf(client.addRepaymentMethod({ borrower_id, ...debit }))
  expect(faults).toEqual({ 'from_account.account_number': expect.stringContaining('open one') })
  expect((await client.listRepaymentMethods({ borrower_id })).total).toBe(0)
})

test('with a wallet the method and the borrower are READY immediately', async () => {
  const borrower_id = await signed()
  const wallet = await client.openWallet({ borrower_id })
  const method = await client.addRepaymentMethod({ borrower_id, ...debit, name: 'till' })
  expect(method).toMatchObject({
    payment_method: 'P2P',
    status: 'READY',
    is_main: true,
    name: 'till',
    account_to_debit: {
      account_number: wallet.account_number,
      account_number_type: 'internal_id',
      account_holder: wallet.account_holder,
    },
    account_to_credit: null,
    mandate: null,
    missing: [],
  })
  expect((await client.getBorrower({ borrower_id })).status).toBe('READY')
  const { data } = await client.listCreditLines({ borrower: [borrower_id] })
  expect(data).toMatchObject([
    {
      default_repayment_method: 'P2P',
      default_repayment_from: { account_number: wallet.account_number },
    },
  ])
})

test('a repeat returns the same method; another wallet gives another method', async () => {
  const borrower_id = await signed()
  const first = await client.openWallet({ borrower_id })
  const method = await client.addRepaymentMethod({ borrower_id, ...debit })
  expect(await client.addRepaymentMethod({ borrower_id, ...debit })).toEqual(method)
  await client.openWallet({ borrower_id })
  const other = await client.addRepaymentMethod({ borrower_id, ...debit })
  expect(other.id).not.toBe(method.id)
  const { account_number, account_number_type, bank_identifier, bank_identifier_type } = first
  const from_account = {
    account_number,
    account_number_type,
    bank_identifier,
    bank_identifier_type,
  }
  const named = await client.addRepaymentMethod({ borrower_id, ...debit, from_account })
  expect(named).toMatchObject({ id: method.id, is_main: true })
  expect((await client.listRepaymentMethods({ borrower_id })).total).toBe(2)
})

test('another borrower’s wallet or another kind of account is refused', async () => {
  const theirs = await client.openWallet({ borrower_id: await signed() })
  const strange = { account_number: theirs.account_number }
  const requested = (changes: object) =>
    client.addRepaymentMethod({ borrower_id: borrower.id, ...debit, ...changes })
  expect(await faultsOf(requested({ from_account: strange }))).toEqual({
    'from_account.account_number': 'is not an account of this company',
  })
  const iban = { account_number: borrower.account_number, account_number_type: 'iban' }
  expect(Object.keys(await faultsOf(requested({ from_account: iban })))).toEqual([
    'from_account.account_number_type',
    'from_account.account_number',
  ])
  const wallet = { ...iban, account_number_type: 'internal_id' }
  const sdd = requested({ payment_method: 'DIRECT_DEBIT', from_account: wallet })
  expect(Object.keys(await faultsOf(sdd))).toContain('from_account.account_number_type')
})

test('a preview computes interest up to the due date itself', async () => {
  const borrower_id = await signed()
  const wallet = await client.openWallet({ borrower_id })
  await client.addRepaymentMethod({ borrower_id, ...debit })
  const { identifier } = await client.getBorrower({ borrower_id })
  const { business_date } = await client.getSandboxClock()
  const until = new Date(Date.parse(business_date) + 20 * 86_400_000).toISOString().slice(0, 10)
  const preview = await client.previewLoan({
    loan_type: 'WALLET_FINANCING',
    amount: 10_000,
    auto_validate: true,
    borrower: { identifier },
    loan_to: { account_number: wallet.account_number, account_number_type: 'internal_id' },
    to_pay_at: business_date.slice(0, 10),
    to_repay_at: until,
  })
  expect(preview).toMatchObject({
    decision: 'APPROVED',
    expected_repayment_at: `${until}T00:00:00Z`,
    fees_estimated: 100,
  })
})
