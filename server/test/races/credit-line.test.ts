/** Concurrent requests never exceed a credit line or a partner's ceiling by a cent. */
import { beforeAll, expect, test } from 'vitest'
import { plusDays, type ReadyBorrower, readyBorrower, today } from '../support/story.ts'
import { atOnce, expectVerifiedBooks, startTwoServers, type TwoServers } from './two-servers.ts'

let servers: TwoServers
beforeAll(async () => {
  servers = await startTwoServers()
})

function request(borrower: ReadyBorrower, day: string, amount: number, turn: number) {
  return servers.client(turn).createLoan({
    loan_type: 'WALLET_FINANCING',
    amount,
    borrower: { identifier: borrower.identifier },
    loan_to: { account_number: borrower.account_number },
    to_pay_at: day,
    to_repay_at: plusDays(day, 30),
    auto_validate: true,
    wait_for_validation: true,
    salt_id: crypto.randomUUID(),
  })
}

async function lineOf(borrower: ReadyBorrower) {
  const { data } = await servers.client(0).listCreditLines({ borrower: [borrower.id] })
  const { pool_amount, balance_available } = data[0]!
  return { pool_amount: pool_amount!, balance_available: balance_available! }
}

test('200 concurrent requests lend the whole line and never a cent more', async () => {
  const { app } = servers
  const borrower = await readyBorrower(app)
  const { pool_amount } = await lineOf(borrower)
  const day = await today(app)
  // The line has room for 40.5 loans of this amount.
  const amount = Math.floor(pool_amount / 40.5)
  const { answers, refusals } = await atOnce(200, turn => request(borrower, day, amount, turn))
  expect(refusals).toEqual([])
  const approved = answers.filter(loan => loan.status !== 'DECLINED')
  expect(approved).toHaveLength(40)
  const reasons = new Set(answers.flatMap(l => (l.status === 'DECLINED' ? [l.denial_reason] : [])))
  expect([...reasons]).toEqual(['AMOUNT_SUPERIOR_TO_AVAILABLE_BALANCE'])
  expect((await lineOf(borrower)).balance_available).toBe(pool_amount - 40 * amount)

  await app.drain()
  const paid = await app.client.listLoans({ status: ['TO_REPAY'], page_size: 500 })
  expect(paid.data).toHaveLength(40)
  await expectVerifiedBooks(app)
})

test('concurrent requests of all sizes never lend more than the line', async () => {
  const { app } = servers
  const borrower = await readyBorrower(app)
  const { pool_amount } = await lineOf(borrower)
  const day = await today(app)
  const { answers, refusals } = await atOnce(100, turn =>
    request(borrower, day, Math.floor((pool_amount / 40) * (1 + (turn % 7))) + turn, turn),
  )
  expect(refusals).toEqual([])
  const sum = answers.reduce((sum, l) => sum + (l.status === 'DECLINED' ? 0 : l.amount), 0)
  expect(sum).toBeLessThanOrEqual(pool_amount)
  const left = pool_amount - sum
  expect((await lineOf(borrower)).balance_available).toBe(left)
  // Even the smallest declined request exceeds the available credit.
  const refused = answers.filter(loan => loan.status === 'DECLINED').map(loan => loan.amount)
  expect(Math.min(...refused)).toBeGreaterThan(left)
  await app.drain()
  await expectVerifiedBooks(app)
})

test("one partner's lines together never exceed the partner's ceiling", async () => {
  const { app } = servers
  const borrowers = await Promise.all([1, 2, 3, 4].map(() => readyBorrower(app)))
  const { pool } = app.context.database
  // The ceiling has room for ten loans, although the borrowers' lines have room for more.
  await pool.query('update partners set exposure_max = exposure + 10 * 1000 where id = $1', [
    app.partner_id,
  ])
  const day = await today(app)
  const { answers } = await atOnce(60, turn => request(borrowers[turn % 4]!, day, 1000, turn))
  const approved = answers.filter(loan => loan.status !== 'DECLINED')
  expect(answers).toHaveLength(60)
  expect(approved).toHaveLength(10)
  const reasons = new Set(answers.flatMap(l => (l.status === 'DECLINED' ? [l.denial_reason] : [])))
  expect([...reasons]).toEqual(['EXCEEDED_PARTNER_CREDIT_LINE'])
  await expectVerifiedBooks(app)
})
