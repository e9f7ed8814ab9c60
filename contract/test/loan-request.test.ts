/** What a loan request must contain, and how a faulty one is rejected. */
import { describe, expect, it } from 'vitest'
import { CreateLoanBody, CreateLoanBody2023, PreviewLoanBody } from '../src/index.ts'

const wallet = {
  loan_type: 'WALLET_FINANCING',
  amount: 123_456,
  borrower: { identifier: '732829320' },
  loan_to: { account_number: 'FR7630006000011234567890189' },
  to_pay_at: '2026-07-01',
  to_repay_at: '2026-08-15T00:00:00Z',
  auto_validate: true,
  salt_id: 'order-1',
}

const invoice = {
  buyer: { identifier: '404833048' },
  seller: { identifier: '732829320' },
  document: 'JVBERi0=',
  due_at: '2026-08-01',
  invoice_number: 'F-1',
  issued_at: '2026-07-01',
  total_amount: 200_000,
}

function faults(body: unknown, schema = CreateLoanBody as typeof CreateLoanBody) {
  const issues = schema.safeParse(body).error?.issues ?? []
  return issues.map(issue => issue.path.join('.')).sort()
}

describe('a loan request', () => {
  it('requires the fields of a wallet loan and defaults the rest', () => {
    const body = CreateLoanBody.parse(wallet)
    expect(body).toMatchObject({ currency: 'EUR', wait_for_validation: false, invoices: [] })
    expect(body.loan_to).toMatchObject({ account_number_type: 'iban', bank_identifier_type: 'bic' })
  })

  it.each(Object.keys(wallet))('requires %s', name => {
    expect(faults({ ...wallet, [name]: undefined })).toEqual([name])
  })

  it.each([
    ['amount', 0],
    ['amount', 12.5],
    ['amount', '12'],
    ['amount', -1],
    ['amount', 1e13],
    ['currency', 'GBP'],
    ['currency', 'USD'],
    ['to_pay_at', '2026-02-30'],
    ['to_repay_at', 'soon'],
    ['loan_type', 'GIFT'],
    ['salt_id', ''],
    ['salt_id', 'a\u0000b'],
    ['salt_id', 'x'.repeat(201)],
    ['auto_validate', 'true'],
    ['borrower', null],
    ['invoice_ids', Array.from({ length: 101 }, () => crypto.randomUUID())],
  ])('is faulty with %s %j', (name, value) => {
    expect(faults({ ...wallet, [name]: value })).toEqual([name])
  })

  it('reports every fault at once', () => {
    const body = { loan_type: 'INVOICE_BASED_FINANCING', amount: 0, salt_id: 1, notifcation: [] }
    expect(faults(body)).toEqual(
      ['', 'amount', 'auto_validate', 'borrower', 'loan_to', 'salt_id', 'to_account'].concat([
        'to_pay_at',
        'to_repay_at',
      ]),
    )
  })

  it('requires an account for invoice financing, at the top level or in the invoice', () => {
    const loan = { ...wallet, loan_type: 'INVOICE_BASED_FINANCING' }
    const to_account = { account_number: 'FR7630006000011234567890189' }
    expect(faults({ ...loan, invoices: [invoice] })).toEqual(['to_account'])
    expect(faults({ ...loan, invoices: [invoice], to_account })).toEqual([])
    expect(faults({ ...loan, invoices: [{ ...invoice, to_account }] })).toEqual([])
    expect(faults({ ...loan, invoice_ids: [crypto.randomUUID()] })).toEqual([])
  })

  it('can be previewed without a salt_id', () => {
    expect(PreviewLoanBody.safeParse({ ...wallet, salt_id: undefined }).success).toBe(true)
  })
})

describe('a loan request of version 2023-09', () => {
  const { loan_type: _, auto_validate: __, salt_id: ___, ...old } = wallet

  it('may omit loan_type, auto_validate and salt_id', () => {
    const body = CreateLoanBody2023.parse(old)
    expect(body).toMatchObject({
      loan_type: 'WALLET_FINANCING',
      auto_validate: false,
      salt_id: null,
    })
  })

  it('finances the invoice that it contains', () => {
    const body = CreateLoanBody2023.parse({ ...old, invoices: [invoice] })
    expect(body.loan_type).toBe('INVOICE_BASED_FINANCING')
  })
})
