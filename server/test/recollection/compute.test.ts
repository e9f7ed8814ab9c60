/** Installments add up to the cent and fall on banking days, and the last one settles each debt. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type CostTerms, computeAccount } from '../../src/credit/loans/account.ts'
import {
  computeInstallments,
  type Debt,
  owedAfter,
  type Period,
  planDays,
  stillDue,
} from '../../src/credit/recollection/plans/compute.ts'
import { isTargetDay } from '../../src/platform/kit/calendar.ts'
import { addDays, type Day, day, max } from '../../src/platform/kit/dates.ts'

const RATES = { rate_ppm: 500, mark_up_ppm: 0 }
const START = day('2026-11-23')

function loan(principal: bigint, more: Partial<Debt> = {}): Debt {
  const steps = [{ from_on: day('2026-10-01'), principal }]
  return {
    kind: 'LOAN',
    id: 'loan',
    principal,
    steps,
    rates: RATES,
    interest_paid: 0n,
    is_written_off: false,
    stopped: false,
    ...more,
  }
}

const sum = (cents: readonly bigint[]) => cents.reduce((a, b) => a + b, 0n)

describe('dates', () => {
  test('monthly dates keep the day of the start date', () => {
    expect(planDays(day('2028-01-31'), 'monthly', 4, day('2028-01-03'))).toEqual([
      '2028-01-31',
      '2028-02-29',
      '2028-03-31',
      // A Sunday and a closed 1 May are skipped.
      '2028-05-02',
    ])
    expect(planDays(day('2029-01-31'), 'monthly', 3, day('2029-01-01'))).toEqual([
      '2029-01-31',
      '2029-02-28',
      // 30 March is Good Friday, the 31st a Saturday, and Easter Monday is closed as well.
      '2029-04-03',
    ])
  })

  test('biweekly is fourteen days, weekly seven', () => {
    const days = (period: Period) => planDays(START, period, 3, START)
    expect(days('biweekly')).toEqual(['2026-11-23', '2026-12-07', '2026-12-21'])
    expect(days('weekly')).toEqual(['2026-11-23', '2026-11-30', '2026-12-07'])
  })

  test('the first date moves if it must, the others stay, and no two coincide', () => {
    expect(planDays(START, 'weekly', 3, day('2026-11-26'))).toEqual([
      '2026-11-26',
      '2026-11-30',
      '2026-12-07',
    ])
    expect(planDays(day('2026-12-21'), 'weekly', 2, day('2026-12-28'))).toEqual([
      '2026-12-28',
      '2026-12-29',
    ])
  })
})

describe('amounts', () => {
  test('€500 in five weeks: equal parts, and the last one settles the rest', () => {
    const days = planDays(START, 'weekly', 5, START)
    const found = computeInstallments([loan(50_000n)], days, 1_001n)!
    expect(found.map(one => one.fees)).toEqual([200n, 200n, 200n, 200n, 201n])
    const [first, ...others] = found.map(one => one.parts[0]!)
    expect(others.slice(0, -1).every(part => part === first)).toBe(true)
    expect(others.at(-1)! - first!).toBeLessThan(5n)
    // 53 days on 50,000, then a week on each remaining amount.
    expect(sum(found.map(one => one.parts[0]!))).toBeGreaterThan(50_000n + 1_325n)
  })

  test('a single installment is everything owed on its date', () => {
    const [one] = computeInstallments([loan(123_456n)], [day('2026-11-15')], 0n)!
    expect(one!.parts).toEqual([126_234n])
  })

  test('more installments than cents are rejected; as many are not', () => {
    const free = { rates: { rate_ppm: 0, mark_up_ppm: 0 } }
    const days = planDays(START, 'weekly', 5, START)
    expect(computeInstallments([loan(4n, free)], days, 0n)).toBeNull()
    expect(computeInstallments([loan(5n, free)], days, 0n)!.map(i => i.parts)).toEqual([
      [1n],
      [1n],
      [1n],
      [1n],
      [1n],
    ])
    // Each of three debts must last until the final installment, which therefore takes a cent of
    // each. The four before it take one cent in total.
    const three = (...cents: bigint[]) => cents.map(c => loan(c, free))
    expect(computeInstallments(three(2n, 2n, 2n), days, 0n)).toBeNull()
    const found = computeInstallments(three(3n, 2n, 2n), days, 0n)!
    expect(found.map(one => sum(one.parts))).toEqual([1n, 1n, 1n, 1n, 3n])
  })

  test('without debt there is nothing to plan', () => {
    expect(computeInstallments([loan(0n)], planDays(START, 'weekly', 2, START), 0n)).toBeNull()
  })
})

const cents = (max_: number) => fc.integer({ min: 1, max: max_ }).map(BigInt)

const debts = fc.array(
  fc.record({
    principal: fc.oneof(cents(300), cents(20_000_000), fc.constant(0n)),
    age: fc.integer({ min: 0, max: 400 }),
    mark_up_ppm: fc.constantFrom(0, 0, 137),
    paid_ppm: fc.integer({ min: 0, max: 1000 }),
  }),
  { minLength: 1, maxLength: 3 },
)

const plans = fc.record({
  debts,
  count: fc.integer({ min: 1, max: 24 }),
  period: fc.constantFrom<Period>('weekly', 'biweekly', 'monthly'),
  start: fc.integer({ min: 0, max: 2000 }).map(days => addDays(day('2026-01-01'), days)),
  fees: fc.oneof(fc.constant(0n), cents(10), cents(100_000)),
})

test('10,000 random plans add up to the cent, in equal parts, on banking days', () => {
  fc.assert(
    fc.property(plans, ({ debts: made, count, period, start, fees }) => {
      const terms: CostTerms = {
        rate_ppm: 500,
        mark_up_ppm: 0,
        fees_payer: 'BORROWER',
        status: 'TO_REPAY',
        written_off_on: null,
        interest_billed: 0n,
        interest_stops: [],
      }
      const loans = made.map(({ principal, age, mark_up_ppm, paid_ppm }) => {
        const rates = { rate_ppm: terms.rate_ppm, mark_up_ppm }
        const from_on = addDays(start, -age)
        const steps = [{ from_on, principal }]
        const accrued = owedAfter(loan(principal, { steps, rates }), [], start) - principal
        const interest_paid = (accrued * BigInt(paid_ppm)) >> 10n
        return loan(principal, { steps, rates, interest_paid })
      })
      const days = planDays(start, period, count, start)
      expect(days.every(isTargetDay)).toBe(true)
      expect(days.every((on, i) => i === 0 || on > days[i - 1]!)).toBe(true)
      const found = computeInstallments(loans, days, fees)
      if (!found) return
      expect(found.map(one => one.due_on)).toEqual(days)
      expect(sum(found.map(one => one.fees))).toBe(fees)
      for (const [index, debt] of loans.entries()) {
        const pays = found.map(one => ({ on: one.due_on, amount: one.parts[index]! }))
        holdsFor(debt, pays)
      }
      const totals = found.map(one => sum(one.parts) + one.fees)
      expect(totals.every(total => total > 0n)).toBe(true)
    }),
    { numRuns: 10_000 },
  )
})

/** Checks that a plan's payments leave nothing owed on the loan, and no surplus. */
function holdsFor(debt: Debt, pays: readonly { on: Day; amount: bigint }[]): void {
  const last = pays.at(-1)!
  const owed = owedAfter(debt, pays, last.on)
  // Without the last payment, exactly its amount is owed on its day.
  const missing = owedAfter(debt, pays.slice(0, -1), last.on)
  expect([owed, missing]).toEqual([0n, last.amount])
  expect(last.amount).toBeGreaterThan(0n)
  const amounts = pays.slice(0, -1).map(pay => pay.amount)
  if (amounts.some(amount => amount > 1n)) expect(new Set(amounts).size).toBe(1)
  if (debt.principal === 0n) return
  const movements = pays
    .filter(pay => pay.amount > 0n)
    .map((pay, i) => ({
      id: `${i}`.padStart(3, '0'),
      kind: 'REPAYMENT' as const,
      payment_id: `${i}`,
      refunded_payment_id: null,
      amount: pay.amount,
      value_on: pay.on,
      given_back: 0n,
      after_write_off: false,
    }))
  const { from_on } = debt.steps[0]!
  const payout = {
    id: 'out',
    payment_id: 'out',
    refunded_payment_id: null,
    kind: 'PAYOUT' as const,
    amount: debt.principal,
    value_on: from_on,
    given_back: 0n,
    after_write_off: false,
  }
  const bill = {
    id: 'bill',
    payment_id: 'bill',
    refunded_payment_id: null,
    kind: 'BILL_PAYMENT' as const,
    value_on: from_on,
    given_back: 0n,
    after_write_off: false,
  }
  const billed = debt.interest_paid > 0n ? [{ ...bill, amount: debt.interest_paid }] : []
  const owing = {
    fees_payer: 'BORROWER',
    status: 'TO_REPAY' as const,
    written_off_on: null,
    interest_billed: 0n,
  }
  const terms = { ...debt.rates, ...owing, interest_stops: [] }
  const account = computeAccount([payout, ...billed, ...movements], terms)
  expect(account.principal_outstanding).toBe(0n)
  expect(account.surplus).toBe(0n)
}

describe('the amounts still due', () => {
  const debt = loan(30_000n)
  const days = planDays(START, 'monthly', 3, START)
  const parts = computeInstallments([debt], days, 0n)!.map(one => ({
    due_on: one.due_on,
    open: one.parts[0]!,
  }))

  test('stay as planned while nothing happens', () => {
    expect(stillDue(debt, parts, START)).toEqual(parts.map(part => part.open))
  })

  test('paying early lowers the last installment', () => {
    const steps = [...debt.steps, { from_on: START, principal: 20_000n }]
    const due = stillDue({ ...debt, principal: 20_000n, steps }, parts, START)
    expect(due.slice(0, 2)).toEqual(parts.slice(0, 2).map(part => part.open))
    expect(due[2]).toBeLessThan(parts[2]!.open - 10_000n)
    expect(due[2]).toBeGreaterThan(0n)
  })

  test('paying late adds nothing within the plan', () => {
    const late = max(days[2]!, addDays(START, 100))
    expect(stillDue(debt, parts, late)).toEqual(parts.map(part => part.open))
  })

  test('nothing is due on a repaid debt', () => {
    const paid = { ...debt, principal: 0n, interest_paid: 99_999n }
    expect(stillDue(paid, parts, START)).toEqual([0n, 0n, 0n])
  })
})
