/** GET /payments, /bills and /events: filters and orders compared with the full list. */
import type { Input } from '@headroom/sdk'
import { beforeAll, describe, expect, test } from 'vitest'
import type { TestApp } from '../../support/app.ts'
import { appOn } from '../../support/calendar.ts'
import {
  type Bill,
  type Loan,
  lend,
  type Payment,
  payIn,
  paymentsOfType,
  referenceOf,
  returnDebit,
} from '../../support/money.ts'
import { faultsOf } from '../../support/refusal.ts'
import { type ReadyBorrower, readyBorrower } from '../../support/story.ts'

type LogEvent = Awaited<ReturnType<TestApp['client']['listEvents']>>['data'][number]

let app: TestApp
let borrower: ReadyBorrower
let paying: ReadyBorrower
let loan: Loan
let other: Loan
let payments: Payment[]
let bills: Bill[]
let events: LogEvent[]

/** Creates a returned debit, a failed payout, an overpayment, an unmatched payment and bills. */
beforeAll(async () => {
  app = await appOn('2027-01-26')
  borrower = await readyBorrower(app)
  paying = await readyBorrower(app, 'SCT')
  loan = await lend(app, borrower, { amount: 100_000, days: 2 })
  other = await lend(app, paying, { amount: 60_000, days: 30 })
  const failing = await app.client.generateSandboxIban({ scenario: 'FAIL' })
  const unlucky = { ...paying, account_number: failing.iban }
  await lend(app, unlucky, { amount: 700, days: 30 })
  await app.client.advanceSandboxClock({ to: '2027-01-29' })
  const [debit] = await paymentsOfType(app, loan, 'REPAYMENT_NOMINAL')
  await returnDebit(app, debit!)
  await payIn(app, { to: other, amount: 60_500 })
  await payIn(app, { to: loan, amount: 999, reference: 'nothing that we know' })
  await app.client.advanceSandboxClock({ to: '2027-02-02' })
  payments = (await app.client.listPayments({})).data
  bills = (await app.client.listBills({})).data
  events = (await app.client.listEvents({})).data
  expect(new Set(payments.map(p => p.status))).toEqual(new Set(['FAILED', 'INSTRUCTED', 'PAID']))
  expect(bills).toHaveLength(2)
})

const idsOf = (things: readonly { id: string }[]) => things.map(thing => thing.id)

describe('payments', () => {
  type Query = Input<'listPayments'>
  const cases: [string, () => Query, (payment: Payment) => boolean][] = [
    ['by id', () => ({ id: [payments[1]!.id] }), p => p.id === payments[1]!.id],
    ['of a loan', () => ({ loan_id: [other.id] }), p => concerns(p, other)],
    ['of two loans', () => ({ loan_id: [loan.id, other.id] }), p => concerns(p, loan, other)],
    [
      'by debit',
      () => ({ payment_method: ['DIRECT_DEBIT'] }),
      p => p.payment_method === 'DIRECT_DEBIT',
    ],
    ['by either method', () => ({ payment_method: ['DIRECT_DEBIT', 'SCT'] }), () => true],
    [
      'of a type',
      () => ({ payment_type: ['LOAN_PAYMENT'] }),
      p => p.payment_type === 'LOAN_PAYMENT',
    ],
    [
      'of two types',
      () => ({ payment_type: ['CHARGEBACK', 'REFUND'] }),
      p => ['CHARGEBACK', 'REFUND'].includes(p.payment_type!),
    ],
    ['in a status', () => ({ status: ['FAILED'] }), p => p.status === 'FAILED'],
    [
      'with a reference',
      () => ({ references: [referenceOf(other)] }),
      p => [...p.from_references, ...p.to_references].includes(referenceOf(other)),
    ],
    ['planned from', () => ({ from_date: '2027-01-29' }), p => p.scheduled_at! >= '2027-01-29'],
    ['planned before', () => ({ to_date: '2027-01-29' }), p => p.scheduled_at! < '2027-01-29'],
    ['paid from', () => ({ paid_after: '2027-01-29' }), p => (p.paid_at ?? '') >= '2027-01-29'],
    [
      'paid before',
      () => ({ paid_before: '2027-01-29' }),
      p => p.paid_at !== null && p.paid_at < '2027-01-29',
    ],
    ['changed from', () => ({ updated_after: '2027-01-29' }), p => p.updated_at >= '2027-01-28T23'],
    ['shown by the bank', () => ({ is_reconciled: true }), p => p.paid_at !== null],
    ['not shown by the bank', () => ({ is_reconciled: false }), p => p.paid_at === null],
    ['of a deposit', () => ({ deposit_id: [crypto.randomUUID()] }), () => false],
    ['of a payment intent', () => ({ payment_intent_id: [crypto.randomUUID()] }), () => false],
    ['from an account', () => ({ from_account_id: crypto.randomUUID() }), () => false],
    ['to an account', () => ({ to_account_id: crypto.randomUUID() }), () => false],
  ]

  function concerns(payment: Payment, ...loans: Loan[]): boolean {
    return payment.related_to.loans.some(r => loans.some(l => l.id === r.loan_id))
  }

  test.each(cases)('%s', async (_, query, fits) => {
    const expected = payments.filter(fits)
    const { data, total } = await app.client.listPayments(query())
    expect(idsOf(data)).toEqual(idsOf(expected))
    expect(total).toBe(expected.length)
  })

  test.each([
    ['amount:asc', (p: Payment) => String(p.amount).padStart(12, '0')],
    ['payment_method:asc', (p: Payment) => p.payment_method!],
    ['scheduled_at:asc', (p: Payment) => p.scheduled_at!],
  ] as const)('ordered by %s, and the reverse', async (sort_by, key) => {
    const full = (p: Payment) => `${key(p)} ${p.id}`
    const sorted = idsOf(payments.toSorted((a, b) => (full(a) < full(b) ? -1 : 1)))
    const up: string[] = []
    for await (const p of app.client.each('listPayments', { sort_by, page_size: 2 })) up.push(p.id)
    expect(up).toEqual(sorted)
    const down = sort_by.replace('asc', 'desc') as 'amount:desc'
    const { data } = await app.client.listPayments({ sort_by: down })
    expect(idsOf(data)).toEqual(sorted.toReversed())
  })

  test('without relations unless requested', async () => {
    const none = { include_loans: false, include_bills: false, include_payment_intents: false }
    const { data } = await app.client.listPayments(none)
    expect(data.every(p => p.related_to.loans.length + p.related_to.bills.length === 0)).toBe(true)
    expect(payments.some(p => p.related_to.loans.length > 0)).toBe(true)
    expect(payments.some(p => p.related_to.bills.length > 0)).toBe(true)
  })
})

describe('bills', () => {
  type Query = Input<'listBills'>
  const cases: [string, () => Query, (bill: Bill) => boolean][] = [
    ['by id', () => ({ bill_id: [bills[1]!.id] }), b => b.id === bills[1]!.id],
    [
      'of a business id',
      () => ({ business_id: [borrower.id] }),
      b => b.billed_borrower_id === borrower.id,
    ],
    [
      'of a company number',
      () => ({ business_identifier: [paying.identifier] }),
      b => b.billed_borrower_id === paying.id,
    ],
    [
      'of two company numbers',
      () => ({ business_identifier: [paying.identifier, borrower.identifier] }),
      () => true,
    ],
    ['in a status', () => ({ status: ['TO_PAY'] }), b => b.status === 'TO_PAY'],
    ['in two statuses', () => ({ status: ['TO_PAY', 'PAID'] }), () => true],
    ['of periods from', () => ({ start_date: '2027-01-01' }), () => true],
    ['of periods from later', () => ({ start_date: '2027-01-02' }), () => false],
    ['of periods to', () => ({ end_date: '2027-02-01' }), () => true],
    ['of periods to earlier', () => ({ end_date: '2027-01-31' }), () => false],
  ]

  test.each(cases)('%s', async (_, query, fits) => {
    const expected = bills.filter(fits)
    const { data, total } = await app.client.listBills(query())
    expect(idsOf(data)).toEqual(idsOf(expected))
    expect(total).toBe(expected.length)
  })

  test('light, and page by page', async () => {
    const { data } = await app.client.listBills({ light_bills: true })
    expect(data.map(b => [b.lines.length, b.document_url, b.invoice])).toEqual([
      [0, null, null],
      [0, null, null],
    ])
    expect(bills.every(b => b.lines.length === 1 && b.document_url)).toBe(true)
    const paged: string[] = []
    for await (const b of app.client.each('listBills', { page_size: 1 })) paged.push(b.id)
    expect(paged).toEqual(idsOf(bills))
  })
})

describe('events', () => {
  type Query = Input<'listEvents'>
  const cases: [string, () => Query, (event: LogEvent) => boolean][] = [
    [
      'of a type',
      () => ({ event_type: ['LOAN_DISBURSEMENT_PAID'] }),
      e => e.event_type === 'LOAN_DISBURSEMENT_PAID',
    ],
    [
      'of two types',
      () => ({ event_type: ['LOAN_EXTRA_PAID', 'LOAN_REFUND_PAID'] }),
      e => ['LOAN_EXTRA_PAID', 'LOAN_REFUND_PAID'].includes(e.event_type),
    ],
    ['of a loan', () => ({ loan_id: [loan.id] }), e => e.event_payload.loan_id === loan.id],
    ['from', () => ({ from_date: '2027-01-29' }), e => e.event_at >= '2027-01-28T23'],
    ['before', () => ({ to_date: '2027-01-29' }), e => e.event_at < '2027-01-28T23'],
  ]

  test.each(cases)('%s', async (_, query, fits) => {
    const expected = events.filter(fits)
    expect(expected.length).toBeGreaterThan(0)
    expect((await app.client.listEvents(query())).data).toEqual(expected)
  })

  test('report every payment step, newest first, page by page', async () => {
    const result = events.filter(e => e.event_payload.loan_id === other.id).toReversed()
    expect(
      result.map(e => [
        e.event_type,
        e.event_payload.principal_amount,
        e.event_payload.fees_amount,
      ]),
    ).toEqual([
      ['LOAN_VALIDATED', 60_000, null],
      ['LOAN_DISBURSEMENT_PAID', 60_000, null],
      ['LOAN_REPAYMENT_NOMINAL_PAID', 60_000, null],
      ['LOAN_REPAYMENT_FEES_PAID', null, 90],
      ['LOAN_EXTRA_PAID', 410, null],
      ['LOAN_REFUND_PAID', 410, null],
    ])
    const paged: LogEvent[] = []
    for await (const e of app.client.each('listEvents', { page_size: 4 })) paged.push(e)
    expect(paged).toEqual(events)
  })
})

test('an unknown parameter is a 422 that names it', async () => {
  const wrong = { status: ['LOST'], sort_by: 'colour:asc', hue: 1 } as object
  expect(Object.keys(await faultsOf(app.client.listPayments(wrong))).sort()).toEqual([
    'hue',
    'sort_by',
    'status.0',
  ])
  expect(Object.keys(await faultsOf(app.client.listBills({ end_date: 'soon' })))).toEqual([
    'end_date',
  ])
  expect(Object.keys(await faultsOf(app.client.listEvents({ from_date: '2027-02-30' })))).toEqual([
    'from_date',
  ])
  expect((await app.verify()).findings).toEqual([])
})
