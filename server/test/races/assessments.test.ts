/** Assessments that change a limit while loans are requested: the loans never exceed the limits. */
import { beforeAll, expect, test } from 'vitest'
import { plusDays, readyBorrower, today } from '../support/story.ts'
import { atOnce, expectVerifiedBooks, startTwoServers, type TwoServers } from './two-servers.ts'

let servers: TwoServers
beforeAll(async () => {
  servers = await startTwoServers()
})

test('120 concurrent requests respect a limit that changes meanwhile', async () => {
  const { app } = servers
  const borrower = await readyBorrower(app)
  const day = await today(app)
  const about = { identifier: borrower.identifier, identifier_type: 'siren' as const }
  const amount = 100_000
  const share = (turn: number) =>
    servers.client(turn).shareActivity({
      ...about,
      kind: 'SALES' as const,
      periods: [{ from: plusDays(day, -89), to: day, amount: (turn % 2) * 18_000_000, count: 1 }],
    })
  const request = (turn: number) =>
    servers.client(turn).createLoan({
      loan_type: 'WALLET_FINANCING' as const,
      amount,
      borrower: { identifier: borrower.identifier },
      loan_to: { account_number: borrower.account_number },
      to_pay_at: day,
      to_repay_at: plusDays(day, 30),
      auto_validate: true,
      wait_for_validation: true,
      salt_id: crypto.randomUUID(),
    })
  const { answers, refusals } = await atOnce(160, async turn => {
    if (turn % 4 === 0) return share(turn / 4)
    return request(turn)
  })
  expect(refusals).toEqual([])
  await app.drain()
  const loans = answers.filter(answer => answer !== null)
  const granted = loans.filter(loan => loan.status !== 'DECLINED').length * amount
  // The limit alternates between €25,000 and €90,000.
  expect(granted).toBeGreaterThanOrEqual(2_500_000)
  expect(granted).toBeLessThanOrEqual(9_000_000)
  const { data } = await app.client.listCreditLines({ borrower: [borrower.id] })
  const line = data[0]!
  expect(line.balance_available).toBe(Math.max(0, line.pool_amount! - granted))

  const result = await app.client.explainCreditLine({ credit_line_id: line.id })
  expect(result.pool_amount).toBe(line.pool_amount)
  expect(result.previous.length).toBeGreaterThanOrEqual(40)
  await expectVerifiedBooks(app)
})
