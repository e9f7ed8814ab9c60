/** How the sandbox bank plans an order, and the transitions it allows. */
import { expect, test } from 'vitest'
import {
  arrivesOn,
  defaultReason,
  planOf,
  stateAfter,
} from '../../../src/integrations/adapters/sandbox/bank-rules.ts'
import {
  generateIban,
  type IbanScenario,
} from '../../../src/integrations/adapters/sandbox/generators.ts'
import {
  reasonFault,
  returnFault,
} from '../../../src/integrations/adapters/sandbox/return-windows.ts'
import { addDays, type Day, day } from '../../../src/platform/kit/dates.ts'

const ORDINARY = 'FR7630006000011234567890189'
const FRIDAY = day('2026-07-10')
const SATURDAY = day('2026-07-11')
const MONDAY = day('2026-07-13')

function transfer(scenario: IbanScenario | null, requested_on = FRIDAY) {
  const iban = scenario ? generateIban('FRA', scenario, 7) : ORDINARY
  return { kind: 'SCT', counterparty: { iban, bic: 'HDRMFRPP', name: 'A' }, requested_on } as const
}
function collection(requested_on = FRIDAY, iban = ORDINARY) {
  return { kind: 'SDD', counterparty: { iban, bic: 'HDRMFRPP', name: 'A' }, requested_on } as const
}

test('a payout settles on its requested day, even on a closed day', () => {
  for (const scenario of ['SUCCESS', null] as const) {
    const due = { refused: false, due_trigger: 'settle' }
    expect(planOf(transfer(scenario), FRIDAY)).toEqual({ ...due, due_on: FRIDAY })
    expect(planOf(transfer(scenario, SATURDAY), FRIDAY)).toEqual({ ...due, due_on: SATURDAY })
    expect(planOf(transfer(scenario, FRIDAY), SATURDAY)).toEqual({ ...due, due_on: SATURDAY })
  }
})

test('ONE_DAY_LATER leaves on the day and arrives on the next TARGET day', () => {
  const later = transfer('SUCCESS_ONE_DAY_LATER')
  expect(planOf(later, FRIDAY)).toMatchObject({ due_on: FRIDAY, due_trigger: 'transmit' })
  expect(planOf(later, SATURDAY)).toMatchObject({ due_on: SATURDAY, due_trigger: 'transmit' })
  expect(arrivesOn(FRIDAY)).toBe(MONDAY)
  expect(arrivesOn(SATURDAY)).toBe(MONDAY)
  expect(arrivesOn(MONDAY)).toBe(day('2026-07-14'))
  for (const way of ['SDD', 'WALLET'] as const) {
    expect(stateAfter(way, 'PENDING', 'transmit')).toBeNull()
  }
})

test('FAIL is rejected and CANCEL canceled on the day; REJECT is refused on submission', () => {
  const day_of_it = { refused: false, due_on: FRIDAY }
  expect(planOf(transfer('FAIL'), FRIDAY)).toEqual({ ...day_of_it, due_trigger: 'reject' })
  expect(planOf(transfer('CANCEL'), FRIDAY)).toEqual({ ...day_of_it, due_trigger: 'recall' })
  expect(planOf(transfer('REJECT'), FRIDAY)).toEqual({ refused: true, reason_code: 'AC06' })
})

test("a collection follows TARGET days, whatever the account's payout scenario", () => {
  expect(planOf(collection(SATURDAY), FRIDAY)).toMatchObject({ due_on: MONDAY })
  expect(planOf(collection(FRIDAY), SATURDAY)).toMatchObject({ due_on: MONDAY })
  const good_friday = day('2026-04-03')
  expect(planOf(collection(good_friday), good_friday)).toMatchObject({
    due_on: day('2026-04-07'),
  })
  const failing = generateIban('FRA', 'FAIL', 7)
  expect(planOf(collection(MONDAY, failing), FRIDAY)).toEqual({
    refused: false,
    due_on: MONDAY,
    due_trigger: 'settle',
  })
})

test('a settled payment is returned once, and a transfer is neither refunded nor reversed', () => {
  expect(stateAfter('SDD', 'PENDING', 'settle')).toBe('SETTLED')
  expect(stateAfter('SDD', 'PENDING', 'return')).toBeNull()
  expect(stateAfter('SDD', 'SETTLED', 'return')).toBe('RETURNED')
  expect(stateAfter('SDD', 'SETTLED', 'refund')).toBe('REFUNDED')
  expect(stateAfter('SDD', 'SETTLED', 'reverse')).toBe('REVERSED')
  expect(stateAfter('SDD', 'RETURNED', 'return')).toBeNull()
  expect(stateAfter('SCT', 'SETTLED', 'return')).toBe('RETURNED')
  expect(stateAfter('SCT', 'SETTLED', 'refund')).toBeNull()
  expect(stateAfter('SCT', 'SETTLED', 'reverse')).toBeNull()
  expect(stateAfter('SCT', 'SETTLED', 'recall')).toBeNull()
  expect(stateAfter('WALLET', 'PENDING', 'settle')).toBe('SETTLED')
  expect(stateAfter('WALLET', 'PENDING', 'reject')).toBe('REJECTED')
  expect(stateAfter('WALLET', 'SETTLED', 'return')).toBeNull()
  expect(stateAfter('WALLET', 'SETTLED', 'refund')).toBeNull()
})

test('every kind of return has an ISO 20022 reason; settlement has none', () => {
  expect(defaultReason('SDD', 'settle')).toBeNull()
  for (const trigger of ['reject', 'return', 'refund', 'reverse', 'recall'] as const) {
    expect(defaultReason('SDD', trigger)).toMatch(/^[A-Z]{2}\d{2}$|^TECH$/)
  }
  expect(defaultReason('SCT', 'return')).toBe('AC04')
})

const THURSDAY = day('2026-07-09')

test.each([
  ['CORE', 'return', 'AM04', '2026-07-16'],
  ['B2B', 'return', 'AM04', '2026-07-14'],
  ['CORE', 'refund', 'MD06', '2026-09-03'],
  ['CORE', 'refund', 'MD01', '2027-08-09'],
] as const)('a %s debit: %s with %s until %s', (scheme, trigger, reason_code, last) => {
  const settled = { scheme, settled_on: THURSDAY }
  const fault = (value_on: Day) => returnFault(settled, trigger, { value_on, reason_code })
  expect(fault(day(last))).toBeNull()
  expect(fault(addDays(day(last), 1))).toContain(`until ${last}`)
})

test('a B2B debit is never refunded; a reason must match its kind of return', () => {
  const settled = { scheme: 'B2B', settled_on: THURSDAY } as const
  const requested = { value_on: THURSDAY, reason_code: 'MD01' }
  expect(returnFault(settled, 'refund', requested)).toContain('never')
  expect(returnFault(settled, 'reverse', requested)).toBeNull()
  expect(reasonFault('return', 'MD06')).not.toBeNull()
  expect(reasonFault('refund', 'AM04')).not.toBeNull()
  for (const code of ['MD01', 'MD06']) expect(reasonFault('refund', code)).toBeNull()
})
