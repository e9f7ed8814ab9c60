/** Refunds in a loan's account: they return surplus, or become principal again. */
import { expect, test } from 'vitest'
import { computeAccount, type Movement } from '../../src/credit/loans/account.ts'
import { interestTo } from '../../src/credit/loans/interest.ts'
import { addDays, day } from '../../src/platform/kit/dates.ts'

const payout = day('2027-01-11')
const AMOUNT = 100_000n
const TERMS = {
  rate_ppm: 500,
  mark_up_ppm: 0,
  fees_payer: 'BORROWER',
  status: 'TO_REPAY' as const,
  written_off_on: null,
  interest_stops: [],
  interest_billed: 500n,
}

function moved(id: string, kind: Movement['kind'], amount: bigint, offset: number): Movement {
  const value_on = addDays(payout, offset)
  const refunded_payment_id = kind === 'REFUND' ? id.replace('refund of ', '') : null
  const of = { payment_id: id, refunded_payment_id, given_back: 0n, after_write_off: false }
  return { ...of, id, kind, amount, value_on }
}

// Interest for ten days is 500.
const repaid = [moved('payout', 'PAYOUT', AMOUNT, 0), moved('transfer', 'REPAYMENT', AMOUNT, 10)]

test('bear interest from their day if they returned no surplus', () => {
  const movements = [...repaid, moved('refund of transfer', 'REFUND', 99_500n, 11)]
  const account = computeAccount(movements, TERMS)
  expect(account).toMatchObject({
    principal_outstanding: 99_500n,
    refunds_reclaimed: 99_500n,
    reclaimed_on: addDays(payout, 11),
    principal_repaid: 500n,
  })
  // Interest for ten days on 1,000.00 and for twenty on 995.00.
  expect(interestTo(account.steps, 500, addDays(payout, 31))).toBe(500n + 995n)
})

test("use overpaid interest, but not later bill credits or a partner's payments", () => {
  const refunded = [
    ...repaid,
    moved('bill', 'BILL_PAYMENT', 900n, 15),
    moved('refund of transfer', 'REFUND', 1_000n, 20),
  ]
  const lent = (more: Movement[], fees_payer: string) =>
    computeAccount([...refunded, ...more], { ...TERMS, fees_payer }).refunds_reclaimed
  const credit = moved('credit', 'CREDIT', 300n, 30)
  expect(lent([], 'BORROWER')).toBe(600n)
  expect(lent([credit], 'BORROWER')).toBe(900n)
  // The credit covers a payment made after the refund.
  expect(lent([moved('later bill', 'BILL_PAYMENT', 300n, 29), credit], 'BORROWER')).toBe(600n)
  expect(lent([], 'PARTNER')).toBe(1_000n)
})

test('leave an overpaid bill alone, unless they return that payment', () => {
  const paid = [...repaid, moved('bill', 'EXTRA', 50_000n, 12)]
  const transfer = moved('refund of transfer', 'REFUND', 99_500n, 20)
  const own = moved('refund of bill', 'REFUND', 50_000n, 21)
  const folded = (movements: Movement[], fees_payer = 'BORROWER') => {
    const { refunds_reclaimed: lent, ...account } = computeAccount(movements, {
      ...TERMS,
      fees_payer,
    })
    return { lent, left: account.surplus - account.surplus_refunded }
  }
  for (const fees_payer of ['BORROWER', 'PARTNER']) {
    expect(folded([...paid, transfer], fees_payer)).toEqual({ lent: 99_500n, left: 50_000n })
    expect(folded([...paid, transfer, own], fees_payer)).toEqual({ lent: 99_500n, left: 0n })
  }
  // The part of a refund beyond the overpayment is principal.
  expect(folded([...paid, { ...own, amount: 60_000n }])).toEqual({ lent: 10_000n, left: 0n })
})
