/** When a bill that was sent may still be replaced, and what mark-up money has paid. */
import { expect, test } from 'vitest'
import { collectedMarkUp, payableUntouched } from '../../src/credit/bills/rules.ts'
import { day } from '../../src/platform/kit/dates.ts'

const frozen_until = day('2027-02-05')
const bill = (amount_paid: bigint, amount_prepaid = 0n) => ({ amount_paid, amount_prepaid })
const debit = (status: string, scheduled_on: string) => {
  return { status, mandate_id: 'a mandate', scheduled_on: day(scheduled_on) }
}
const transfer = (status: string) => {
  return { status, mandate_id: null, scheduled_on: day('2027-02-03') }
}

test('a bill that nothing was received for since it was sent may be replaced', () => {
  expect(payableUntouched(bill(0n), [transfer('SCHEDULED')], frozen_until)).toBe(true)
  expect(payableUntouched(bill(60n, 60n), [transfer('SCHEDULED')], frozen_until)).toBe(true)
  expect(payableUntouched(bill(61n, 60n), [transfer('SCHEDULED')], frozen_until)).toBe(false)
  expect(payableUntouched(bill(0n), [transfer('PAID')], frozen_until)).toBe(false)
})

test('a debit may be replaced while it is more than three TARGET days ahead', () => {
  expect(payableUntouched(bill(0n), [debit('SCHEDULED', '2027-02-08')], frozen_until)).toBe(true)
  expect(payableUntouched(bill(0n), [debit('SCHEDULED', '2027-02-05')], frozen_until)).toBe(false)
  for (const status of ['INSTRUCTED', 'IN_TRANSIT', 'PAID', 'FAILED', 'CHARGEBACK']) {
    expect(payableUntouched(bill(0n), [debit(status, '2027-02-08')], frozen_until)).toBe(false)
  }
  expect(payableUntouched(bill(0n), [debit('CANCELED', '2027-02-03')], frozen_until)).toBe(true)
})

test.each([
  ['all is paid', { paid: 120n, accrued: 20n, billed: 20n }, [], 20n],
  ['nothing is', { paid: 0n, accrued: 20n, billed: 20n }, [[120n, 20n, 0n, 0n]], 0n],
  ['interest comes first', { paid: 105n, accrued: 20n, billed: 20n }, [[120n, 20n, 105n, 0n]], 5n],
  ['of two bills one is', { paid: 120n, accrued: 40n, billed: 40n }, [[120n, 20n, 0n, 0n]], 20n],
  // Of 120 billed 20 are owed: the rest is credited, which is no money.
  ['a credit is none', { paid: 0n, accrued: 10n, billed: 60n }, [[120n, 60n, 100n, 100n]], 0n],
  ['nor once it is billed', { paid: 5n, accrued: 10n, billed: 10n }, [[120n, 60n, 105n, 100n]], 0n],
  ['beside money', { paid: 15n, accrued: 10n, billed: 10n }, [[120n, 60n, 115n, 100n]], 5n],
  ['half credited', { paid: 60n, accrued: 60n, billed: 60n }, [[60n, 60n, 30n, 30n]], 30n],
  ['billed too much, and paid', { paid: 120n, accrued: 10n, billed: 20n }, [], 10n],
  ['paid ahead of any bill', { paid: 60n, accrued: 10n, billed: 0n }, [], 0n],
] as const)('of the mark-up, when %s, money has paid', (_, loan, open, expected) => {
  const lines = open.map(([amount, mark_up, paid, credited]) => ({
    amount,
    mark_up,
    paid,
    credited,
  }))
  const { paid: interest_paid, accrued: mark_up_accrued, billed: mark_up_billed } = loan
  expect(collectedMarkUp({ interest_paid, mark_up_accrued, mark_up_billed }, lines)).toBe(expected)
})
