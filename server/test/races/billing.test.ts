/** Repayments that arrive while the month's bills are generated. */
import { beforeAll, expect, test } from 'vitest'
import type { Loan } from '../support/money.ts'
import { plusDays, readyBorrower, requestLoan } from '../support/story.ts'
import { atOnce, expectVerifiedBooks, startTwoServers, type TwoServers } from './two-servers.ts'

const BORROWERS = 6
const LOANS = 3
const PAID_OUT = '2027-01-15'

let servers: TwoServers
const loans: Loan[] = []
beforeAll(async () => {
  servers = await startTwoServers()
  const { app } = servers
  await app.client.advanceSandboxClock({ to: PAID_OUT })
  for (let count = 0; count < BORROWERS; count++) {
    const borrower = await readyBorrower(app, 'SCT')
    for (let number = 0; number < LOANS; number++) {
      const { id } = await requestLoan(app, borrower, { amount: 123_456 + number, days: 30 })
      loans.push(await app.client.getLoan({ loan_id: id }))
    }
  }
  await app.drain()
  await app.client.advanceSandboxClock({ to: '2027-01-31' })
})

function pay(turn: number, loan: Loan, amount: number, value_date: string) {
  return servers.client(turn).createSandboxIncomingTransfer({
    to_iban: loan.repayment_to.account_number,
    amount,
    reference: loan.repayment_to_references[0]!,
    from_iban: loan.loan_to.account_number,
    value_date,
  })
}

/** Cents billed per loan, without invalid bills. */
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

test('every loan is billed its interest once, whichever comes first', async () => {
  const { app } = servers
  // Full and partial payments, valued on the last five days of January.
  const [, { refusals }] = await Promise.all([
    servers.client(0).advanceSandboxClock({ to: '2027-02-02' }),
    atOnce(loans.length * 2, turn => {
      const loan = loans[turn % loans.length]!
      const amount = turn % 3 === 0 ? loan.amount : Math.floor(loan.amount / 3)
      return pay(turn, loan, amount, plusDays('2027-01-31', -(turn % 5)))
    }),
  ])
  expect(refusals).toEqual([])
  await app.drain()
  await expectVerifiedBooks(app)

  // Repay the remaining principal, then pay the bills of every month.
  for (const { id } of loans) {
    const loan = await app.client.getLoan({ loan_id: id })
    const owed = loan.amount - loan.repaid_nominal_amount
    if (owed > 0) await pay(0, loan, owed, '2027-02-02')
  }
  await app.client.advanceSandboxClock({ to: '2027-03-04' })
  for await (const bill of app.client.each('listBills', { status: ['TO_PAY'] })) {
    await servers.client(0).createSandboxIncomingTransfer({
      to_iban: loans[0]!.repayment_to.account_number,
      amount: bill.to_pay_amount,
      reference: bill.payment!.to_references[0]!,
    })
  }
  await app.drain()
  await expectVerifiedBooks(app)
  const billed = await interestBilled()
  for (const { id } of loans) {
    const loan = await app.client.getLoan({ loan_id: id })
    expect(loan.status).toBe('CLOSED')
    expect(billed.get(id)).toBe(loan.paid_interests_amount)
  }
})
