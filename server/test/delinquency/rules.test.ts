/** The consequences of a missed due date, case by case. */
import { describe, expect, test } from 'vitest'
import {
  bucketOf,
  bucketsOf,
  reminderDue,
  suspendedFor,
  suspensionOf,
} from '../../src/credit/delinquency/rules.ts'
import {
  type Debits,
  daysLate,
  debitSince,
  isInArrears,
  lateFrom,
  waitsForDebit,
} from '../../src/credit/loans/dates.ts'
import { day } from '../../src/platform/kit/dates.ts'

describe('first day past due', () => {
  const cases: [string, string, string, string][] = [
    ['a due day on a Sunday rolls to Monday', 'SCT', '2027-01-17', '2027-01-18'],
    ['Good Friday rolls over Easter', 'SCT', '2027-03-26', '2027-03-30'],
    ['a debit shorter than its notice', 'DIRECT_DEBIT', '2027-01-08', '2027-01-11'],
    ['a debit in time', 'DIRECT_DEBIT', '2027-01-20', '2027-01-20'],
  ]
  test.each(cases)('%s', (_, repayment_method, due, late) => {
    const loan = { due_on: day(due), repayment_method, paid_out_on: day('2027-01-07') }
    expect(lateFrom(loan)).toBe(late)
  })

  test('calendar days count, including closed ones', () => {
    expect(daysLate(day('2027-01-15'), day('2027-01-15'))).toBe(0)
    expect(daysLate(day('2027-01-15'), day('2027-01-18'))).toBe(3)
    expect(daysLate(day('2027-01-15'), day('2027-01-10'))).toBe(0)
  })
})

test('a bill is in arrears once the longest grace period of its products is over', () => {
  const bill = { due_on: day('2027-02-03'), grace_days: [7, 9] }
  expect(isInArrears(bill, day('2027-02-11'))).toBe(false)
  expect(isInArrears(bill, day('2027-02-12'))).toBe(true)
  expect(isInArrears({ ...bill, grace_days: [0] }, bill.due_on)).toBe(true)
})

describe('since when a debit is expected', () => {
  const DUE = day('2027-01-20')
  type Debit = Debits['debits'][number]
  const debit = (planned: string, other: Partial<Debit> = {}): Debit => ({
    status: 'SCHEDULED',
    scheduled_on: DUE,
    planned_at: `2027-01-${planned}T10:00:00Z`,
    changed_at: `2027-01-${planned}T10:00:00Z`,
    came_back: false,
    ...other,
  })
  const canceled = (planned: string, until: string) =>
    debit(planned, { status: 'CANCELED', changed_at: `2027-01-${until}T10:00:00Z` })
  const failed = (planned: string, scheduled_on: string) =>
    debit(planned, { status: 'FAILED', scheduled_on: day(scheduled_on) })
  const paid = { status: 'PAID', scheduled_on: DUE } as const

  test.each<[string, Debit[], string | null]>([
    ['one', [debit('08')], '2027-01-08'],
    [
      'late in the evening, already the next day in Paris',
      [debit('08', { planned_at: '2027-01-08T23:30:00Z' })],
      '2027-01-09',
    ],
    ['one in transit', [debit('08', { status: 'IN_TRANSIT' })], '2027-01-08'],
    ['none', [], null],
    ['none after a cancellation', [canceled('08', '12')], null],
    ['in place of a recalled one', [canceled('08', '12'), debit('12')], '2027-01-08'],
    [
      'after two recalled ones',
      [canceled('08', '10'), canceled('10', '12'), debit('12')],
      '2027-01-08',
    ],
    ['after a gap', [canceled('08', '11'), debit('12')], '2027-01-12'],
    ['in addition to an older one', [debit('08'), debit('12')], '2027-01-08'],
    ['after one that failed', [failed('08', '2027-01-20'), debit('22')], null],
    [
      'after one for an earlier day failed',
      [failed('05', '2027-01-19'), debit('12')],
      '2027-01-12',
    ],
    ['after one was returned', [debit('08', { ...paid, came_back: true }), debit('22')], null],
    ['after one was paid', [debit('08', paid), debit('22')], '2027-01-22'],
  ])('%s', (_, debits, since) => {
    expect(debitSince({ fell_due_on: DUE, debits })).toBe(since)
  })

  test('a loan waits for a debit planned by the day it would become overdue', () => {
    const loan = { due_on: DUE, repayment_method: 'DIRECT_DEBIT', paid_out_on: day('2027-01-07') }
    const waits = (debits: Debit[]) =>
      waitsForDebit({ ...loan, debits: { fell_due_on: DUE, debits } })
    expect(waits([debit('20')])).toBe(true)
    expect(waits([debit('21')])).toBe(false)
    expect(waits([canceled('19', '21'), debit('21')])).toBe(true)
    expect(waitsForDebit({ ...loan, debits: null })).toBe(false)
  })
})

describe('reminders', () => {
  const product = { reminder_days: [1, 5, 10] }
  test('each is sent once', () => {
    const sent: number[] = []
    for (let late = 0; late <= 20; late++) {
      const reminder = reminderDue(late, product, sent.at(-1) ?? 0)
      if (reminder !== null) sent.push(reminder)
    }
    expect(sent).toEqual([1, 5, 10])
  })
  test('skipped ones are not sent later', () => {
    expect(reminderDue(7, product, 0)).toBe(5)
    expect(reminderDue(8, product, 5)).toBeNull()
    expect(reminderDue(30, product, 1)).toBe(10)
  })
})

test('the grace period has no consequences; an overdue loan takes priority over a bill', () => {
  const late = (days_dunned: number) => [{ days_dunned, late_grace_days: 4 }]
  expect(suspensionOf({ late: late(4), held: false, bill_unpaid: false })).toBeNull()
  expect(suspensionOf({ late: late(4), held: false, bill_unpaid: true })).toBe(
    'RECENT_DEBT_ARREARS_KO',
  )
  expect(suspensionOf({ late: late(5), held: false, bill_unpaid: true })).toBe(
    'LATE_REPAYMENT_BORROWER',
  )
  expect(suspensionOf({ late: [], held: true, bill_unpaid: true })).toBe('LATE_REPAYMENT_BORROWER')
})

test('blocks for other reasons are left alone', () => {
  const blocked = { status: 'BLOCKED' as const, status_reason: 'LATE_REPAYMENT_BORROWER' }
  expect(suspendedFor(blocked)).toBe('LATE_REPAYMENT_BORROWER')
  expect(suspendedFor({ ...blocked, status_reason: 'BORROWER_CHURNED' })).toBeNull()
  expect(suspendedFor({ ...blocked, status: 'READY' })).toBeNull()
})

test('buckets follow the product', () => {
  const named = (first_days: number[]) => (days: number) => bucketOf(days, first_days).bucket
  expect([0, 1, 30, 31, 60, 61, 90, 91, 400].map(named([1, 31, 61, 91]))).toEqual([
    'current',
    '1-30',
    '1-30',
    '31-60',
    '31-60',
    '61-90',
    '61-90',
    '90+',
    '90+',
  ])
  expect([0, 1, 7, 8, 400].map(named([1, 8]))).toEqual(['current', '1-7', '1-7', '7+', '7+'])
  expect(bucketsOf([1])).toEqual([
    { bucket: 'current', from_days: 0 },
    { bucket: '0+', from_days: 1 },
  ])
})
