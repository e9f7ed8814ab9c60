/** A preview returns the decision and terms that creation would, and writes nothing. */
import type { Input } from '@headroom/sdk'
import { beforeAll, describe, expect, test } from 'vitest'
import type { TestApp } from '../../support/app.ts'
import { appOn } from '../../support/calendar.ts'
import { loanOf, paymentsOfType, rowCounts } from '../../support/money.ts'
import { faultsOf, refusal } from '../../support/refusal.ts'
import { type ReadyBorrower, readyBorrower } from '../../support/story.ts'
import { DAY, requestOf } from './request.ts'

let app: TestApp
let debited: ReadyBorrower
let paying: ReadyBorrower
beforeAll(async () => {
  app = await appOn(DAY)
  debited = await readyBorrower(app)
  paying = await readyBorrower(app, 'SCT')
  await app.drain()
})

type Body = Input<'createLoan'>

function previewOf({ wait_for_validation: _, salt_id: __, ...body }: Body): Input<'previewLoan'> {
  return body
}

describe('creation does what the preview returned', () => {
  test.each<[string, 'SDD' | 'SCT', Partial<Body>]>([
    ['by debit on a Monday', 'SDD', {}],
    ['by debit, due on a Sunday', 'SDD', { to_repay_at: '2027-01-24' }],
    ['by debit, shorter than the notice', 'SDD', { to_repay_at: '2027-01-16' }],
    ['by debit, of an odd amount', 'SDD', { amount: 123_457, to_repay_at: '2027-02-28' }],
    ['by transfer', 'SCT', {}],
    ['by transfer, due on a Sunday', 'SCT', { to_repay_at: '2027-01-24' }],
    ['by transfer the next day', 'SCT', { to_repay_at: '2027-01-16', amount: 1_000 }],
  ])('%s', async (_, method, other) => {
    const borrower = method === 'SDD' ? debited : paying
    const body = requestOf(borrower, other)
    const before = await rowCounts(app)
    const preview = await app.client.previewLoan(previewOf(body))
    // Only the Idempotency-Key, which the client always sends, is stored.
    const kept = { idempotency_keys: expect.any(Number) }
    expect(await rowCounts(app)).toEqual({ ...before, ...kept })
    expect(preview).toMatchObject({
      decision: 'APPROVED',
      denial_reason: null,
      amount: body.amount,
      currency: 'EUR',
      fees_daily_rate: 0.05,
      total_estimated: body.amount + preview.fees_estimated!,
    })
    const created = await app.client.createLoan(body)
    expect(created.fees_estimated).toBe(preview.fees_estimated)
    await app.drain()
    const loan = await loanOf(app, created.id)
    expect(loan).toMatchObject({
      status: 'TO_REPAY',
      paid_at: preview.expected_payout_at,
      fees_estimated: preview.fees_estimated,
    })
    const [debit] = await paymentsOfType(app, loan, 'REPAYMENT_NOMINAL')
    const repaid_at = method === 'SDD' ? debit!.scheduled_at! : loan.to_repay_at
    expect(preview.expected_repayment_at).toBe(repaid_at)
    const days = (Date.parse(repaid_at) - Date.parse(loan.paid_at!)) / 86_400_000
    expect(preview.days).toBe(days)
  })
})

test('before KYB is approved the loan would wait', async () => {
  const borrower = await readyBorrower(app)
  await app.client.setSandboxKyb({ borrower_id: borrower.id, status: 'REVIEWING' })
  const body = requestOf(borrower)
  expect(await app.client.previewLoan(previewOf(body))).toMatchObject({
    decision: 'WAITING',
    denial_reason: null,
    fees_estimated: 250,
  })
  expect((await app.client.createLoan(body)).status).toBe('PENDING_VALIDATION')
})

test('a refused loan has no dates and no interest', async () => {
  const body = requestOf(paying, { amount: 5_000_001 })
  const preview = await app.client.previewLoan(previewOf(body))
  expect(preview).toMatchObject({
    decision: 'DECLINED',
    denial_reason: 'AMOUNT_SUPERIOR_TO_AVAILABLE_BALANCE',
    expected_payout_at: null,
    expected_repayment_at: null,
    days: null,
    fees_estimated: null,
    total_estimated: null,
  })
})

test("the balance is the line's current one, without the loan", async () => {
  const borrower = await readyBorrower(app)
  const body = requestOf(borrower, { amount: 4_999_999 })
  const preview = await app.client.previewLoan(previewOf(body))
  expect(preview.balance_available).toBe(5_000_000)
  await app.client.createLoan(body)
  const next = await app.client.previewLoan(previewOf(requestOf(borrower, { amount: 2 })))
  expect(next).toMatchObject({ decision: 'DECLINED', balance_available: 1 })
})

test('a preview does not use up a salt_id', async () => {
  const body = requestOf(paying, { amount: 100 })
  const { wait_for_validation: _, ...requested } = body
  await app.client.previewLoan(requested)
  await app.client.previewLoan({ ...requested, amount: 200 })
  const { headers } = await app.client.call('createLoan', body)
  expect(headers.get('idempotent-replayed')).toBeNull()
})

test('a malformed request is reported as in creation', async () => {
  const body = requestOf(paying, { to_pay_at: '2027-01-14', borrower: { identifier: '404833047' } })
  const faults = await faultsOf(app.client.previewLoan(previewOf(body)))
  expect(faults).toEqual(await faultsOf(app.client.createLoan(body)))
})

test("another partner's borrower is not found", async () => {
  const stranger = app.second.previewLoan(previewOf(requestOf(paying)))
  expect(await refusal(stranger)).toMatchObject({
    status: 422,
    invalid_params: [{ name: 'borrower.identifier' }],
  })
})
