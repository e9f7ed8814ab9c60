/** A loan canceled while its payout is being sent is either canceled or paid out, never both. */
import { HeadroomProblem } from '@headroom/sdk'
import { beforeAll, expect, test } from 'vitest'
import { plusDays, type ReadyBorrower, readyBorrower, today } from '../support/story.ts'
import { atOnce, expectVerifiedBooks, startTwoServers, type TwoServers } from './two-servers.ts'

let servers: TwoServers
let borrower: ReadyBorrower
beforeAll(async () => {
  servers = await startTwoServers()
  borrower = await readyBorrower(servers.app)
})

const AMOUNT = 10_000

async function lend(in_days: number): Promise<string> {
  const day = await today(servers.app)
  const { id } = await servers.client(0).createLoan({
    loan_type: 'WALLET_FINANCING',
    amount: AMOUNT,
    borrower: { identifier: borrower.identifier },
    loan_to: { account_number: borrower.account_number },
    to_pay_at: plusDays(day, in_days),
    to_repay_at: plusDays(day, in_days + 20),
    auto_validate: true,
    wait_for_validation: true,
    salt_id: crypto.randomUUID(),
  })
  return id
}

/** Checks that loan, payments and bank agree on whether each loan was canceled or paid out. */
async function expectOneEnd(loan_ids: string[], canceled: string[]): Promise<void> {
  const { app } = servers
  await app.drain()
  const instructions = (await app.client.listSandboxBankInstructions({ page_size: 500 })).data
  for (const loan_id of loan_ids) {
    const loan = await app.client.getLoan({ loan_id })
    const payments = (await app.client.listPayments({ loan_id: [loan_id] })).data
    const payouts = payments.filter(payment => payment.payment_type === 'LOAN_PAYMENT')
    const sent = instructions.filter(i => i.direction === 'OUT' && i.loan_ids.includes(loan_id))
    if (canceled.includes(loan_id)) {
      expect(loan.status).toBe('CANCELED')
      expect(payouts.filter(payment => payment.status !== 'CANCELED')).toEqual([])
      expect(sent).toEqual([])
    } else {
      expect(loan.status).toBe('TO_REPAY')
      expect(payouts.map(payment => payment.status)).toEqual(['PAID'])
      expect(sent.map(instruction => instruction.status)).toEqual(['SETTLED'])
    }
  }
  const { data } = await app.client.listCreditLines({ borrower: [borrower.id] })
  const [line] = data
  const lent = line!.pool_amount! - line!.balance_available!
  const open = await app.client.listLoans({ status: ['TO_REPAY'], page_size: 500 })
  expect(lent).toBe(open.data.length * AMOUNT)
  await expectVerifiedBooks(app)
}

function expectRefused(refusals: unknown[]): void {
  for (const refusal of refusals) {
    expect(refusal).toBeInstanceOf(HeadroomProblem)
    expect((refusal as HeadroomProblem).code).toBe('state_conflict')
  }
}

test('canceling while the payout day starts', async () => {
  const ids = await Promise.all(Array.from({ length: 30 }, () => lend(1)))
  await servers.app.drain()
  const canceled: string[] = []
  const [, { refusals }] = await Promise.all([
    servers.client(0).advanceSandboxClock({ days: 1 }),
    atOnce(ids.length, async turn => {
      await servers.client(turn).cancelLoan({ loan_id: ids[turn]! })
      canceled.push(ids[turn]!)
    }),
  ])
  expectRefused(refusals)
  expect(canceled.length + refusals.length).toBe(ids.length)
  await expectOneEnd(ids, canceled)
})

test('canceling right after the request, during contract and payout', async () => {
  const canceled: string[] = []
  const ids: string[] = []
  const { refusals } = await atOnce(30, async turn => {
    const loan_id = await lend(0)
    ids.push(loan_id)
    await servers.client(turn).cancelLoan({ loan_id })
    canceled.push(loan_id)
  })
  expect(ids).toHaveLength(30)
  expectRefused(refusals)
  await expectOneEnd(ids, canceled)
})

test('one loan canceled many times concurrently is canceled once', async () => {
  const loan_id = await lend(5)
  const { answers, refusals } = await atOnce(20, turn =>
    servers.client(turn).cancelLoan({ loan_id }),
  )
  expect(answers).toHaveLength(1)
  expectRefused(refusals)
  await expectOneEnd([loan_id], [loan_id])
})
