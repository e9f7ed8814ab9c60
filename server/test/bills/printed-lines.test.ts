/** Which lines a bill prints for a loan. */
import { expect, test } from 'vitest'
import { type Basis, printedLines } from '../../src/credit/bills/printed/compute.ts'
import type { EarlierLine } from '../../src/credit/bills/printed-line.ts'
import { day } from '../../src/platform/kit/dates.ts'

const [FIRST, PAID, FEBRUARY] = [day('2027-01-01'), day('2027-01-30'), day('2027-02-01')]

const january: EarlierLine = {
  bill_id: 'january',
  kind: 'INTEREST',
  component: 'INTEREST',
  from_on: FIRST,
  to_on: day('2027-01-31'),
  days: 31,
  principal: 100_000,
  rate_ppm: 500,
  amount: 1550,
}

/** February's bill, after it became known that `repaid` cents were repaid on 30 January. */
function basis(repaid: bigint, amount: bigint): Basis {
  return {
    component: 'INTEREST',
    rate_ppm: 500,
    steps: [
      { from_on: FIRST, principal: 100_000n },
      { from_on: PAID, principal: 100_000n - repaid },
    ],
    period_from: FEBRUARY,
    end: day('2027-03-01'),
    amount,
    billed: 1550n,
    earlier: [january],
    bills: [
      {
        id: 'january',
        period_from: FIRST,
        period_to: day('2027-01-31'),
        ran_at: new Date('2027-02-01T01:00:00Z'),
      },
    ],
    facts: [
      {
        reason: 'REPAYMENT_VALUED_EARLIER',
        reduces_interest: true,
        from_on: PAID,
        until_on: null,
        known_at: new Date('2027-02-10T10:00:00Z'),
      },
    ],
    is_written_off: false,
  }
}

const shown = (of: Basis) =>
  printedLines(of).map(line => [line.kind, line.principal, line.days, line.amount])

test('a repayment that became known late is an adjustment of the earlier bill', () => {
  // 99,000 for 28 days, and 1,000 less for two: 1386 - 1.
  expect(shown(basis(1_000n, 1_385n))).toEqual([
    ['INTEREST', 99_000, 28, 1_386],
    ['ADJUSTMENT', -1_000, 2, -1],
  ])
})

test('an adjustment that rounds to 0 is not printed, nor is it missed by the next bill', () => {
  // Interest on 10 cents for 2 days is a hundredth of a cent.
  const february = basis(10n, 1_400n)
  expect(shown(february)).toEqual([['INTEREST', 99_990, 28, 1_400]])
  const printed = printedLines(february).map(line => ({ ...line, bill_id: 'february' }))
  const march: Basis = {
    ...february,
    period_from: day('2027-03-01'),
    end: day('2027-04-01'),
    // 100,000 for 29 days and 99,990 for 61: 4499.695 in all.
    amount: 1_550n,
    billed: 2_950n,
    earlier: [january, ...printed],
  }
  expect(shown(march)).toEqual([['INTEREST', 99_990, 31, 1_550]])
})
