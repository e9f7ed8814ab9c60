/** The scorecards: what they give, that they never pass the cap, and that they only grow. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  POOL_MAX,
  poolAmount,
  SCORECARDS,
  type ScorecardInputs,
  scorecardInputs,
} from '../../src/credit-lines/scorecard.ts'
import { day } from '../../src/kit/dates.ts'
import type { Company } from '../../src/ports/registry.ts'

const company: Company = {
  identifier: '732829320',
  identifier_type: 'siren',
  country: 'FR',
  name: 'Boulangerie Moreau',
  legal_form: 'SAS',
  vat_number: 'FR44732829320',
  address: {},
  activity_description: null,
  nace_code: null,
  creation_date: '2021-11-21',
  share_capital: 1_000_000,
  is_active: true,
}

const anyInputs: fc.Arbitrary<ScorecardInputs> = fc.record({
  is_active: fc.boolean(),
  age_days: fc.option(fc.integer({ min: -10, max: 60_000 })),
  share_capital: fc.option(fc.integer({ min: 0, max: 2 ** 50 })),
})

test('the sandbox gives 50,000 € to every active company', () => {
  const inputs = scorecardInputs(company, day('2026-11-21'))
  expect(poolAmount(SCORECARDS.sandbox, inputs)).toBe(5_000_000n)
  expect(poolAmount(SCORECARDS.sandbox, { ...inputs, is_active: false })).toBe(0n)
})

test('what was looked at is kept as plain figures', () => {
  expect(scorecardInputs(company, day('2026-11-21'))).toEqual({
    is_active: true,
    age_days: 1826,
    share_capital: 1_000_000,
  })
  const unknown = { ...company, creation_date: null, share_capital: null }
  expect(scorecardInputs(unknown, day('2026-11-21'))).toMatchObject({
    age_days: null,
    share_capital: null,
  })
})

describe('the live one', () => {
  const live = (inputs: Partial<ScorecardInputs>) =>
    poolAmount(SCORECARDS.live, {
      is_active: true,
      age_days: null,
      share_capital: null,
      ...inputs,
    })

  test('adds what each figure reaches', () => {
    expect(live({})).toBe(500_000n)
    expect(live({ age_days: 364 })).toBe(500_000n)
    expect(live({ age_days: 365 })).toBe(1_000_000n)
    expect(live({ age_days: 5 * 365, share_capital: 10_000_000 })).toBe(5_500_000n)
  })

  test('never passes the cap, gives nothing to the inactive, and grows with each figure', () => {
    fc.assert(
      fc.property(anyInputs, fc.integer({ min: 0, max: 10_000 }), (inputs, more) => {
        const given = poolAmount(SCORECARDS.live, inputs)
        const older = poolAmount(SCORECARDS.live, {
          ...inputs,
          age_days: inputs.age_days === null ? null : inputs.age_days + more,
        })
        expect(given).toBeGreaterThanOrEqual(0n)
        expect(given).toBeLessThanOrEqual(POOL_MAX)
        expect(older).toBeGreaterThanOrEqual(given)
        if (!inputs.is_active) expect(given).toBe(0n)
      }),
    )
  })
})
