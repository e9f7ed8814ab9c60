/** Requesting loans: malformed requests, repeated requests, and formats of dates. */
import type { Input } from '@headroom/sdk'
import { describe, expect, test } from 'vitest'
import { appOn } from '../../support/calendar.ts'
import { lineOf, rowCounts } from '../../support/money.ts'
import { faultsOf, refusal } from '../../support/refusal.ts'
import { readyBorrower } from '../../support/story.ts'
import { DAY, requestOf } from './request.ts'

const app = await appOn(DAY)
const { client } = app
const borrower = await readyBorrower(app)
await app.drain()

type Body = Input<'createLoan'>

describe('a malformed request is a 422 that reports every fault and writes nothing', () => {
  const without = (...names: (keyof Body)[]) => {
    const body: Partial<Body> = requestOf(borrower)
    for (const name of names) delete body[name]
    return body as Body
  }
  const wrong = (other: object) => requestOf(borrower, other as Partial<Body>)

  test.each<[string, Body, string[]]>([
    ['no loan_type', without('loan_type'), ['loan_type']],
    ['no loan_to', without('loan_to'), ['loan_to']],
    ['no to_pay_at', without('to_pay_at'), ['to_pay_at']],
    ['no to_repay_at', without('to_repay_at'), ['to_repay_at']],
    ['no auto_validate', without('auto_validate'), ['auto_validate']],
    ['no salt_id', without('salt_id'), ['salt_id']],
    ['no amount', without('amount'), ['amount']],
    ['no borrower', without('borrower'), ['borrower']],
    [
      'nothing at all',
      {} as Body,
      [
        'amount',
        'auto_validate',
        'borrower',
        'loan_to',
        'loan_type',
        'salt_id',
        'to_pay_at',
        'to_repay_at',
      ],
    ],
    ['amount 0', wrong({ amount: 0 }), ['amount']],
    ['a negative amount', wrong({ amount: -1 }), ['amount']],
    ['a fraction of a cent', wrong({ amount: 100.5 }), ['amount']],
    ['an amount as text', wrong({ amount: '100' }), ['amount']],
    ['another currency', wrong({ currency: 'GBP' }), ['currency']],
    ['an unknown type', wrong({ loan_type: 'GIFT' }), ['loan_type']],
    ['repaid on the day of the payout', wrong({ to_repay_at: DAY }), ['to_repay_at']],
    ['repaid before the payout', wrong({ to_repay_at: '2027-01-14' }), ['to_repay_at']],
    ['paid out in the past', wrong({ to_pay_at: '2027-01-14' }), ['to_pay_at']],
    ['an invalid date', wrong({ to_repay_at: '2027-02-30' }), ['to_repay_at']],
    ['a date in another format', wrong({ to_pay_at: 'tomorrow' }), ['to_pay_at']],
    [
      'an unknown borrower',
      wrong({ borrower: { identifier: '732829320' } }),
      ['borrower.identifier'],
    ],
    [
      'a borrower with a wrong digit',
      wrong({ borrower: { identifier: '404833047' } }),
      ['borrower.identifier'],
    ],
    [
      'an IBAN with a wrong digit',
      wrong({ loan_to: { account_number: 'FR7630006000011234567890188' } }),
      ['loan_to.account_number'],
    ],
    ['an unknown field', wrong({ amont: 1 }), ['amont']],
    ['an invalid e-mail', wrong({ notification_emails: ['me'] }), ['notification_emails.0']],
    [
      'several faults at once',
      wrong({
        to_pay_at: '2027-01-14',
        borrower: { identifier: '1' },
        loan_to: { account_number: 'X' },
      }),
      ['borrower.identifier', 'loan_to.account_number', 'to_pay_at'],
    ],
  ])('%s', async (_, body, names) => {
    const before = await rowCounts(app)
    const faults = await faultsOf(client.createLoan(body))
    expect(Object.keys(faults).sort()).toEqual(names)
    for (const reason of Object.values(faults)) expect(reason.length).toBeGreaterThan(3)
    expect(await rowCounts(app)).toEqual(before)
  })

  test("the borrower's product for loans of another type", async () => {
    const { data } = await client.listBorrowerFinancialProducts({ borrower_id: borrower.id })
    const idOf = (type: string) =>
      data.find(one => one.financial_product.product_type === type)!.id.toUpperCase()
    const send = (borrower_financial_product_id: string) =>
      client.createLoan(requestOf(borrower, { borrower_financial_product_id, amount: 1_000 }))
    expect(await faultsOf(send(idOf('INVOICE_BASED_FINANCING')))).toEqual({
      borrower_financial_product_id: 'is its product for INVOICE_BASED_FINANCING',
    })
    expect(await faultsOf(send(crypto.randomUUID()))).toEqual({
      borrower_financial_product_id: 'is none of this borrower',
    })
    const requested = requestOf(borrower, {
      borrower_financial_product_id: idOf('WALLET_FINANCING'),
      amount: 1_000,
    })
    expect((await client.createLoan(requested)).denial_reason).toBeNull()
  })

  test("invoice financing without the invoice's account", async () => {
    const faults = await faultsOf(
      client.createLoan(requestOf(borrower, { loan_type: 'INVOICE_BASED_FINANCING' })),
    )
    expect(Object.keys(faults)).toEqual(['to_account'])
  })
})

describe('the same salt_id', () => {
  test('with the same content returns the same loan in its current state', async () => {
    const body = requestOf(borrower, { amount: 1_000 })
    const first = await client.call('createLoan', body)
    expect(first.status).toBe(201)
    expect(first.headers.get('idempotent-replayed')).toBeNull()
    await app.drain()
    const before = await rowCounts(app)
    const { loan_type, ...rest } = body
    const again = await client.call('createLoan', { ...rest, loan_type })
    expect(again.status).toBe(201)
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect(again.data).toMatchObject({ id: first.data.id, status: 'TO_REPAY' })
    expect((await rowCounts(app)).loans).toBe(before.loans)
  })

  test('with other content is a 409 that names the first loan', async () => {
    const body = requestOf(borrower, { amount: 1_000 })
    const first = await client.createLoan(body)
    const refused = await refusal(client.createLoan({ ...body, amount: 1_001 }))
    expect(refused).toMatchObject({ status: 409, code: 'duplicate_request' })
    expect(refused.message).toContain(first.id)
    expect(refused.resource_id).toBe(first.id)
  })

  test('still applies after DECLINED, even if the reason is gone', async () => {
    const body = requestOf(borrower, { amount: 99_000_000 })
    const declined = await client.createLoan(body)
    expect(declined.status).toBe('DECLINED')
    const again = await client.call('createLoan', body)
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect(again.data).toMatchObject({ id: declined.id, status: 'DECLINED' })
    const other = client.createLoan({ ...body, amount: 1_000 })
    expect(await refusal(other)).toMatchObject({ status: 409, code: 'duplicate_request' })
  })

  test('still applies after CANCELED', async () => {
    const body = requestOf(borrower, { amount: 1_000, to_pay_at: '2027-01-20' })
    const { id } = await client.createLoan(body)
    await client.cancelLoan({ loan_id: id })
    const again = await client.call('createLoan', body)
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect(again.data).toMatchObject({ id, status: 'CANCELED' })
  })

  test('from another partner is another loan', async () => {
    const theirs = await readyBorrower({ ...app, client: app.second })
    const salt_id = crypto.randomUUID()
    const ours = await client.createLoan(requestOf(borrower, { amount: 1_000, salt_id }))
    const other = await app.second.createLoan(requestOf(theirs, { amount: 2_000, salt_id }))
    expect(other.id).not.toBe(ours.id)
    expect(other.status).toBe('VALIDATED')
  })

  test('fifty times concurrently is one loan', async () => {
    const body = requestOf(borrower, { amount: 1_000 })
    const before = await lineOf(app, borrower)
    const loans = await Promise.all(Array.from({ length: 50 }, () => client.createLoan(body)))
    expect(new Set(loans.map(loan => loan.id)).size).toBe(1)
    const { balance_available } = await lineOf(app, borrower)
    expect(balance_available).toBe(before.balance_available! - 1_000)
  })
})

describe('waiting for the decision', () => {
  test('is optional: without it, the answer shows the initial status', async () => {
    const body = requestOf(borrower, { amount: 1_000, wait_for_validation: false })
    const { id, status } = await client.createLoan(body)
    expect(status).toBe('PENDING_VALIDATION')
    await app.drain()
    expect((await client.getLoan({ loan_id: id })).status).toBe('TO_REPAY')
  })

  test('if requested, the answer has the decision', async () => {
    const body = requestOf(borrower, { amount: 1_000 })
    expect((await client.createLoan(body)).status).toBe('VALIDATED')
    const unasked = requestOf(borrower, { amount: 1_000, auto_validate: false })
    expect((await client.createLoan(unasked)).status).toBe('TO_VALIDATE')
  })
})

describe('days', () => {
  test.each([
    ['2027-01-20', '2027-01-20'],
    // In winter Paris is one hour ahead of UTC.
    ['2027-01-20T22:59:59Z', '2027-01-20'],
    ['2027-01-20T23:00:00Z', '2027-01-21'],
    ['2027-01-21T00:30:00+02:00', '2027-01-20'],
    ['2027-01-20T23:59:59+01:00', '2027-01-20'],
    ['2027-01-20T18:00:00-05:00', '2027-01-21'],
    // A time without a zone is UTC, so a date in the format of our answers is the same day.
    ['2027-01-20T00:00:00', '2027-01-20'],
    ['2027-01-20T00:00:00Z', '2027-01-20'],
  ])('%s is the %s', async (to_pay_at, day) => {
    const loan = await client.createLoan(requestOf(borrower, { amount: 100, to_pay_at }))
    expect(loan.to_pay_at).toBe(`${day}T00:00:00Z`)
    const back = requestOf(borrower, { amount: 100, to_pay_at: loan.to_pay_at })
    expect((await client.createLoan(back)).to_pay_at).toBe(loan.to_pay_at)
  })

  test('in summer Paris is two hours ahead', async () => {
    const summer = { to_pay_at: '2027-06-30T22:30:00Z', to_repay_at: '2027-07-31T21:59:00Z' }
    expect(await client.createLoan(requestOf(borrower, { amount: 100, ...summer }))).toMatchObject({
      to_pay_at: '2027-07-01T00:00:00Z',
      to_repay_at: '2027-07-31T00:00:00Z',
      contractual_repayment_date: '2027-07-31T00:00:00Z',
    })
  })
})

test('a response contains every requested field', async () => {
  const requested = requestOf(borrower, {
    loan_to_references: ['INV 1'],
    notification_emails: ['cfo@example.com'],
    repayment_from_references: ['ours'],
    metadata: { order: 7 },
  })
  const loan = await client.createLoan(requested)
  expect(loan).toMatchObject({
    denial_reason: null,
    amount: 50_000,
    currency: 'EUR',
    salt_id: requested.salt_id,
    borrower: { identifier: borrower.identifier },
    loan_to: { account_number: borrower.account_number, account_number_type: 'iban' },
    loan_to_references: ['INV 1'],
    repayment_from: { account_number: borrower.account_number },
    repayment_from_references: ['ours'],
    repayment_method: 'DIRECT_DEBIT',
    fees_estimated: 250,
    fees_ongoing: 0,
    repaid_amount: 0,
    notification_emails: ['cfo@example.com'],
    metadata: { order: 7 },
    paid_at: null,
    closed_at: null,
  })
  expect(loan.repayment_to.account_number).toMatch(/^FR/)
  expect(loan.repayment_to_references[0]).toMatch(/^RF\d\d/)
  await app.drain()
  expect((await app.verify()).findings).toEqual([])
})

// Last, because it advances the clock for the whole file.
test('repeating a request after its payout date has passed returns the same loan', async () => {
  const body = requestOf(borrower, { amount: 1_000 })
  const { id } = await client.createLoan(body)
  await client.advanceSandboxClock({ days: 1 })
  const again = await client.call('createLoan', body)
  expect(again.status).toBe(201)
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  expect(again.data).toMatchObject({ id, status: 'TO_REPAY' })
  const other = client.createLoan({ ...body, amount: 1_001 })
  expect(await faultsOf(other)).toHaveProperty('to_pay_at')
})
