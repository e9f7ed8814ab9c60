/** Limits of a new due date: the first day of a changed debit, the term, one postponement. */
import { expect, test } from 'vitest'
import { repaymentDayFault } from '../../src/credit/loans/changes/changeable.ts'
import { earliestToRepay, firstFreeDebitDay } from '../../src/credit/loans/dates.ts'
import { day, momentOf } from '../../src/platform/kit/dates.ts'

const at = (of: string, hour: number, minute = 0) => momentOf(day(of), hour, minute)

test.each([
  ['a Wednesday morning', at('2027-02-03', 9), '2027-02-08'],
  ['the last minute', at('2027-02-03', 14, 59), '2027-02-08'],
  ['the cut-off', at('2027-02-03', 15), '2027-02-09'],
  ['a Saturday, at any hour', at('2027-02-06', 16), '2027-02-10'],
  ['before Easter', at('2027-03-25', 9), '2027-04-01'],
])('%s', (_name, now, free) => {
  expect(firstFreeDebitDay(now, '15:00')).toBe(free)
  expect(earliestToRepay('DIRECT_DEBIT', now, '15:00')).toBe(free)
})

test('a transfer can be due today', () => {
  expect(earliestToRepay('SCT', at('2027-02-03', 16), '15:00')).toBe('2027-02-03')
})

test('the term counts from the requested payout, and a second postponement is refused', () => {
  const loan = {
    status: 'TO_REPAY' as const,
    to_pay_on: day('2027-01-15'),
    to_repay_on: day('2027-02-01'),
    postponed_at: null as Date | null,
  }
  const limits = { now: at('2027-01-20', 9), duration_days_max: 45, cut_off: '15:00' }
  const fault = (requested: string, of = loan) =>
    repaymentDayFault(of, day(requested), 'SCT', limits)
  expect(fault('2027-03-01')).toBeNull()
  expect(fault('2027-03-02')?.reason).toContain('2027-03-01')
  expect(fault('2027-01-19')?.reason).toContain('2027-01-20')
  const postponed = { ...loan, postponed_at: limits.now }
  expect(fault('2027-02-02', postponed)?.code).toBe('already_postponed')
  expect(fault('2027-01-31', postponed)).toBeNull()
  expect(fault('2027-02-01', postponed)).toBeNull()
})
