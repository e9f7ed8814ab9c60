/** The lender's history is kept: what was in force never changes. */
import { expect, test } from 'vitest'
import { readLenderText } from '../../src/integrations/lender/lender-file.ts'
import { planChange, type StoredVersion } from '../../src/integrations/lender/rules.ts'
import { day } from '../../src/platform/kit/dates.ts'
import { FIRST_DAY, lenderVersion } from '../support/live.ts'

const TODAY = day('2027-02-01')
const BANKS = ['memory', 'other']

const versionsOf = (...changes: Record<string, unknown>[]) => {
  const text = JSON.stringify({ versions: changes.map(lenderVersion) })
  const { versions, faults } = readLenderText(text, BANKS, TODAY)
  expect(faults).toEqual([])
  return versions
}
const stored: readonly StoredVersion[] = versionsOf(
  {},
  { in_force_from: '2027-06-01', name: 'June' },
)
const atBank = (bank: string) => ({ adapters: { ...lenderVersion().adapters, bank } })

test('the first start stores all versions, also those of the past', () => {
  const file = versionsOf({ in_force_from: '2026-01-01' }, {})
  expect(planChange([], file, TODAY)).toEqual({ faults: [], store: file, withdraw: [], bank: null })
})

test('an unchanged file changes nothing', () => {
  const file = versionsOf({}, { in_force_from: '2027-06-01', name: 'June' })
  expect(planChange(stored, file, TODAY)).toMatchObject({ faults: [], store: [], withdraw: [] })
})

test('a version of a later day can be changed, withdrawn and added', () => {
  const changed = versionsOf({}, { in_force_from: '2027-06-01', name: 'Juin' })
  expect(planChange(stored, changed, TODAY).store).toEqual([changed[1]])
  const without = versionsOf({})
  expect(planChange(stored, without, TODAY).faults.join()).toContain('name its day in "withdrawn"')
  expect(planChange(stored, without, TODAY, [day('2027-06-01')])).toMatchObject({
    faults: [],
    withdraw: ['2027-06-01'],
  })
  const added = versionsOf(
    {},
    { in_force_from: TODAY },
    { in_force_from: '2027-06-01', name: 'June' },
  )
  expect(planChange(stored, added, TODAY)).toMatchObject({ faults: [], store: [added[1]] })
})

test.each([
  ['a changed one', () => versionsOf({ name: 'Other' })],
  ['a missing one', () => versionsOf({ in_force_from: '2026-12-01' })],
])('of versions that were in force, %s is refused', (_, file) => {
  const { faults, store, withdraw } = planChange(stored, file(), TODAY)
  expect(faults.join()).toContain(`the one from ${FIRST_DAY} has been in force`)
  expect([store, withdraw]).toEqual([[], []])
})

test('a version that begins in the past is refused once there is a history', () => {
  const file = versionsOf({}, { in_force_from: '2027-01-20' })
  expect(planChange(stored, file, TODAY).faults.join()).toContain('begins in the past')
})

test('a file without a version in force is refused', () => {
  const file = versionsOf({ in_force_from: '2027-02-02' })
  expect(planChange([], file, TODAY).faults).toEqual([
    'versions: none is in force on 2027-02-01: add one from 2027-02-01 on or earlier',
  ])
})

test('the bank changes on the day of a start, and never on a later day by itself', () => {
  const today = versionsOf({}, { in_force_from: TODAY, ...atBank('other') })
  const plan = planChange(stored.slice(0, 1), today, TODAY)
  expect(plan).toMatchObject({
    faults: [],
    bank: {
      from: expect.stringMatching(/^memory \(FR.*, FR.*\)$/),
      to: expect.stringMatching(/^other \(FR.*, FR.*\)$/),
    },
  })
  const later = versionsOf({}, { in_force_from: '2027-02-02', ...atBank('other') })
  expect(planChange(stored.slice(0, 1), later, TODAY).faults.join()).toContain('changes the bank')
})

test.each(['collection', 'funding'] as const)('another %s account is another bank', role => {
  const { accounts } = lenderVersion()
  const other = { ...accounts, [role]: { iban: 'DE02120300000000202051', bic: 'BYLADEM1001' } }
  const today = versionsOf({}, { in_force_from: TODAY, accounts: other })
  const { bank, faults } = planChange(stored.slice(0, 1), today, TODAY)
  expect(faults).toEqual([])
  expect(bank?.from).toContain(accounts[role].iban)
  expect(bank?.to).toContain('DE02120300000000202051')
  const later = versionsOf({}, { in_force_from: '2027-02-02', accounts: other })
  expect(planChange(stored.slice(0, 1), later, TODAY).faults.join()).toContain('changes the bank')
})

test('cards keep their processor, and mandates their creditor', () => {
  const withCards = { adapters: { ...lenderVersion().adapters, cards: 'stripe' } }
  const first = versionsOf({}, { in_force_from: TODAY, ...withCards })
  expect(planChange(stored.slice(0, 1), first, TODAY).faults).toEqual([])
  const left = versionsOf(withCards, { in_force_from: TODAY })
  expect(planChange([], left, TODAY).faults.join()).toContain('leaves the card processor stripe')
  const other = { in_force_from: TODAY, creditor_identifier: 'FR72ZZZ123456' }
  expect(planChange([], versionsOf({}, other), TODAY).faults.join()).toContain('keep it')
})
