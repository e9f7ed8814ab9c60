/** When a sent bill may still be replaced, and which mark-up has been paid. */
import type { Status } from '@headroom/contract'
import { expect, test } from 'vitest'
import { collectedMarkUp, isReplaceable } from '../../src/credit/bills/rules.ts'
import { day } from '../../src/platform/kit/dates.ts'

const frozen_until = day('2027-02-05')
const bill = (amount_paid: bigint, amount_prepaid = 0n, status: Status<'bill'> = 'TO_PAY') => {
  return { status, amount_paid, amount_prepaid }
}
const debit = (status: Status<'payment'>, scheduled_on: string) => {
  return { status, mandate_id: 'a mandate', scheduled_on: day(scheduled_on) }
}
const transfer = (status: Status<'payment'>) => {
  return { status, mandate_id: null, scheduled_on: day('2027-02-03') }
}

test('a bill may be replaced if nothing was received for it since it was sent', () => {
  expect(isReplaceable(bill(0n), [transfer('SCHEDULED')], frozen_until)).toBe(true)
  expect(isReplaceable(bill(60n, 60n), [transfer('SCHEDULED')], frozen_until)).toBe(true)
  expect(isReplaceable(bill(61n, 60n), [transfer('SCHEDULED')], frozen_until)).toBe(false)
  expect(isReplaceable(bill(0n), [transfer('PAID')], frozen_until)).toBe(false)
})

test('a debit may be replaced while it is more than three TARGET days ahead', () => {
  expect(isReplaceable(bill(0n), [debit('SCHEDULED', '2027-02-08')], frozen_until)).toBe(true)
  expect(isReplaceable(bill(0n), [debit('SCHEDULED', '2027-02-05')], frozen_until)).toBe(false)
  // Until the bill is sent, its debit is held.
  const unsent = bill(0n, 0n, 'VALIDATED')
  expect(isReplaceable(unsent, [debit('SCHEDULED', '2027-02-05')], frozen_until)).toBe(true)
  for (const status of ['INSTRUCTED', 'IN_TRANSIT', 'PAID', 'FAILED'] as const) {
    expect(isReplaceable(bill(0n), [debit(status, '2027-02-08')], frozen_until)).toBe(false)
  }
  expect(isReplaceable(bill(0n), [debit('CANCELED', '2027-02-03')], frozen_until)).toBe(true)
})

test.each([
  ['everything is paid', { paid: 120n, accrued: 20n, billed: 20n }, [], 20n],
  ['nothing is paid', { paid: 0n, accrued: 20n, billed: 20n }, [[120n, 20n, 0n, 0n]], 0n],
  ['interest comes first', { paid: 105n, accrued: 20n, billed: 20n }, [[120n, 20n, 105n, 0n]], 5n],
  [
    'one of two bills is paid',
    { paid: 120n, accrued: 40n, billed: 40n },
    [[120n, 20n, 0n, 0n]],
    20n,
  ],
  // Only 20 of the 120 billed are owed. The rest is credited, which is not money received.
  [
    'a credit does not count',
    { paid: 0n, accrued: 10n, billed: 60n },
    [[120n, 60n, 100n, 100n]],
    0n,
  ],
  [
    'a billed credit does not count either',
    { paid: 5n, accrued: 10n, billed: 10n },
    [[120n, 60n, 105n, 100n]],
    0n,
  ],
  [
    'a payment counts in addition to a credit',
    { paid: 15n, accrued: 10n, billed: 10n },
    [[120n, 60n, 115n, 100n]],
    5n,
  ],
  ['half credited', { paid: 60n, accrued: 60n, billed: 60n }, [[60n, 60n, 30n, 30n]], 30n],
  ['overbilled and paid', { paid: 120n, accrued: 10n, billed: 20n }, [], 10n],
  ['prepaid before any bill', { paid: 60n, accrued: 10n, billed: 0n }, [], 0n],
] as const)('mark-up paid: %s', (_, loan, open, expected) => {
  const lines = open.map(([amount, mark_up, paid, credited]) => ({
    amount,
    mark_up,
    paid,
    credited,
  }))
  const { paid: interest_paid, accrued: mark_up_accrued, billed: mark_up_billed } = loan
  expect(collectedMarkUp({ interest_paid, mark_up_accrued, mark_up_billed }, lines)).toBe(expected)
})
