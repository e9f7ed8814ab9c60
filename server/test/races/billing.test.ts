/** Repayments that arrive while the month's bills are generated. */
import { beforeAll, expect, test } from 'vitest'
import type { Loan } from '../support/money.ts'
import { plusDays, readyBorrower, requestLoan } from '../support/story.ts'
import { atOnce, expectRightBooks, type Twins, twins } from './twins.ts'

const BORROWERS = 6
const LOANS = 3
const PAID_OUT = '2027-01-15'

let servers: Twins
const loans: Loan[] = []
beforeAll(async () => {
  servers = await twins()
  const { house } = servers
  await house.client.advanceSandboxClock({ to: PAID_OUT })
  for (let count = 0; count < BORROWERS; count++) {
    const borrower = await readyBorrower(house, 'SCT')
    for (let number = 0; number < LOANS; number++) {
      const { id } = await requestLoan(house, borrower, { amount: 123_456 + number, days: 30 })
      loans.push(await house.client.getLoan({ loan_id: id }))
    }
  }
  await house.drain()
  await house.client.advanceSandboxClock({ to: '2027-01-31' })
}, 120_000)

function pay(turn: number, loan: Loan, amount: number, value_date: string) {
  return servers.client(turn).createSandboxIncomingTransfer({
    to_iban: loan.repayment_to.account_number,
    amount,
    reference: loan.repayment_to_references[0]!,
    from_iban: loan.loan_to.account_number,
    value_date,
  })
}

/** The sum of each loan's valid bill lines. */
async function interestBilled(): Promise<Map<string, number>> {
  const sums = new Map<string, number>()
  for await (const bill of servers.client(0).each('listBills', {})) {
    if (bill.status === 'INVALID') continue
    for (const { loan_id, amount } of bill.lines) {
      sums.set(loan_id, (sums.get(loan_id) ?? 0) + amount)
    }
  }
  return sums
}

test('every loan is billed its interest once, whichever came first', async () => {
  const { house } = servers
  // Full and partial payments, some backdated before the month's end.
  const [, { refusals }] = await Promise.all([
    servers.client(0).advanceSandboxClock({ to: '2027-02-02' }),
    atOnce(loans.length * 2, turn => {
      const loan = loans[turn % loans.length]!
      const amount = turn % 3 === 0 ? loan.amount : Math.floor(loan.amount / 3)
      return pay(turn, loan, amount, plusDays('2027-01-31', -(turn % 5)))
    }),
  ])
  expect(refusals).toEqual([])
  await house.drain()
  await expectRightBooks(house)

  // Repay the remaining principal, then pay the bills of every month.
  for (const { id } of loans) {
    const loan = await house.client.getLoan({ loan_id: id })
    const owed = loan.amount - loan.repaid_nominal_amount
    if (owed > 0) await pay(0, loan, owed, '2027-02-02')
  }
  await house.client.advanceSandboxClock({ to: '2027-03-04' })
  for await (const bill of house.client.each('listBills', { status: ['TO_PAY'] })) {
    await servers.client(0).createSandboxIncomingTransfer({
      to_iban: loans[0]!.repayment_to.account_number,
      amount: bill.to_pay_amount,
      reference: bill.payment!.to_references[0]!,
    })
  }
  await house.drain()
  await expectRightBooks(house)
  const billed = await interestBilled()
  for (const { id } of loans) {
    const loan = await house.client.getLoan({ loan_id: id })
    expect(loan.status).toBe('CLOSED')
    expect(billed.get(id)).toBe(loan.paid_interests_amount)
  }
}, 120_000)
