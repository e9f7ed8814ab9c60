/**
 * Random loans repaid by backdated transfers, some of which are reversed. The interest that the API
 * reports equals a day-by-day computation by the test. `books/interest.test.ts` covers the pure
 * function with more cases. `SEED` repeats a run, `LOANS` sets the number of loans.
 */
import { expect } from 'vitest'
import { receiveBankNews } from '../../src/money/payments/index.ts'
import { transaction } from '../../src/platform/db/transaction.ts'
import { addDays, type Day, day, daysBetween } from '../../src/platform/kit/dates.ts'
import type { TestApp } from '../support/app.ts'
import { calendar } from '../support/calendar.ts'
import { type Loan, onAccount, referenceOf } from '../support/money.ts'
import { type Random, randomOf } from '../support/random.ts'
import { readyBorrower, requestLoan } from '../support/story.ts'

const SEED = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31))
const LOANS = Number(process.env.LOANS ?? 120)
const LOANS_EACH = 12
const PAID_OUT = day('2027-01-20')
/** Two month-ends after the payouts, so that most interest is already billed. */
const KNOWN_ON = day('2027-03-02')

interface Repayment {
  readonly value_on: Day
  readonly amount: bigint
  readonly taken_back: boolean
}

interface Lent {
  readonly loan: Loan
  readonly amount: bigint
  readonly repayments: readonly Repayment[]
}

/** Up to four transfers for a loan, valued on any day since its payout. One in five is reversed. */
function someRepayments(random: Random, amount: number): Repayment[] {
  return Array.from({ length: random(5) }, () => ({
    value_on: addDays(PAID_OUT, random(daysBetween(PAID_OUT, KNOWN_ON) + 1)),
    amount: BigInt(1 + random(random(2) ? amount : Math.ceil(amount / 3))),
    taken_back: random(5) === 0,
  }))
}

async function lendAll(app: TestApp, random: Random): Promise<Lent[]> {
  const lent: Lent[] = []
  while (lent.length < LOANS) {
    const borrower = await readyBorrower(app, 'SCT')
    const amounts = Array.from({ length: LOANS_EACH }, () => 1 + random(400_000))
    const loans = await Promise.all(
      amounts.map(amount => requestLoan(app, borrower, { amount, days: 20 + random(25) })),
    )
    for (const loan of loans) {
      lent.push({
        loan,
        amount: BigInt(loan.amount),
        repayments: someRepayments(random, loan.amount),
      })
    }
  }
  await app.drain()
  return lent
}

/** Receives bank news of all transfers in random order, then of the reversals. */
async function repayAll(app: TestApp, lent: readonly Lent[], random: Random): Promise<void> {
  const { lender } = app.context.database.settings
  const result = lent.flatMap(({ loan, repayments }) =>
    repayments.map((repayment, n) => ({
      repayment,
      order: random(1_000_000),
      news: {
        bank_reference: `${loan.id} ${n}`,
        kind: 'TRANSFER_IN' as const,
        payment_id: null,
        reason_code: null,
        amount: repayment.amount,
        value_on: repayment.value_on,
        raw: {
          to_iban: lender.collection_iban.replace(/\s/g, ''),
          from_iban: loan.loan_to.account_number,
          from_name: 'Payer',
          reference: referenceOf(loan),
        },
      },
    })),
  )
  result.sort((a, b) => a.order - b.order)
  const all = { partners: '*', actor: 'service' } as const
  const { database } = app.context
  await transaction(database, all, async tx => {
    for (const { news } of result) await receiveBankNews(tx, [await onAccount(tx, news)])
  })
  await app.drain()
  const back = result.filter(one => one.repayment.taken_back).map(one => one.news.bank_reference)
  await transaction(database, all, async tx => {
    const { rows } = await tx.raw(
      'select id, amount, bank_reference from payments where bank_reference = any($1)',
      [back],
    )
    expect(rows).toHaveLength(back.length)
    const taken = { kind: 'RETURNED' as const, value_on: tx.today, reason_code: 'AC04', raw: {} }
    for (const { id, amount, bank_reference } of rows) {
      const of = {
        payment_id: id,
        amount: BigInt(amount),
        bank_reference: `${bank_reference} back`,
      }
      await receiveBankNews(tx, [await onAccount(tx, { ...taken, ...of })])
    }
  })
  await app.drain()
}

/** The interest by the formula: sums the principal owed each night, rounds once, half to even. */
function interestOf({ amount, repayments }: Lent): number {
  let owed = amount
  let millionths = 0n
  for (let night = PAID_OUT; night < KNOWN_ON; night = addDays(night, 1)) {
    for (const { value_on, amount: paid, taken_back } of repayments) {
      if (value_on === night && !taken_back) owed = paid < owed ? owed - paid : 0n
    }
    millionths += owed * 500n
  }
  const [whole, rest] = [millionths / 1_000_000n, (millionths % 1_000_000n) * 2n]
  const up = rest > 1_000_000n || (rest === 1_000_000n && whole % 2n === 1n)
  return Number(up ? whole + 1n : whole)
}

const story = calendar(PAID_OUT)

story(`${LOANS} random loans owe exactly the formula, seed ${SEED}`, async tale => {
  const { app, until } = tale
  const random = randomOf(SEED)
  const lent = await lendAll(app, random)
  await until(KNOWN_ON)
  await repayAll(app, lent, random)
  const result = new Map<string, number | null>()
  for await (const loan of app.client.each('listLoans', { page_size: 500 })) {
    expect(['TO_REPAY', 'TO_REPAY_FEES', 'CLOSED']).toContain(loan.status)
    result.set(loan.id, loan.fees_ongoing)
  }
  expect(result.size).toBe(lent.length)
  for (const one of lent) expect([one, result.get(one.loan.id)]).toEqual([one, interestOf(one)])
  // The books are verified again once the interest is billed and surpluses are refunded.
  await until('2027-04-01')
})
