/** Loan requests on declared invoices. */
import { describe, expect, test } from 'vitest'
import { parseIban } from '../../../src/platform/kit/iban.ts'
import { testApp } from '../../support/app.ts'
import { validInvoice } from '../../support/invoices.ts'
import { rowCounts, runSql } from '../../support/money.ts'
import { faultsOf, refusal } from '../../support/refusal.ts'
import { plusDays, readyBorrower } from '../../support/story.ts'
import { lending } from './on-invoices.ts'

const app = await testApp({ work: false })
const { client, second } = app
const { borrower, day, requestOf, invoiceOf } = await lending(app)

describe('an invoice given by id', () => {
  test('can be financed by a loan with its own account', async () => {
    const invoice = await invoiceOf()
    const loan = await client.createLoan(requestOf({ invoice_ids: [invoice.id] }))
    expect(loan).toMatchObject({
      status: 'VALIDATED',
      loan_type: 'INVOICE_BASED_FINANCING',
      invoice_ids: [invoice.id],
    })
    const { account_number } = loan.repayment_to
    expect(parseIban(account_number).ok).toBe(true)
    const [other] = (await client.listLoans({ loan_type: ['INVOICE_BASED_FINANCING'] })).data
    expect(other).toMatchObject({ id: loan.id, invoice_ids: [invoice.id] })
  })

  test('needs an account, its own or the request’s', async () => {
    const { id } = await invoiceOf()
    const input = requestOf({ invoice_ids: [id], amount: 100, to_account: null })
    expect(Object.keys(await faultsOf(client.createLoan(input)))).toEqual(['to_account'])
    expect(Object.keys(await faultsOf(client.previewLoan(input)))).toEqual(['to_account'])
    // The missing account is reported together with schema faults.
    const wrong = { ...input, amount: 0 }
    expect(Object.keys(await faultsOf(client.createLoan(wrong))).sort()).toEqual([
      'amount',
      'to_account',
    ])
    const own = await invoiceOf({ to_account: { account_number: borrower.account_number } })
    const granted = await client.createLoan({ ...input, invoice_ids: [own.id] })
    expect(granted.status).toBe('VALIDATED')
    // API version 2023-09 does not require an account.
    const old = await fetch(`${app.base_url}/loans`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${app.key}`,
        'content-type': 'application/json',
        'headroom-version': '2023-09',
      },
      body: JSON.stringify({ ...input, salt_id: undefined, loan_type: undefined }),
    })
    expect(old.status).toBe(201)
  })

  test('is paid to its own account and to no other', async () => {
    const { account_number } = borrower
    const result = await invoiceOf({ to_account: { account_number } })
    const untold = await invoiceOf()
    const send = (to_account: string | null, ...invoice_ids: string[]) =>
      client.createLoan(
        requestOf({
          invoice_ids,
          amount: 100,
          salt_id: crypto.randomUUID(),
          to_account: to_account === null ? null : { account_number: to_account },
        }),
      )
    const other = (await readyBorrower(app)).account_number
    expect(await faultsOf(send(other, result.id))).toEqual({
      to_account: 'differs from the account of the invoice',
    })
    expect(Object.keys(await faultsOf(send(other, untold.id, result.id)))).toEqual(['to_account'])
    expect(Object.keys(await faultsOf(send(null, result.id, untold.id)))).toEqual(['to_account'])
    const spaced = account_number.replace(/(.{4})/g, '$1 ').toLowerCase()
    expect((await send(spaced, result.id)).status).toBe('VALIDATED')
    expect((await send(null, result.id)).status).toBe('VALIDATED')
  })

  test('updates its companies’ limits when reserved and when released', async () => {
    const invoice = await invoiceOf({ buyer: { identifier: '383474814' } })
    const result = async () => {
      await app.drain()
      const { data } = await client.listWebhookEvents({
        type: ['CounterpartyCreditLimit.UPDATED'],
        page_size: 500,
      })
      return data
        .map(event => event.data as { id: string; credit_limit: { available_amount: number } })
        .filter(data => data.id === invoice.buyer!.id)
        .map(data => data.credit_limit.available_amount)
    }
    const { credit_limit } = await client.getCounterparty({ counterparty_id: invoice.buyer!.id! })
    const max = credit_limit.max_amount
    const input = { invoice_ids: [invoice.id], auto_validate: false }
    const loan = await client.createLoan(requestOf({ ...input, amount: 50_000 }))
    await client.changeLoan({ loan_id: loan.id, amount: 60_000 })
    await client.cancelLoan({ loan_id: loan.id })
    expect((await result()).sort()).toEqual([max - 60_000, max - 50_000, max].sort())
    await client.createLoan(requestOf({ ...input, amount: 120_001 }))
    expect(await result()).toHaveLength(3)
  })

  test('finds its loans by its number, and its document belongs to them', async () => {
    // The search also matches parts of IDs, so this number resembles none.
    const invoice = await invoiceOf({ invoice_number: 'FOUND BY ITS NUMBER' })
    const send = () => client.createLoan(requestOf({ amount: 100, invoice_ids: [invoice.id] }))
    const loans = [await send(), await send()].map(loan => loan.id)
    const { data } = await client.listLoans({ query: invoice.invoice_number })
    expect(data.map(loan => loan.id).sort()).toEqual(loans.sort())
    const { link } = await client.fetchLoanDocuments({
      document_type: 'invoice',
      loan_ids: loans,
    })
    const file = await fetch(link)
    expect(file.headers.get('content-type')).toBe('application/pdf')
    const kept = await fetch(invoice.document_url!)
    expect(await file.text()).toBe(await kept.text())
  })

  test('can be financed for up to 120 days', async () => {
    const { id } = await invoiceOf()
    const input = { invoice_ids: [id], to_repay_at: plusDays(day, 121) }
    expect(await client.createLoan(requestOf(input))).toMatchObject({
      status: 'DECLINED',
      denial_reason: 'EXCESSIVE_DURATION_LOAN_REQUEST',
      invoice_ids: [id],
    })
  })

  test('belongs to another company, or does not exist', async () => {
    const theirs = await second.createInvoice(await validInvoice())
    const before = await rowCounts(app)
    const unknown = '01900000-0000-7000-8000-00000000abcd'
    for (const preview of [false, true]) {
      const input = requestOf({ invoice_ids: [theirs.id, unknown] })
      const call = preview ? client.previewLoan(input) : client.createLoan(input)
      expect(Object.keys(await faultsOf(call))).toEqual(['invoice_ids.0', 'invoice_ids.1'])
    }
    expect(await rowCounts(app)).toEqual(before)
  })

  test.each([
    ['of another seller', {}, 'INVOICE_NON_ELIGIBLE_USE_CASE'],
    ['not complete', { invoice_number: null }, 'INVOICE_DOES_NOT_MATCH_ELIGIBILITY_CRITERIA'],
    ['declined', { buyer: { identifier: '404833048' }, due_at: '2020-01-01' }, null],
  ] as const)('%s', async (name, changes, code) => {
    const seller = name === 'of another seller' ? { identifier: '732829320' } : undefined
    const invoice = await invoiceOf({ ...changes, ...(seller && { seller }) })
    const loan = await client.createLoan(requestOf({ invoice_ids: [invoice.id] }))
    expect(loan.status).toBe('DECLINED')
    expect(loan.denial_reason).toBe(
      code ?? invoice.status_reason ?? 'INVOICE_DOES_NOT_MATCH_ELIGIBILITY_CRITERIA',
    )
  })

  test('where the borrower is the buyer', async () => {
    const invoice = await invoiceOf({
      seller: { identifier: '732829320' },
      buyer: { identifier: borrower.identifier },
    })
    expect(await client.createLoan(requestOf({ invoice_ids: [invoice.id] }))).toMatchObject({
      denial_reason: 'INVOICE_PAYABLE_BORROWER_IS_ACCOUNT_HOLDER',
    })
  })

  test("with another company's account", async () => {
    const other = await readyBorrower(app)
    const invoice_ids = [(await invoiceOf()).id]
    const to_account = { account_number: other.account_number }
    expect(await client.createLoan(requestOf({ invoice_ids, to_account }))).toMatchObject({
      denial_reason: 'INVOICE_RECEIVABLE_BORROWER_IS_NOT_ACCOUNT_HOLDER',
    })
    const loan_to = { account_number: other.account_number }
    expect(await client.createLoan(requestOf({ invoice_ids, loan_to }))).toMatchObject({
      denial_reason: 'UNAUTHORIZED_LOAN_PAYMENT_BENEFICIARY',
    })
  })

  test("whose buyer's limit is used up", async () => {
    const invoice = await invoiceOf({ buyer: { identifier: '552100554' } })
    await runSql(app, 'update counterparties set max_amount = 60000 where id = $1', [
      invoice.buyer!.id,
    ])
    const input = { invoice_ids: [invoice.id], amount: 40_000 }
    expect((await client.createLoan(requestOf(input))).status).toBe('VALIDATED')
    expect(await client.createLoan(requestOf(input))).toMatchObject({
      denial_reason: 'MAX_AMOUNT_EXCEEDED_BUYER',
    })
  })

  test("whose seller's limit is used up", async () => {
    const invoice = await invoiceOf()
    const set = (max: number) =>
      runSql(app, 'update counterparties set max_amount = $2 where id = $1', [
        invoice.seller!.id,
        max,
      ])
    const { credit_limit } = await client.getCounterparty({ counterparty_id: invoice.seller!.id! })
    const { max_amount, available_amount } = credit_limit
    await set(max_amount - available_amount + 60_000)
    const input = { invoice_ids: [invoice.id], amount: 40_000 }
    expect((await client.createLoan(requestOf(input))).status).toBe('VALIDATED')
    expect(await client.createLoan(requestOf(input))).toMatchObject({
      denial_reason: 'MAX_AMOUNT_EXCEEDED_SELLER',
    })
    await set(max_amount)
  })
})

describe('an undecided loan', () => {
  test('finances the amount it is changed to', async () => {
    const invoice_ids = [(await invoiceOf()).id]
    const loan = await client.createLoan(requestOf({ invoice_ids, auto_validate: false }))
    expect(loan.status).toBe('TO_VALIDATE')
    await client.changeLoan({ loan_id: loan.id, amount: 90_000 })
    expect((await app.verify()).findings).toEqual([])
    const more = client.changeLoan({ loan_id: loan.id, amount: 120_001 })
    expect((await refusal(more)).code).toBe('change_refused')
    expect(await client.createLoan(requestOf({ invoice_ids }))).toMatchObject({
      denial_reason: 'INVOICE_ALREADY_FINANCED',
    })
    expect((await client.validateLoan({ loan_id: loan.id })).status).toBe('VALIDATED')
  })

  test('waits for KYB and does not count against itself', async () => {
    const who = await readyBorrower(app)
    const seller = { identifier: who.identifier }
    const invoice = await client.createInvoice(await validInvoice({ seller }))
    await client.setSandboxKyb({ borrower_id: who.id, status: 'REVIEWING' })
    const account = { account_number: who.account_number }
    const loan = await client.createLoan(
      requestOf({
        borrower: seller,
        loan_to: account,
        to_account: account,
        invoice_ids: [invoice.id],
        amount: 120_000,
      }),
    )
    expect(loan.status).toBe('PENDING_VALIDATION')
    await client.setSandboxKyb({ borrower_id: who.id, status: 'APPROVED' })
    expect((await client.getLoan({ loan_id: loan.id })).status).toBe('VALIDATED')
  })
})
