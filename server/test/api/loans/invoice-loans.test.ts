/** Loan requests on invoices: named or brought along, looked at with all their faults. */
import type { Input } from '@headroom/sdk'
import { beforeAll, describe, expect, test } from 'vitest'
import { parseIban } from '../../../src/kit/iban.ts'
import { testHouse } from '../../support/house.ts'
import { anInvoice } from '../../support/invoices.ts'
import { byHand, rowCounts } from '../../support/money.ts'
import { faultsOf, refusal } from '../../support/refusal.ts'
import { plusDays, type ReadyBorrower, readyBorrower, today } from '../../support/story.ts'

const house = await testHouse({ work: false })
const { client, second } = house
let borrower: ReadyBorrower
let day: string

beforeAll(async () => {
  borrower = await readyBorrower(house)
  day = await today(house)
})

type Request = Input<'createLoan'>

function requestOf(changes: Partial<Request> = {}): Request {
  return {
    loan_type: 'INVOICE_BASED_FINANCING',
    amount: 50_000,
    borrower: { identifier: borrower.identifier },
    loan_to: { account_number: borrower.account_number },
    to_account: { account_number: borrower.account_number },
    to_pay_at: day,
    to_repay_at: plusDays(day, 120),
    auto_validate: true,
    wait_for_validation: true,
    salt_id: crypto.randomUUID(),
    ...changes,
  }
}

async function invoiceOf(changes: Parameters<typeof anInvoice>[0] = {}) {
  const seller = { identifier: borrower.identifier }
  return client.createInvoice(await anInvoice({ seller, ...changes }))
}

/** Answers are kept for repeats, whatever they tell. */
async function written() {
  const { idempotency_keys: _, ...counts } = await rowCounts(house)
  return counts
}

/** An invoice that comes with its loan. */
async function brought(changes: Partial<NonNullable<Request['invoices']>[number]> = {}) {
  const { is_draft: _, ...invoice } = await anInvoice({
    seller: { identifier: borrower.identifier },
  })
  return { ...invoice, ...changes } as NonNullable<Request['invoices']>[number]
}

describe('an invoice that is named', () => {
  test('is financed by a loan with an account of its own', async () => {
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

  test('takes 120 days and no more', async () => {
    const { id } = await invoiceOf()
    const wish = { invoice_ids: [id], to_repay_at: plusDays(day, 121) }
    expect(await client.createLoan(requestOf(wish))).toMatchObject({
      status: 'DECLINED',
      denial_reason: 'EXCESSIVE_DURATION_LOAN_REQUEST',
      invoice_ids: [id],
    })
  })

  test('is somebody else’s, or nobody’s', async () => {
    const theirs = await second.createInvoice(await anInvoice())
    const before = await rowCounts(house)
    const unknown = '01900000-0000-7000-8000-00000000abcd'
    for (const preview of [false, true]) {
      const wish = requestOf({ invoice_ids: [theirs.id, unknown] })
      const call = preview ? client.previewLoan(wish) : client.createLoan(wish)
      expect(Object.keys(await faultsOf(call))).toEqual(['invoice_ids.0', 'invoice_ids.1'])
    }
    expect(await rowCounts(house)).toEqual(before)
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

  test('of which the borrower is the buyer', async () => {
    const invoice = await invoiceOf({
      seller: { identifier: '732829320' },
      buyer: { identifier: borrower.identifier },
    })
    expect(await client.createLoan(requestOf({ invoice_ids: [invoice.id] }))).toMatchObject({
      denial_reason: 'INVOICE_PAYABLE_BORROWER_IS_ACCOUNT_HOLDER',
    })
  })

  test('with an account that is another company’s', async () => {
    const other = await readyBorrower(house)
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

  test('whose buyer has no room left', async () => {
    const invoice = await invoiceOf({ buyer: { identifier: '552100554' } })
    await byHand(house, 'update counterparties set max_amount = 60000 where id = $1', [
      invoice.buyer!.id,
    ])
    const wish = { invoice_ids: [invoice.id], amount: 40_000 }
    expect((await client.createLoan(requestOf(wish))).status).toBe('VALIDATED')
    expect(await client.createLoan(requestOf(wish))).toMatchObject({
      denial_reason: 'MAX_AMOUNT_EXCEEDED_BUYER',
    })
  })
})

describe('a loan that is not decided yet', () => {
  test('finances as much as it is changed to', async () => {
    const invoice_ids = [(await invoiceOf()).id]
    const loan = await client.createLoan(requestOf({ invoice_ids, auto_validate: false }))
    expect(loan.status).toBe('TO_VALIDATE')
    await client.changeLoan({ loan_id: loan.id, amount: 90_000 })
    expect((await house.verify()).findings).toEqual([])
    const more = client.changeLoan({ loan_id: loan.id, amount: 120_001 })
    expect((await refusal(more)).code).toBe('change_refused')
    expect(await client.createLoan(requestOf({ invoice_ids }))).toMatchObject({
      denial_reason: 'INVOICE_ALREADY_FINANCED',
    })
    expect((await client.validateLoan({ loan_id: loan.id })).status).toBe('VALIDATED')
  })

  test('waits for the KYB, and is no obstacle to itself', async () => {
    const who = await readyBorrower(house)
    const seller = { identifier: who.identifier }
    const invoice = await client.createInvoice(await anInvoice({ seller }))
    await client.setSandboxKyb({ borrower_id: who.id, status: 'REVIEWING' })
    const account = { account_number: who.account_number }
    const loan = await client.createLoan(
      requestOf({
        ...{ borrower: seller, loan_to: account, to_account: account },
        ...{ invoice_ids: [invoice.id], amount: 120_000 },
      }),
    )
    expect(loan.status).toBe('PENDING_VALIDATION')
    await client.setSandboxKyb({ borrower_id: who.id, status: 'APPROVED' })
    expect((await client.getLoan({ loan_id: loan.id })).status).toBe('VALIDATED')
  })
})

describe('an invoice that the request brings', () => {
  test('is created with the loan, once', async () => {
    const body = requestOf({ invoices: [await brought()], amount: 120_000, to_account: null })
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

  test('is previewed and leaves no trace', async () => {
    const before = await written()
    const invoices = [await brought()]
    const wish = requestOf({ invoices, amount: 120_000 })
    expect(await client.previewLoan(wish)).toMatchObject({ decision: 'APPROVED' })
    expect(await client.previewLoan({ ...wish, amount: 120_001 })).toMatchObject({
      decision: 'DECLINED',
      denial_reason: 'EXCESSIVE_AMOUNT_LOAN_REQUEST',
    })
    expect(await written()).toEqual(before)
  })

  test('has its faults named with those of the request', async () => {
    const before = await written()
    const invoices = [
      await brought({
        document: Buffer.from('no PDF').toString('base64'),
        seller: { identifier: '404833047', identifier_type: 'siren' },
      }),
    ]
    const loan_to = { account_number: 'FR7630006000011234567890188' }
    const faults = await faultsOf(client.createLoan(requestOf({ invoices, loan_to })))
    expect(Object.keys(faults)).toContain('loan_to.account_number')
    expect(Object.keys(faults)).toContain('invoices.0.seller.identifier')
    const bad = [await brought({ document: Buffer.from('no PDF').toString('base64') })]
    expect(Object.keys(await faultsOf(client.createLoan(requestOf({ invoices: bad }))))).toEqual([
      'invoices.0.document',
    ])
    expect(await written()).toEqual(before)
  })
})
