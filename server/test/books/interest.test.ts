/** Interest on random loans, compared with an independent exact day-by-day computation. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { endOf, lineAmount, periodBilledIn } from '../../src/credit/bills/rules.ts'
import { computeAccount, type Movement } from '../../src/credit/loans/account.ts'
import { interestTo } from '../../src/credit/loans/interest.ts'
import {
  addDays,
  addMonths,
  type Day,
  day,
  daysBetween,
  firstOfMonth,
} from '../../src/platform/kit/dates.ts'

const RUNS = 10_000
/** Fewer runs for properties that recompute each case many times. */
const RUNS_LONG = 500
const RATE_PPM = 500
const TERMS = {
  rate_ppm: RATE_PPM,
  mark_up_ppm: 0,
  fees_payer: 'BORROWER',
  status: 'TO_REPAY',
} as const
const HORIZON = 120

interface Money {
  /** Days after the payout; negative if valued before it. */
  offset: number
  amount: bigint
  kind: 'REPAYMENT' | 'BILL_PAYMENT' | 'EXTRA'
}

interface Case {
  amount: bigint
  payout: Day
  money: Money[]
  /** Days after the payout, negative if before it; null without a write-off. */
  written_off: number | null
  /**
   * The first day without interest and the first day with it again, in days after the payout; the
   * latter is null if interest never resumes.
   */
  stops: [number, number | null][]
  /** Interest billed. Overpaid interest up to this amount is credited by a later bill. */
  billed: bigint
}

const ONE: Case = {
  amount: 100_000n,
  payout: day('2027-01-11'),
  money: [],
  written_off: null,
  stops: [],
  billed: 1_050n,
}

const cents = (max: bigint) => fc.bigInt({ min: 1n, max })

const cases: fc.Arbitrary<Case> = cents(20_000_000n).chain(amount =>
  fc.record({
    amount: fc.constant(amount),
    payout: fc.integer({ min: 0, max: 1_400 }).map(n => addDays(day('2026-01-01'), n)),
    written_off: fc.option(fc.integer({ min: -3, max: 90 }), { freq: 2 }),
    stops: fc.array(
      fc
        .tuple(fc.integer({ min: -5, max: 90 }), fc.option(fc.integer({ min: 0, max: 40 })))
        .map(([from, days]): [number, number | null] => [from, days === null ? null : from + days]),
      { maxLength: 2 },
    ),
    billed: fc.bigInt({ min: 0n, max: amount / 20n }),
    money: fc.array(
      fc.oneof(
        { weight: 6, arbitrary: moneyOf('REPAYMENT', amount + amount / 10n + 1n) },
        { weight: 3, arbitrary: moneyOf('REPAYMENT', amount / 3n + 1n) },
        { weight: 2, arbitrary: moneyOf('BILL_PAYMENT', amount / 50n + 1n) },
        { weight: 1, arbitrary: moneyOf('EXTRA', 10_000n) },
      ),
      { maxLength: 6 },
    ),
  }),
)

function moneyOf(kind: Money['kind'], max: bigint): fc.Arbitrary<Money> {
  return fc.record({
    kind: fc.constant(kind),
    offset: fc.integer({ min: -3, max: 90 }),
    amount: cents(max),
  })
}

function movementsOf({ amount, payout, money }: Case): Movement[] {
  return [
    {
      id: 'payout',
      payment_id: 'payout',
      refunded_payment_id: null,
      kind: 'PAYOUT',
      amount,
      given_back: 0n,
      value_on: payout,
      after_write_off: false,
    },
    ...money.map((m, index) => ({
      id: `money ${index}`,
      payment_id: `money ${index}`,
      refunded_payment_id: null,
      kind: m.kind,
      amount: m.amount,
      given_back: 0n,
      after_write_off: false,
      value_on: addDays(payout, m.offset),
    })),
  ]
}

function termsOf({ payout, written_off, stops, billed: interest_billed }: Case) {
  return {
    ...TERMS,
    interest_billed,
    written_off_on: written_off === null ? null : addDays(payout, written_off),
    interest_stops: stops.map(([from, until]) => ({
      from_on: addDays(payout, from),
      until_on: until === null ? null : addDays(payout, until),
    })),
  }
}

function rounded(millionths: bigint): bigint {
  const whole = millionths / 1_000_000n
  const rest = millionths % 1_000_000n
  if (rest * 2n === 1_000_000n) return whole % 2n === 0n ? whole : whole + 1n
  return rest * 2n > 1_000_000n ? whole + 1n : whole
}

/**
 * Computes a loan's account independently, day by day: applies the day's payments, then accrues a
 * day's interest on what is still owed.
 */
function walk({ amount, payout, money, written_off, stops, billed }: Case) {
  const stands = (n: number) => stops.some(([from, to]) => from <= n && (to === null || n < to))
  const end = written_off === null ? HORIZON + 1 : Math.max(0, written_off)
  let lost = 0n
  let recovered = 0n
  let interest_recovered = 0n
  let owed = amount
  let accrued = 0n
  let interest_paid = 0n
  let surplus = 0n
  let repaid_on: Day | null = null
  const interestAt: bigint[] = []
  for (let n = 0; n <= HORIZON; n++) {
    interestAt.push(rounded(accrued))
    const todays = money.filter(m => Math.max(0, m.offset) === n)
    const before = { owed, interest_paid }
    for (const m of todays.filter(one => one.kind === 'BILL_PAYMENT')) interest_paid += m.amount
    for (const m of todays.filter(one => one.kind === 'EXTRA')) surplus += m.amount
    for (const m of todays.filter(one => one.kind === 'REPAYMENT')) {
      const principal = m.amount < owed ? m.amount : owed
      owed -= principal
      if (owed === 0n && principal > 0n) repaid_on = addDays(payout, n)
      let rest = m.amount - principal
      if (owed === 0n && rounded(accrued) > interest_paid) {
        const unpaid = rounded(accrued) - interest_paid
        const interest = rest < unpaid ? rest : unpaid
        interest_paid += interest
        rest -= interest
      }
      surplus += rest
    }
    if (n > end) {
      recovered += before.owed - owed
      interest_recovered += interest_paid - before.interest_paid
    }
    if (n === end) lost = owed
    if (n < end && !stands(n)) accrued += owed * 500n
  }
  // Interest paid beyond both the final and the billed amount is refunded, latest payment first.
  const final = rounded(accrued)
  const kept = final > billed ? final : billed
  if ((owed === 0n || written_off !== null) && interest_paid > kept) {
    const back = interest_paid - kept
    surplus += back
    interest_paid = kept
    interest_recovered -= back < interest_recovered ? back : interest_recovered
  }
  if (lost > 0n) repaid_on = null
  const unpaid = final - interest_paid + interest_recovered
  const interest_lost = written_off === null || unpaid < 0n ? 0n : unpaid
  if (interest_recovered > interest_lost) interest_recovered = interest_lost
  const loss = { lost, recovered, interest_lost, interest_recovered }
  return { owed, interest_paid, surplus, repaid_on, interestAt, loss }
}

describe("a loan's account", () => {
  test('owes what a day-by-day walk finds', () => {
    fc.assert(
      fc.property(cases, one => {
        const account = computeAccount(movementsOf(one), termsOf(one))
        const walked = walk(one)
        expect(account.principal_outstanding).toBe(one.written_off === null ? walked.owed : 0n)
        expect({
          lost: account.principal_written_off,
          recovered: account.principal_recovered,
          interest_lost: account.interest_written_off,
          interest_recovered: account.interest_recovered,
        }).toEqual(walked.loss)
        expect(account.principal_repaid).toBe(one.amount - walked.owed)
        expect(account.principal_repaid_on).toBe(walked.repaid_on)
        expect(account.interest_paid).toBe(walked.interest_paid)
        expect(account.surplus).toBe(walked.surplus)
        for (const n of [0, 1, 15, 45, HORIZON]) {
          const on = addDays(one.payout, n)
          expect(interestTo(account.steps, RATE_PPM, on)).toBe(walked.interestAt[n])
        }
      }),
      { numRuns: RUNS },
    )
  })

  test('does not depend on the order in which the facts became known', () => {
    const shuffled = cases.chain(one =>
      fc.tuple(
        fc.constant(one),
        fc.shuffledSubarray(movementsOf(one), { minLength: one.money.length + 1 }),
      ),
    )
    fc.assert(
      fc.property(shuffled, ([one, movements]) => {
        const terms = termsOf(one)
        expect(computeAccount(movements, terms)).toEqual(computeAccount(movementsOf(one), terms))
      }),
      { numRuns: RUNS_LONG },
    )
  })

  test('orders kinds within a day in one way, including bill credits', () => {
    const kind = fc.constantFrom(...(['CREDIT', 'REPAYMENT', 'BILL_PAYMENT', 'EXTRA'] as const))
    const came = fc.array(fc.record({ kind, amount: cents(60_000n) }), { maxLength: 5 })
    const on_a_day = came.map(day => [
      ...movementsOf({ ...ONE, money: [{ kind: 'REPAYMENT', offset: 40, amount: 60_000n }] }),
      ...day.map((m, index): Movement => {
        const value_on = addDays(ONE.payout, 40)
        const id = `day ${index}`
        const of = { payment_id: id, refunded_payment_id: null, given_back: 0n }
        return { ...m, ...of, id, after_write_off: false, value_on }
      }),
    ])
    const shuffled = on_a_day.chain(all =>
      fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })),
    )
    fc.assert(
      fc.property(shuffled, ([all, other]) => {
        expect(computeAccount(other, termsOf(ONE))).toEqual(computeAccount(all, termsOf(ONE)))
      }),
      { numRuns: RUNS_LONG },
    )
  })

  test('allocates every cent once', () => {
    fc.assert(
      fc.property(cases, one => {
        const movements = movementsOf(one)
        const { shares } = computeAccount(movements, termsOf(one))
        for (const m of movements.filter(m => m.kind !== 'PAYOUT')) {
          const { principal, interest, surplus } = shares.get(m.id)!
          expect(principal + interest + surplus).toBe(m.amount)
          expect(principal >= 0n && interest >= 0n && surplus >= 0n).toBe(true)
          if (m.kind !== 'REPAYMENT') expect(principal).toBe(0n)
        }
      }),
      { numRuns: RUNS_LONG },
    )
  })
})

describe('refunds in an account', () => {
  const offset = fc.integer({ min: -3, max: 90 })
  const refunded = cases.chain(one =>
    fc.tuple(
      fc.constant(one),
      fc.array(fc.record({ offset, amount: cents(one.amount + 1n), of: fc.nat(5) }), {
        maxLength: 4,
      }),
    ),
  )
  type Refund = { offset: number; amount: bigint; of: number }
  const withRefunds = ([one, refunds]: [Case, Refund[]]) => [
    ...movementsOf(one),
    ...refunds.map(({ offset, amount, of }, index): Movement => {
      const value_on = addDays(one.payout, offset)
      const id = `refund ${index}`
      const what = { payment_id: id, refunded_payment_id: `money ${of}`, given_back: 0n }
      return { ...what, id, kind: 'REFUND', amount, after_write_off: false, value_on }
    }),
  ]
  const sumOf = (movements: Movement[], kinds: Movement['kind'][]) =>
    movements.reduce((sum, m) => (kinds.includes(m.kind) ? sum + m.amount : sum), 0n)

  test('lose no cash: the amount owed is cash out less cash in', () => {
    fc.assert(
      fc.property(refunded, fc.boolean(), (random, paidOut) => {
        const movements = withRefunds(random).filter(m => paidOut || m.kind !== 'PAYOUT')
        const terms = { ...termsOf(random[0]), ...(paidOut ? {} : { written_off_on: null }) }
        const account = computeAccount(movements, terms)
        const out = sumOf(movements, ['PAYOUT', 'REFUND'])
        const came = sumOf(movements, ['REPAYMENT', 'BILL_PAYMENT', 'EXTRA'])
        const payable = account.surplus - account.surplus_refunded
        const lost = account.principal_written_off - account.principal_recovered
        expect(out - came).toBe(
          account.principal_outstanding + lost - account.interest_paid - payable,
        )
        expect(payable >= 0n).toBe(true)
      }),
      { numRuns: RUNS },
    )
  })

  test('leave an overpaid bill to its payer', () => {
    fc.assert(
      fc.property(refunded, random => {
        const movements = withRefunds(random)
        const account = computeAccount(movements, termsOf(random[0]))
        const kept = movements.map(({ kind, amount, payment_id }) => {
          if (kind !== 'EXTRA') return 0n
          const own = movements.filter(m => m.refunded_payment_id === payment_id)
          const left = amount - sumOf(own, ['REFUND'])
          return left > 0n ? left : 0n
        })
        const payable = account.surplus - account.surplus_refunded
        expect(payable >= kept.reduce((sum, left) => sum + left, 0n)).toBe(true)
      }),
      { numRuns: RUNS },
    )
  })

  test('do not depend on the order in which they became known', () => {
    const shuffled = refunded.chain(random =>
      fc.tuple(
        fc.constant(random),
        fc.shuffledSubarray(withRefunds(random), {
          minLength: withRefunds(random).length,
        }),
      ),
    )
    fc.assert(
      fc.property(shuffled, ([random, movements]) => {
        const terms = termsOf(random[0])
        expect(computeAccount(movements, terms)).toEqual(computeAccount(withRefunds(random), terms))
      }),
      { numRuns: RUNS_LONG },
    )
  })

  test('do not change when later bills charge the interest owed', () => {
    fc.assert(
      fc.property(refunded, fc.integer({ min: 0, max: 100 }), (random, percent) => {
        const movements = withRefunds(random)
        const terms = { ...termsOf(random[0]), interest_billed: 0n }
        const before = computeAccount(movements, terms)
        const { accrued_until: until, steps } = before
        // After accrual has ended, bills charge at most the final total. Before that, they may
        // charge any amount.
        const total = until ? interestTo(steps, RATE_PPM, until) : random[0].billed
        const interest_billed = (total * BigInt(percent)) / 100n
        expect(computeAccount(movements, { ...terms, interest_billed })).toEqual(before)
      }),
      { numRuns: RUNS },
    )
  })
})

describe("a loan's bills", () => {
  test('add up to the formula, in whatever order the facts become known', () => {
    fc.assert(
      fc.property(cases, one => {
        const movements = movementsOf(one)
        let billed = 0n
        let month = firstOfMonth(one.payout)
        for (let n = 1; n <= 6; n++) {
          month = addMonths(month, 1)
          // Each month one more movement is known, whatever its value date.
          const known = computeAccount(movements.slice(0, n + 1), termsOf(one))
          billed += lineAmount(known.steps, RATE_PPM, billed, endOf(periodBilledIn(month)))
          expect(billed).toBe(interestTo(known.steps, RATE_PPM, month))
        }
        const account = computeAccount(movements, termsOf(one))
        for (let n = 7; n <= 8; n++) {
          month = addMonths(month, 1)
          billed += lineAmount(account.steps, RATE_PPM, billed, endOf(periodBilledIn(month)))
        }
        expect(daysBetween(one.payout, month)).toBeGreaterThan(HORIZON)
        expect(billed).toBe(interestTo(account.steps, RATE_PPM, month))
        if (account.principal_outstanding > 0n) return
        expect(billed).toBe(walk(one).interestAt[HORIZON])
      }),
      { numRuns: RUNS_LONG },
    )
  })

  test.each([
    [123_456n, 45, 2_778n],
    [50_000n, 30, 750n],
    [1n, 45, 0n],
    [1_000n, 1, 0n],
    [3_000n, 1, 2n],
    [20_000_000n, 45, 450_000n],
  ])('%d cents for %d days owe %d', (amount, days, interest) => {
    const from_on = day('2026-07-01')
    const steps = [{ from_on, principal: amount }]
    expect(interestTo(steps, RATE_PPM, addDays(from_on, days))).toBe(interest)
  })
})
