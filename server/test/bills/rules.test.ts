/** When a bill that was sent may still be replaced. */
import { expect, test } from 'vitest'
import { payableUntouched } from '../../src/bills/rules.ts'
import { day } from '../../src/kit/dates.ts'

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
