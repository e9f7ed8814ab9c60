/** A request sent many times concurrently takes effect once. */
import { HeadroomProblem } from '@headroom/sdk'
import { beforeAll, expect, test } from 'vitest'
import { plusDays, type ReadyBorrower, readyBorrower, today } from '../support/story.ts'
import { atOnce, expectVerifiedBooks, startTwoServers, type TwoServers } from './two-servers.ts'

const TIMES = 50

let servers: TwoServers
let borrower: ReadyBorrower
let day: string
beforeAll(async () => {
  servers = await startTwoServers()
  borrower = await readyBorrower(servers.app)
  day = await today(servers.app)
})

function body(salt_id: string, amount = 10_000) {
  return {
    loan_type: 'WALLET_FINANCING' as const,
    amount,
    borrower: { identifier: borrower.identifier },
    loan_to: { account_number: borrower.account_number },
    to_pay_at: day,
    to_repay_at: plusDays(day, 30),
    auto_validate: true,
    wait_for_validation: true,
    salt_id,
  }
}

async function loansOf(salt_id: string): Promise<string[]> {
  const found: string[] = []
  for await (const loan of servers.client(0).each('listLoans', { page_size: 500 })) {
    if (loan.salt_id === salt_id) found.push(loan.id)
  }
  return found
}

function codes(refusals: unknown[]): string[] {
  for (const refusal of refusals) expect(refusal).toBeInstanceOf(HeadroomProblem)
  return [...new Set((refusals as HeadroomProblem[]).map(refusal => refusal.code))].sort()
}

test(`one salt_id ${TIMES} times concurrently is one loan, returned to every caller`, async () => {
  const salt_id = crypto.randomUUID()
  const { answers, refusals } = await atOnce(TIMES, turn =>
    servers.client(turn).call('createLoan', body(salt_id)),
  )
  expect(refusals).toEqual([])
  expect(new Set(answers.map(answer => answer.status))).toEqual(new Set([201]))
  const [id, ...others] = new Set(answers.map(answer => answer.data.id))
  expect(others).toEqual([])
  const replayed = answers.filter(a => a.headers.get('idempotent-replayed') === 'true')
  expect(replayed).toHaveLength(TIMES - 1)
  expect(await loansOf(salt_id)).toEqual([id])
  await servers.app.drain()
  await expectVerifiedBooks(servers.app)
})

test('one salt_id with two contents concurrently creates one of the two loans', async () => {
  const salt_id = crypto.randomUUID()
  const { answers, refusals } = await atOnce(TIMES, turn =>
    servers.client(turn).createLoan(body(salt_id, turn % 4 < 2 ? 10_000 : 20_000)),
  )
  expect(answers.length + refusals.length).toBe(TIMES)
  expect(codes(refusals)).toEqual(['duplicate_request'])
  const [id, ...others] = new Set(answers.map(loan => loan.id))
  expect(others).toEqual([])
  expect(new Set(answers.map(loan => loan.amount)).size).toBe(1)
  expect(new Set(refusals.map(refusal => refusal.resource_id))).toEqual(new Set([id]))
  expect(await loansOf(salt_id)).toEqual([id])
})

test(`one Idempotency-Key ${TIMES} times concurrently is one request`, async () => {
  const [salt_id, idempotency_key] = [crypto.randomUUID(), crypto.randomUUID()]
  const call = (turn: number) =>
    servers.client(turn).call('createLoan', body(salt_id), { idempotency_key })
  const { answers, refusals } = await atOnce(TIMES, call)
  expect(answers.length).toBeGreaterThan(0)
  if (refusals.length > 0) expect(codes(refusals)).toEqual(['request_running'])
  expect(new Set(answers.map(answer => answer.data.id)).size).toBe(1)
  const first = answers.filter(answer => answer.headers.get('idempotent-replayed') === null)
  expect(first).toHaveLength(1)
  // A later retry gets the stored answer.
  const again = await call(1)
  expect(again).toMatchObject({ status: 201, data: { id: answers[0]!.data.id } })
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  expect(await loansOf(salt_id)).toHaveLength(1)
})

test(`one Idempotency-Key ${TIMES} times concurrently on a write is one write`, async () => {
  const idempotency_key = crypto.randomUUID()
  const input = { name: 'Once', actor: 'human' as const }
  const call = (turn: number) => servers.client(turn).createKey(input, { idempotency_key })
  const { answers, refusals } = await atOnce(TIMES, call)
  if (refusals.length > 0) expect(codes(refusals)).toEqual(['request_running'])
  expect(new Set(answers.map(answer => answer.key)).size).toBe(1)
  expect(await call(0)).toEqual(answers[0])
  const keys = (await servers.client(0).listKeys({ page_size: 500 })).data
  expect(keys.filter(key => key.name === 'Once')).toHaveLength(1)
})

test(`one company created ${TIMES} times concurrently is one borrower`, async () => {
  const generated = await servers.client(0).generateSandboxBusiness({ is_borrower: true })
  const { answers, refusals } = await atOnce(TIMES, turn =>
    servers.client(turn).createBorrower(generated),
  )
  expect(answers).toHaveLength(1)
  expect(refusals).toHaveLength(TIMES - 1)
  expect(codes(refusals)).toEqual(['borrower_exists'])
  expect(new Set(refusals.map(r => r.resource_id))).toEqual(new Set([answers[0]!.id]))
  const { identifier } = generated
  expect((await servers.client(0).listBorrowers({ identifier })).data).toHaveLength(1)
})

test('one borrower signed many times concurrently has one mandate and one line', async () => {
  const { app } = servers
  const generated = await app.client.generateSandboxBusiness({ is_borrower: true })
  const { id } = await app.client.createBorrower(generated)
  const signed_at = new Date().toISOString()
  const { answers, refusals } = await atOnce(20, turn =>
    servers.client(turn).signBorrower({ borrower_id: id!, signed_at }),
  )
  expect(refusals).toEqual([])
  expect(new Set(answers.map(borrower => borrower.status))).toEqual(new Set(['READY']))
  const methods = await app.client.listRepaymentMethods({ borrower_id: id! })
  expect(methods.data).toHaveLength(1)
  expect((await app.client.listCreditLines({ borrower: [id!] })).data).toHaveLength(1)
})
