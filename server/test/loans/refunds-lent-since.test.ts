/** Which changes move the day on which a refund became known to be lent. */
import { expect, test } from 'vitest'
import {
  reclaimKnownOn,
  refundsLentSince,
} from '../../src/credit/loans/booking/refunds-lent-since.ts'
import { day } from '../../src/platform/kit/dates.ts'

const [FEBRUARY, JUNE] = [day('2027-02-15'), day('2027-06-01')]

/**
 * The day on which each refund became known to be lent, given its lent amounts before and after a
 * change in June.
 */
function known(owed: bigint, refunds: Record<string, [before: bigint, after: bigint]>) {
  const movements = Object.entries(refunds).map(([id, [before]]) => ({
    id,
    principal: -before,
    lent_known_on: before > 0n ? FEBRUARY : null,
  }))
  const shares = new Map(
    Object.entries(refunds).map(([id, [, after]]) => [
      id,
      { principal: -after, interest: 0n, surplus: 0n },
    ]),
  )
  return refundsLentSince({ principal_outstanding: owed }, { shares }, movements, JUNE)
}

test('a day stays while the refund is being repaid, and when the repayment is returned', () => {
  expect(known(0n, { a: [500n, 500n] })).toEqual(new Map([['a', FEBRUARY]]))
  expect(known(500n, { a: [500n, 500n] })).toEqual(new Map([['a', FEBRUARY]]))
})

test('a further amount is known from today only once the earlier one is repaid', () => {
  expect(known(200n, { a: [200n, 500n] })).toEqual(new Map([['a', FEBRUARY]]))
  expect(known(0n, { a: [200n, 500n] })).toEqual(new Map([['a', JUNE]]))
  expect(known(0n, { a: [500n, 200n] })).toEqual(new Map([['a', FEBRUARY]]))
})

test('another refund has its own day, and one no longer lent has none', () => {
  const days = known(300n, { a: [500n, 0n], b: [300n, 300n], c: [0n, 100n] })
  expect(days).toEqual(
    new Map([
      ['b', FEBRUARY],
      ['c', JUNE],
    ]),
  )
  const reclaimed_on = day('2027-01-29')
  const [both, last] = [
    { reclaimed_on, reclaimed_unpaid: ['b', 'c'] },
    { reclaimed_on, reclaimed_unpaid: ['c'] },
  ]
  expect(reclaimKnownOn(both, days)).toBe(FEBRUARY)
  expect(reclaimKnownOn(last, days)).toBe(JUNE)
  expect(reclaimKnownOn({ ...both, reclaimed_on: null }, days)).toBeNull()
})
