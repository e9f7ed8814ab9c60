/** Traces a bill's credit to the accounts that paid the credited interest. */
import { expect, test } from 'vitest'
import {
  byAccount,
  type CreditMovement,
  creditSources,
} from '../../src/credit/bills/credits/credit-sources.ts'
import type { PaymentAccount } from '../../src/platform/kit/payment-account.ts'

const accountOf = (number: string | null) =>
  number === null ? null : ({ account_number: number } as PaymentAccount)
const paid = (loan_id: string, number: string | null, cents: bigint): CreditMovement => ({
  loan_id,
  kind: 'BILL_PAYMENT',
  cents,
  credit_bill_id: null,
  revocable_until: null,
  payment_id: `by ${number}`,
  account: accountOf(number),
})
const credited = (loan_id: string, note: string, cents: bigint): CreditMovement => ({
  loan_id,
  kind: 'CREDIT',
  cents,
  credit_bill_id: note,
  revocable_until: null,
  payment_id: null,
  account: null,
})
const setOff = (loan_id: string, note: string, cents: bigint): CreditMovement => ({
  ...credited(loan_id, note, cents),
  kind: 'BILL_PAYMENT',
})
const refund = (note: string, number: string, cents: bigint): CreditMovement => ({
  loan_id: null,
  kind: 'REFUND',
  cents,
  credit_bill_id: note,
  revocable_until: null,
  payment_id: `to ${number}`,
  account: accountOf(number),
})

function sourcesOf(note: string, ...movements: CreditMovement[]) {
  const parts = byAccount(creditSources(movements).left.get(note) ?? [])
  return Object.fromEntries([...parts].map(([number, { cents }]) => [number, cents]))
}

test('credits of each loan go to its payers, the most recent payer first', () => {
  const one = [paid('L1', 'A', 1_000n), paid('L2', 'B', 1_000n)]
  expect(sourcesOf('N', ...one, credited('L1', 'N', 400n), credited('L2', 'N', 400n))).toEqual({
    A: 400n,
    B: 400n,
  })
  const two = [paid('L1', 'A', 7_799n), paid('L1', 'B', 1n), credited('L1', 'N', 4_140n)]
  expect(sourcesOf('N', ...two)).toEqual({ B: 1n, A: 4_139n })
})

test('credits already given or offset count once, and later payments do not count', () => {
  const first = [paid('L1', 'A', 500n), paid('L1', 'B', 500n), credited('L1', 'N1', 500n)]
  const second = [setOff('L2', 'N1', 500n), credited('L1', 'N2', 500n), paid('L1', 'C', 2_000n)]
  expect(sourcesOf('N1', ...first, ...second)).toEqual({})
  expect(sourcesOf('N2', ...first, ...second)).toEqual({ A: 500n })
})

test("a bill paid by a credit counts as paid by the credit's owners", () => {
  const movements = [
    paid('L1', 'A', 10_000n),
    credited('L1', 'N1', 1n),
    paid('L2', 'B', 999n),
    setOff('L2', 'N1', 1n),
    credited('L2', 'N2', 1_000n),
  ]
  expect(sourcesOf('N2', ...movements)).toEqual({ A: 1n, B: 999n })
})

test('credits from unknown payers are kept apart', () => {
  const movements = [paid('L1', 'A', 600n), paid('L1', null, 400n), credited('L1', 'N', 1_100n)]
  expect(sourcesOf('N', ...movements)).toEqual({ A: 600n, null: 500n })
})

test('a refund counts against payments from its account, or against any if sent elsewhere', () => {
  const movements = [
    paid('L1', 'A', 500n),
    paid('L1', 'B', 500n),
    credited('L1', 'N', 1_000n),
    refund('N', 'A', 300n),
    refund('N', 'C', 600n),
  ]
  const { refunded } = creditSources(movements)
  const payersOf = (id: string) => refunded.get(id)!.map(p => [p.payment_id, p.cents])
  expect(payersOf('to A')).toEqual([['by A', 300n]])
  expect(payersOf('to C')).toEqual([
    ['by A', 200n],
    ['by B', 400n],
  ])
  expect(sourcesOf('N', ...movements)).toEqual({ B: 100n })
})

test('refunded money pays no later bill', () => {
  const movements = [
    paid('L1', 'A', 500n),
    paid('L1', 'B', 500n),
    credited('L1', 'N1', 1_000n),
    refund('N1', 'B', 500n),
    setOff('L2', 'N1', 500n),
    credited('L2', 'N2', 500n),
  ]
  expect(sourcesOf('N2', ...movements)).toEqual({ A: 500n })
})
