/** A KYB decision made while loans are being requested leaves no loan waiting. */
import { beforeAll, expect, test } from 'vitest'
import { plusDays, today } from '../support/story.ts'
import { atOnce, expectVerifiedBooks, startTwoServers, type TwoServers } from './two-servers.ts'

const ROUNDS = 6
const REQUESTS = 10

let servers: TwoServers
let day: string
beforeAll(async () => {
  servers = await startTwoServers()
  day = await today(servers.app)
})

async function borrowerUnderReview() {
  const { client } = servers.app
  const generated = await client.generateSandboxBusiness({ is_borrower: true })
  const { id } = await client.createBorrower(generated)
  await client.setSandboxKyb({ borrower_id: id!, status: 'REVIEWING' })
  await client.signBorrower({ borrower_id: id!, signed_at: new Date().toISOString() })
  return { id: id!, identifier: generated.identifier, account: generated.account_number! }
}

/** Requests loans and decides the KYB review concurrently; returns the loans once decided. */
async function race(status: 'APPROVED' | 'REJECTED') {
  const borrower = await borrowerUnderReview()
  const { refusals } = await atOnce(REQUESTS + 1, async turn => {
    if (turn === REQUESTS / 2) {
      await servers.client(turn).setSandboxKyb({ borrower_id: borrower.id, status })
      return
    }
    await servers.client(turn).createLoan({
      loan_type: 'WALLET_FINANCING',
      amount: 1_000 + turn,
      borrower: { identifier: borrower.identifier },
      loan_to: { account_number: borrower.account },
      to_pay_at: day,
      to_repay_at: plusDays(day, 30),
      auto_validate: true,
      salt_id: crypto.randomUUID(),
    })
  })
  expect(refusals).toEqual([])
  await servers.app.drain()
  const { data } = await servers.client(0).listLoans({ borrower: [borrower.id], page_size: 500 })
  expect(data).toHaveLength(REQUESTS)
  return data
}

test('an approval continues every loan', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const loans = await race('APPROVED')
    expect(new Set(loans.map(loan => loan.status))).toEqual(new Set(['TO_REPAY']))
  }
  await expectVerifiedBooks(servers.app)
})

test('a rejection declines every loan', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const loans = await race('REJECTED')
    expect(new Set(loans.map(loan => loan.status))).toEqual(new Set(['DECLINED']))
  }
  await expectVerifiedBooks(servers.app)
})
