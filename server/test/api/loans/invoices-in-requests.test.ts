/** Loan requests that contain the invoices to finance. */
import { describe, expect, test } from 'vitest'
import { FIRST_DAY, testApp } from '../../support/app.ts'
import { runSql } from '../../support/money.ts'
import { faultsOf } from '../../support/refusal.ts'
import { plusDays, readyBorrower } from '../../support/story.ts'
import { lending, type Request } from './on-invoices.ts'

const app = await testApp({ work: false })
const { client } = app
const { borrower, day, requestOf, invoiceOf, invoiceBody, written } = await lending(app)

describe('an invoice inside the request', () => {
  test('is created with the loan, once', async () => {
    const body = requestOf({ invoices: [await invoiceBody()], amount: 120_000, to_account: null })
    body.invoices![0]!.to_account = { account_number: borrower.account_number }
    const loan = await client.createLoan(body)
    expect(loan).toMatchObject({ status: 'VALIDATED', invoice_ids: [expect.any(String)] })
    const [invoice_id] = loan.invoice_ids
    expect(await client.getInvoice({ invoice_id: invoice_id! })).toMatchObject({
      status: 'VERIFIED',
      loan_ids: [loan.id],
      to_account_details: { account_number: borrower.account_number },
    })
    const before = await written()
    const again = await client.call('createLoan', body)
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect(again.data.id).toBe(loan.id)
    expect(await written()).toEqual(before)
  })

  test('is the existing one if the content is identical', async () => {
    const invoice = await invoiceBody()
    const input = (amount: number, changes: Partial<Request> = {}) =>
      client.createLoan(requestOf({ amount, invoices: [invoice], ...changes }))
    // The invoice is declared even though the loan is declined.
    const far = await input(1_000, { to_repay_at: plusDays(day, 121) })
    expect(far.denial_reason).toBe('EXCESSIVE_DURATION_LOAN_REQUEST')
    const [id] = far.invoice_ids
    const first = await input(70_000)
    const second = await input(40_000, { invoice_ids: [id!] })
    expect([first, second].map(loan => [loan.status, loan.invoice_ids])).toEqual([
      ['VALIDATED', [id]],
      ['VALIDATED', [id]],
    ])
    expect((await input(10_001)).denial_reason).toBe('INVOICE_ALREADY_FINANCED')
    const preview = { ...requestOf({ invoices: [invoice], invoice_ids: [id!] }), amount: 10_001 }
    expect((await client.previewLoan(preview)).denial_reason).toBe('INVOICE_ALREADY_FINANCED')
    const { data } = await client.listInvoices({ query: invoice.invoice_number })
    expect(data.map(one => [one.id, one.status])).toEqual([[id, 'VERIFIED']])
  })

  test.each([
    ['another total', { net_amount: 100_001, total_amount: 120_001 }],
    ['another buyer', { buyer: { identifier: '552100554' } }],
    ['another due date', { due_at: plusDays(FIRST_DAY, 90) }],
  ])('with %s differs under the same number: DOUBLE_MOBILIZATION', async (_, changes) => {
    const invoice = await invoiceBody()
    await client.createLoan(requestOf({ amount: 100, invoices: [invoice] }))
    const invoices = [{ ...invoice, ...changes }]
    expect(await client.createLoan(requestOf({ amount: 100, invoices }))).toMatchObject({
      status: 'DECLINED',
      denial_reason: 'DOUBLE_MOBILIZATION',
    })
  })

  test('with another account is a different invoice: DOUBLE_MOBILIZATION', async () => {
    const invoice = await invoiceBody()
    const account_number = (await client.generateSandboxIban({ country: 'FRA' })).iban
    await client.createLoan(requestOf({ amount: 100, invoices: [invoice] }))
    const invoices = [{ ...invoice, to_account: { account_number } }]
    const input = { amount: 100, invoices, to_account: null }
    expect(await client.createLoan(requestOf(input))).toMatchObject({
      denial_reason: 'DOUBLE_MOBILIZATION',
    })
  })

  test('can be previewed without a trace', async () => {
    const before = await written()
    const invoices = [await invoiceBody()]
    const input = requestOf({ invoices, amount: 120_000 })
    expect(await client.previewLoan(input)).toMatchObject({ decision: 'APPROVED' })
    expect(await client.previewLoan({ ...input, amount: 120_001 })).toMatchObject({
      decision: 'DECLINED',
      denial_reason: 'EXCESSIVE_AMOUNT_LOAN_REQUEST',
    })
    expect(await written()).toEqual(before)
  })

  test("shares its buyer's limit with the invoices named by id, in a preview too", async () => {
    const buyer = { identifier: '552100554' }
    const named = await invoiceOf({ buyer })
    await runSql(app, 'update counterparties set max_amount = 130000 where id = $1', [
      named.buyer!.id,
    ])
    const invoices = [await invoiceBody({ buyer })]
    const input = requestOf({ invoice_ids: [named.id], invoices, amount: 150_000 })
    const refused = { denial_reason: 'MAX_AMOUNT_EXCEEDED_BUYER' }
    expect(await client.previewLoan(input)).toMatchObject(refused)
    expect(await client.createLoan(input)).toMatchObject(refused)
    const less = { ...input, amount: 130_000, salt_id: crypto.randomUUID() }
    expect(await client.previewLoan(less)).toMatchObject({ decision: 'APPROVED' })
    expect(await client.createLoan(less)).toMatchObject({ status: 'VALIDATED' })
  })

  test('has its faults reported with those of the request', async () => {
    const before = await written()
    const invoices = [
      await invoiceBody({
        document: Buffer.from('no PDF').toString('base64'),
        seller: { identifier: '404833047', identifier_type: 'siren' },
      }),
    ]
    const loan_to = { account_number: 'FR7630006000011234567890188' }
    const faults = await faultsOf(client.createLoan(requestOf({ invoices, loan_to })))
    expect(Object.keys(faults)).toContain('loan_to.account_number')
    expect(Object.keys(faults)).toContain('invoices.0.seller.identifier')
    const bad = [await invoiceBody({ document: Buffer.from('no PDF').toString('base64') })]
    expect(Object.keys(await faultsOf(client.createLoan(requestOf({ invoices: bad }))))).toEqual([
      'invoices.0.document',
    ])
    expect(await written()).toEqual(before)
  })
})

describe('into a wallet', () => {
  const ofWallet = (account_number: string) =>
    ({ account_number, account_number_type: 'internal_id' }) as const

  test("the seller's own wallet can receive the payout", async () => {
    const { account_number } = await client.openWallet({ borrower_id: borrower.id })
    const wallet = ofWallet(account_number)
    const invoices = [await invoiceBody({ to_account: null })]
    const body = requestOf({ invoices, loan_to: wallet, to_account: wallet })
    expect(await client.createLoan(body)).toMatchObject({ status: 'VALIDATED', loan_to: wallet })
  })

  test("another company's wallet cannot", async () => {
    const other = await client.openWallet({ borrower_id: (await readyBorrower(app)).id })
    const wallet = ofWallet(other.account_number)
    const requested = async (changes: Partial<Request>) =>
      client.createLoan(requestOf({ invoices: [await invoiceBody()], ...changes }))
    expect(await requested({ loan_to: wallet })).toMatchObject({
      denial_reason: 'UNAUTHORIZED_LOAN_PAYMENT_BENEFICIARY',
    })
    expect(await requested({ to_account: wallet })).toMatchObject({
      denial_reason: 'INVOICE_RECEIVABLE_BORROWER_IS_NOT_ACCOUNT_HOLDER',
    })
  })
})
