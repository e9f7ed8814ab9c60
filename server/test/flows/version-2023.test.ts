/** Requests and subscriptions that version 2023-09 still allows and newer versions refuse. */
import { type Client, createClient, type Input } from '@headroom/sdk'
import { beforeAll, expect, test } from 'vitest'
import { deliverDue } from '../../src/partners/webhooks/index.ts'
import { type TestApp, testApp } from '../support/app.ts'
import { validInvoice } from '../support/invoices.ts'
import { lend } from '../support/money.ts'
import { faultsOf } from '../support/refusal.ts'
import { plusDays, type ReadyBorrower, readyBorrower, today } from '../support/story.ts'
import { startReceiver } from '../webhooks/receiver.ts'

let app: TestApp
let old: Client
let borrower: ReadyBorrower
let day: string

beforeAll(async () => {
  app = await testApp({ work: false })
  old = createClient({ ...app, version: '2023-09' })
  borrower = await readyBorrower(app)
  day = await today(app)
})

/** A loan request of version 2023-09, without newer fields. */
const input = (): Input<'createLoan'> =>
  ({
    amount: 10_000,
    borrower: { identifier: borrower.identifier },
    loan_to: { account_number: borrower.account_number },
    to_pay_at: day,
    to_repay_at: plusDays(day, 30),
    wait_for_validation: true,
  }) as Input<'createLoan'>

test('a loan without the newer fields is a wallet loan, waits, and is no duplicate', async () => {
  const first = await old.createLoan(input())
  const second = await old.createLoan(input())
  expect(second.id).not.toBe(first.id)
  for (const loan of [first, second]) {
    expect(loan).toMatchObject({ loan_type: 'WALLET_FINANCING', salt_id: null })
    expect(loan.status).toBe('TO_VALIDATE')
  }
  const salted = { ...input(), salt_id: 'once' }
  const { id } = await old.createLoan(salted)
  expect((await old.createLoan(salted)).id).toBe(id)
  expect((await old.createLoan({ ...input(), auto_validate: true })).status).toBe('VALIDATED')
  expect(await old.previewLoan(input())).toMatchObject({ decision: 'APPROVED' })
  expect(Object.keys(await faultsOf(app.client.createLoan(input()))).sort()).toEqual([
    'auto_validate',
    'loan_type',
    'salt_id',
  ])
})

test('with an invoice the loan finances it, into the invoice’s account', async () => {
  const account_number = borrower.account_number
  const invoice = await validInvoice({
    seller: { identifier: borrower.identifier },
    to_account: { account_number },
  })
  const { id } = await old.createInvoice(invoice)
  const named = await old.createLoan({ ...input(), invoice_ids: [id] })
  expect(named).toMatchObject({ loan_type: 'INVOICE_BASED_FINANCING', invoice_ids: [id] })
  expect(named.status).toBe('TO_VALIDATE')
  const { is_draft: _, ...brought } = await validInvoice({
    seller: { identifier: borrower.identifier },
  })
  const bringing = { ...input(), invoices: [brought] } as Input<'createLoan'>
  const other = await old.createLoan(bringing)
  expect(other).toMatchObject({ loan_type: 'INVOICE_BASED_FINANCING', status: 'TO_VALIDATE' })
  const now = { loan_type: 'INVOICE_BASED_FINANCING', auto_validate: false, salt_id: 'now' }
  const faults = await faultsOf(app.client.createLoan({ ...bringing, ...now } as never))
  expect(Object.keys(faults)).toEqual(['to_account'])
})

test('unknown fields of real requests are ignored and listed in the header', async () => {
  const { salt_id, ...payee } = { ...input().loan_to, salt_id: 'none', purpose: 'stock' }
  const body = { ...input(), colour: 'red', loan_to: payee } as Input<'createLoan'>
  const { headers, status } = await old.call('createLoan', body)
  expect(status).toBe(201)
  expect(headers.get('x-ignored-fields')!.split(', ').sort()).toEqual(['colour', 'loan_to.purpose'])
  const plain = await old.call('createLoan', input())
  expect(plain.headers.get('x-ignored-fields')).toBeNull()
  const listed = await old.call('listLoans', { hue: 'red', page_size: 1 } as object)
  expect(listed.headers.get('x-ignored-fields')).toBe('hue')
})

test('a borrower without a method repays by transfer once signed', async () => {
  const { identifier } = await app.client.generateSandboxBusiness({})
  const { id } = await old.createBorrower({ identifier })
  const { now } = await app.client.getSandboxClock()
  expect((await old.signBorrower({ borrower_id: id, signed_at: now })).status).toBe('READY')
  const { data } = await old.listRepaymentMethods({ borrower_id: id })
  expect(data).toMatchObject([{ payment_method: 'SCT', status: 'READY', is_main: true }])
  const newer = await app.client.generateSandboxBusiness({})
  const other = await app.client.createBorrower({ identifier: newer.identifier })
  const signed = await app.client.signBorrower({ borrower_id: other.id, signed_at: now })
  expect(signed.status).toBe('SIGNED')
})

test('only this version can subscribe to Loan.OVERDUE, sent on the first day late', async () => {
  await using receiver = await startReceiver()
  const hook = { name: 'late', to_url: receiver.url, event_types: ['Loan.OVERDUE' as const] }
  expect(Object.keys(await faultsOf(app.client.createWebhook(hook as never)))).toEqual([
    'event_types.0',
  ])
  const { id } = await old.createWebhook(hook)
  const paying = await readyBorrower(app, 'SCT')
  const loan = await lend(app, paying, { amount: 5_000, days: 5 })
  const due = loan.to_repay_at.slice(0, 10)
  const arrived = async () => {
    await app.drain()
    await deliverDue(app.context, new Date())
    return receiver.arrivals.filter(({ json }) => json.data.id === loan.id)
  }
  await app.client.advanceSandboxClock({ to: due })
  expect(await arrived()).toEqual([])
  // The loan may be due on a closed day, so it may become overdue some days later.
  await app.client.advanceSandboxClock({ to: plusDays(due, 5) })
  const [result, ...more] = await arrived()
  expect(more).toEqual([])
  expect(result!.json).toMatchObject({ type: 'Loan.OVERDUE', data: { status: 'TO_REPAY' } })
  const listed = async (client: Client, ...status: string[]) =>
    (await client.listLoans({ status } as Input<'listLoans'>)).data.map(one => one.id)
  expect(await listed(old, 'OVERDUE')).toEqual([loan.id])
  const closed = await listed(app.client, 'CLOSED', 'TO_REPAY')
  expect(await listed(old, 'OVERDUE', 'CLOSED', 'TO_REPAY')).toEqual(closed)
  expect(Object.keys(await faultsOf(listed(app.client, 'OVERDUE')))).toEqual(['status.0'])
  const shown = await app.client.listWebhooks({})
  expect(shown.data.find(one => one.id === id)!.event_types).toEqual(['Loan.OVERDUE'])
  expect((await app.verify()).findings).toEqual([])
})

test('a quote accepts the old field names for its dates, and the borrower', async () => {
  day = await today(app)
  const seller = { identifier: borrower.identifier, identifier_type: 'siren' as const }
  const buyer = { identifier: '732829320', identifier_type: 'siren' as const }
  const days = { start_date: day, end_date: plusDays(day, 30) }
  const newer = { to_pay_at: day, to_repay_at: plusDays(day, 30) }
  const quote = (body: object) => old.quoteEligibility(body as Input<'quoteEligibility'>)
  const meant = await app.client.quoteEligibility({ seller, buyer, amount: 50_000, ...newer })
  expect(meant.fees_estimated).toBeGreaterThan(0)
  for (const body of [
    { borrower: seller, buyer, ...days },
    { borrower: seller, seller, buyer, ...days },
    { borrower: buyer, seller, buyer, ...days },
    { seller, buyer, ...days },
    { seller, buyer, ...newer },
  ]) {
    expect(await quote({ amount: 50_000, ...body })).toEqual(meant)
  }
  const alone = await quote({ borrower: seller, amount: 50_000, ...days })
  expect(alone).toMatchObject({ is_eligible: true, fees_estimated: meant.fees_estimated })
  const names = async (body: object) => Object.keys(await faultsOf(quote(body)))
  expect(await names({ buyer, ...days })).toEqual(['borrower'])
  expect(await names({ borrower: seller, start_date: day })).toEqual(['end_date'])
  expect(await names({ borrower: seller, start_date: day, end_date: day })).toEqual(['end_date'])
  const third = { identifier: '552100554', identifier_type: 'siren' }
  expect(await names({ borrower: third, seller, buyer })).toEqual(['borrower'])
  const now = app.client.quoteEligibility({ seller, buyer, ...days } as never)
  expect(Object.keys(await faultsOf(now)).sort()).toEqual(['end_date', 'start_date'])
})

test('an empty object as account holder means none', async () => {
  day = await today(app)
  const loan_to = { account_number: borrower.account_number, account_holder: {} }
  const body = { ...input(), loan_to } as never
  expect((await old.createLoan(body)).status).toBe('TO_VALIDATE')
  expect((await old.previewLoan(body)).decision).toBe('APPROVED')
  const now = { loan_type: 'WALLET_FINANCING', auto_validate: false, salt_id: 'holder' }
  const faults = await faultsOf(app.client.createLoan({ ...input(), ...now, loan_to } as never))
  expect(Object.keys(faults).sort()).toEqual([
    'loan_to.account_holder.identifier',
    'loan_to.account_holder.identifier_type',
  ])
})
