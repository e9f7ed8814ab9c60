/**
 * Loans that are really lent, by requests, and repaid by the bank's news, dated back, many, taken
 * back: the interest that is told of each equals an exact walk over what the test itself did. The
 * 10,000 cases beside it go through the pure fold alone. `SEED` repeats, `LOANS` prolongs.
 */
import { expect } from 'vitest'
import { receiveBankNews } from '../../src/money/payments/index.ts'
import { transaction } from '../../src/platform/db/transaction.ts'
import { addDays, type Day, day, daysBetween } from '../../src/platform/kit/dates.ts'
import { calendar } from '../support/calendar.ts'
import type { TestHouse } from '../support/house.ts'
import { type Loan, referenceOf } from '../support/money.ts'
import { type Random, randomOf } from '../support/random.ts'
import { readyBorrower, requestLoan } from '../support/story.ts'

const SEED = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31))
const LOANS = Number(process.env.LOANS ?? 120)
const LOANS_EACH = 12
const PAID_OUT = day('2027-01-20')
/** Two month ends lie between: interest is billed meanwhile. */
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

/** Up to four transfers of a loan, valued on any day since its payout; some are taken back. */
function someRepayments(random: Random, amount: number): Repayment[] {
  return Array.from({ length: random(5) }, () => ({
    value_on: addDays(PAID_OUT, random(daysBetween(PAID_OUT, KNOWN_ON) + 1)),
    amount: BigInt(1 + random(random(2) ? amount : Math.ceil(amount / 3))),
    taken_back: random(5) === 0,
  }))
}

async function lendAll(house: TestHouse, random: Random): Promise<Lent[]> {
  const lent: Lent[] = []
  while (lent.length < LOANS) {
    const borrower = await readyBorrower(house, 'SCT')
    const amounts = Array.from({ length: LOANS_EACH }, () => 1 + random(400_000))
    const loans = await Promise.all(
      amounts.map(amount => requestLoan(house, borrower, { amount, days: 20 + random(25) })),
    )
    for (const loan of loans) {
      lent.push({
        loan,
        amount: BigInt(loan.amount),
        repayments: someRepayments(random, loan.amount),
      })
    }
  }
  await house.drain()
  return lent
}

/** The bank tells of them in any order, and of those that are taken back once more. */
async function repayAll(house: TestHouse, lent: readonly Lent[], random: Random): Promise<void> {
  const { lender } = house.context.database.settings
  const told = lent.flatMap(({ loan, repayments }) =>
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
  told.sort((a, b) => a.order - b.order)
  const all = { partners: '*' } as const
  const { database } = house.context
  await transaction(database, all, tx =>
    receiveBankNews(
      tx,
      told.map(one => one.news),
    ),
  )
  await house.drain()
  const back = told.filter(one => one.repayment.taken_back).map(one => one.news.bank_reference)
  await transaction(database, all, async tx => {
    const { rows } = await tx.raw(
      'select id, amount, bank_reference from payments where bank_reference = any($1)',
      [back],
    )
    expect(rows).toHaveLength(back.length)
    const taken = { kind: 'RETURNED' as const, value_on: tx.today, reason_code: 'AC04', raw: {} }
    await receiveBankNews(
      tx,
      rows.map(({ id, amount, bank_reference }) => ({
        ...taken,
        payment_id: id,
        amount: BigInt(amount),
        bank_reference: `${bank_reference} back`,
      })),
    )
  })
  await house.drain()
}

/** Night by night what is owed, summed in millionths and rounded once, half to the even cent. */
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

story(`${LOANS} loans lent and repaid at random owe the formula, seed ${SEED}`, async tale => {
  const { house, until } = tale
  const random = randomOf(SEED)
  const lent = await lendAll(house, random)
  await until(KNOWN_ON)
  await repayAll(house, lent, random)
  const told = new Map<string, number | null>()
  for await (const loan of house.client.each('listLoans', { page_size: 500 })) {
    expect(['TO_REPAY', 'TO_REPAY_FEES', 'CLOSED']).toContain(loan.status)
    told.set(loan.id, loan.fees_ongoing)
  }
  expect(told.size).toBe(lent.length)
  for (const one of lent) expect([one, told.get(one.loan.id)]).toEqual([one, interestOf(one)])
  // The books are proven with what is billed of it, and refunded.
  await until('2027-04-01')
})
