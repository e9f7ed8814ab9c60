/** The day from which a company is old enough. */
import { expect, test } from 'vitest'
import { isTooYoung } from '../../src/companies/borrowers/company-age.ts'
import { day } from '../../src/platform/kit/dates.ts'

test.each([
  ['2026-01-31', 1, '2026-02-27', true],
  ['2026-01-31', 1, '2026-02-28', false],
  ['2025-11-22', 12, '2026-11-21', true],
  ['2025-11-21', 12, '2026-11-21', false],
  ['2026-11-21', 0, '2026-11-21', false],
  [null, 0, '2026-11-21', false],
  [null, 1, '2026-11-21', true],
] as const)('created %s, minimum %i months, on %s', (created, months, today, young) => {
  expect(isTooYoung(created, months, day(today))).toBe(young)
})
