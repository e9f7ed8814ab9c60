/** Opening wallets, and their balances. */
import { beforeAll, expect, test } from 'vitest'
import type { SandboxBank } from '../../../src/integrations/adapters/sandbox/bank.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { rowCounts } from '../../support/money.ts'
import { faultsOf, refusal } from '../../support/refusal.ts'
import { type ReadyBorrower, readyBorrower, requestLoan } from '../../support/story.ts'

let app: TestApp
let borrower: ReadyBorrower
beforeAll(async () => {
  app = await testApp({ work: false })
  borrower = await readyBorrower(app)
})

const walletsOf = async ({ id }: { id: string }) =>
  (await app.client.listWallets({ borrower_id: id })).data

test('a wallet is an account of the borrower at the bank', async () => {
  const { client } = app
  const owner = await readyBorrower(app)
  const borrower_id = owner.id
  const wallet = await client.openWallet({ borrower_id })
  expect(wallet).toMatchObject({
    borrower_id,
    account_number_type: 'internal_id',
    account_holder: { identifier: owner.identifier, identifier_type: owner.identifier_type },
    holder_name: owner.name,
    currency: 'EUR',
    balance: 0,
    metadata: {},
  })
  expect(await walletsOf(owner)).toEqual([wallet])
  const { accounts } = await client.getBorrower({ borrower_id })
  expect(accounts?.map(account => account.account_number)).toContain(wallet.account_number)
  await app.drain()
  const { data } = await client.listWebhookEvents({ type: ['Wallet.OPENED'] })
  expect(data.map(event => event.data)).toContainEqual(wallet)
})

test('a wallet has its own name and metadata; the newest comes first', async () => {
  const { client } = app
  const owner = await readyBorrower(app)
  const named = { holder_name: 'Café Ada', currency: 'EUR', metadata: { till: 1 } } as const
  const first = await client.openWallet({ borrower_id: owner.id, ...named })
  expect(first).toMatchObject(named)
  const second = await client.openWallet({ borrower_id: owner.id })
  expect(await walletsOf(owner)).toEqual([second, first])
  const page = await client.listWallets({ borrower_id: owner.id, page_size: 1 })
  expect(page).toMatchObject({ count: 1, total: 2 })
})

test('a deposit is booked once, even if the process crashes before answering', async () => {
  const { client, context } = app
  const owner = await readyBorrower(app)
  const { account_number: to_iban } = await client.openWallet({ borrower_id: owner.id })
  const bank = context.ports.bank as SandboxBank
  const real = bank.receive
  bank.receive = async (incoming, also) => {
    await real(incoming, also)
    throw new Error('dead')
  }
  const once = { idempotency_key: crypto.randomUUID(), attempts_max: 1 }
  const dies = client.createSandboxIncomingTransfer({ to_iban, amount: 777 }, once)
  await expect(dies).rejects.toMatchObject({ status: 500 })
  bank.receive = real
  const again = await client.createSandboxIncomingTransfer({ to_iban, amount: 777 }, once)
  expect(again).toMatchObject({ to_iban, amount: 777 })
  expect(await walletsOf(owner)).toMatchObject([{ balance: 777 }])
})

test('a deposit is included in the balance', async () => {
  const { client } = app
  const owner = await readyBorrower(app)
  const wallet = await client.openWallet({ borrower_id: owner.id })
  const paid = { to_iban: wallet.account_number, amount: 12_345 }
  expect(await client.createSandboxIncomingTransfer(paid)).toMatchObject(paid)
  await client.createSandboxIncomingTransfer({ ...paid, amount: 55 })
  expect(await walletsOf(owner)).toMatchObject([{ balance: 12_400 }])
  await app.drain()
  // A deposit is the borrower's own money, so it is not a payment to the lender.
  expect((await client.listPayments({ references: [wallet.account_number] })).count).toBe(0)
  expect((await app.verify()).findings).toEqual([])
})

test('a repeat with the same key returns the same wallet', async () => {
  const borrower_id = borrower.id
  const idempotency_key = crypto.randomUUID()
  const once = await app.client.call('openWallet', { borrower_id }, { idempotency_key })
  const again = await app.client.call('openWallet', { borrower_id }, { idempotency_key })
  expect(again.data).toEqual(once.data)
  expect((await walletsOf(borrower)).filter(w => w.id === once.data.id)).toHaveLength(1)
})

test('every fault is reported and nothing is written', async () => {
  const { client, second } = app
  const before = await rowCounts(app)
  const wrong = { borrower_id: borrower.id, holder_name: '', currency: 'GBP', colour: 'red' }
  const faults = await faultsOf(client.openWallet(wrong as never))
  expect(Object.keys(faults).sort()).toEqual(['colour', 'currency', 'holder_name'])
  const theirs = { borrower_id: borrower.id }
  expect(await refusal(second.openWallet(theirs))).toMatchObject({ status: 404 })
  expect(await refusal(second.listWallets(theirs))).toMatchObject({ status: 404 })
  const nobody = { borrower_id: crypto.randomUUID() }
  expect(await refusal(client.openWallet(nobody))).toMatchObject({ status: 404 })
  expect(await rowCounts(app)).toEqual(before)
})

test('a closed borrower cannot open a wallet', async () => {
  const owner = await readyBorrower(app)
  await app.client.deactivateBorrower({ borrower_id: owner.id })
  const refused = await refusal(app.client.openWallet({ borrower_id: owner.id }))
  expect(refused).toMatchObject({ status: 409, code: 'state_conflict' })
})

test("a transfer to another partner's wallet is refused", async () => {
  const wallet = await app.client.openWallet({ borrower_id: borrower.id })
  const paid = { to_iban: wallet.account_number, amount: 100 }
  const faults = await faultsOf(app.second.createSandboxIncomingTransfer(paid))
  expect(Object.keys(faults)).toEqual(['to_iban'])
  expect((await requestLoan(app, borrower, { amount: 100 })).status).toBe('VALIDATED')
})
