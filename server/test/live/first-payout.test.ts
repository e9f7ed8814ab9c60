/** A live deployment lends: a payout leaves once, at one bank, also when the lender moves. */
import { expect, test } from 'vitest'
import { verifyBooks } from '../../src/back-office/verification/verify.ts'
import { sandboxCompliance } from '../../src/integrations/adapters/sandbox/compliance.ts'
import {
  generateCompany,
  generateIban,
} from '../../src/integrations/adapters/sandbox/generators.ts'
import { sandboxRegistry } from '../../src/integrations/adapters/sandbox/registry.ts'
import { recallPayment, receiveBankNews } from '../../src/money/payments/index.ts'
import { storeOrder } from '../../src/money/payments/orders/store.ts'
import { transaction } from '../../src/platform/db/transaction.ts'
import { day } from '../../src/platform/kit/dates.ts'
import { newId } from '../../src/platform/kit/ids.ts'
import type { MemoryBank } from '../adapters/memory/index.ts'
import { order } from '../adapters/sandbox/bank-fixture.ts'
import { testDatabase } from '../support/database.ts'
import {
  CAPITAL_IBAN,
  FIRST_DAY,
  FUNDING_IBAN,
  type LiveApp,
  lenderVersion,
  liveApp,
  liveEnvironment,
} from '../support/live.ts'

const ALL = { partners: '*', actor: 'bank' } as const
const NEXT_DAY = '2027-01-12'
const atSecond = { adapters: { ...lenderVersion().adapters, bank: 'second' } }

const bankOf = (app: LiveApp) => app.context.ports.bank as MemoryBank

/** Companies are known and approved at once, as if people had entered them. */
const open = (options: Parameters<typeof liveApp>[0]) =>
  liveApp({
    ...options,
    ports: async ({ database }) => ({
      registry: sandboxRegistry({ database }),
      compliance: sandboxCompliance({ database }),
    }),
  })

async function addCapital(
  { context, drain }: LiveApp,
  cents: bigint,
  { from_iban = CAPITAL_IBAN, to_iban = FUNDING_IBAN } = {},
): Promise<void> {
  const raw = { to_iban, from_iban, from_name: null, reference: null }
  await transaction(context.database, ALL, tx =>
    receiveBankNews(tx, [
      {
        bank_reference: newId(),
        kind: 'TRANSFER_IN',
        account_iban: tx.settings.bank_accounts.FUNDING.iban,
        payment_id: null,
        amount: cents,
        direction: 'IN',
        booked_on: tx.today,
        value_on: tx.today,
        reason_code: null,
        raw,
      },
    ]),
  )
  await drain()
}

/** Requests a loan for a new company, to be paid out today. */
async function requestLoan({ client, drain }: LiveApp, on: string, seed: number) {
  const { identifier } = generateCompany('FRA', seed)
  const account_number = generateIban('FRA', 'SUCCESS', seed)
  const { id } = await client.createBorrower({ identifier, signed_at: `${FIRST_DAY}T07:00:00Z` })
  await client.addRepaymentMethod({
    borrower_id: id,
    payment_method: 'SCT',
    is_default_repayment_method: true,
    apply_to_all_active_loans: false,
  })
  const loan = await client.createLoan({
    loan_type: 'WALLET_FINANCING',
    amount: 100_000,
    borrower: { identifier },
    loan_to: { account_number },
    to_pay_at: on,
    to_repay_at: '2027-02-11',
    auto_validate: true,
    wait_for_validation: true,
    salt_id: newId(),
  })
  await drain()
  return client.getLoan({ loan_id: loan.id })
}

/** The bank settles what is due, as the business day would let it. */
async function settle(app: LiveApp, on: string): Promise<void> {
  await bankOf(app).tick(day(on))
  await app.drain()
}

test('the first payout leaves once the lender has put in capital', async () => {
  const app = await open({})
  await addCapital(app, 500_000n)
  const loan = await requestLoan(app, FIRST_DAY, 1)
  expect(loan).toMatchObject({ status: 'INITIATED', denial_reason: null })
  const [sent, ...others] = [...bankOf(app).orders.values()]
  expect(others).toEqual([])
  expect(sent).toMatchObject({ kind: 'SCT', direction: 'OUT', amount: 100_000n })
  await settle(app, FIRST_DAY)
  expect((await app.client.getLoan({ loan_id: loan.id })).status).toBe('TO_REPAY')
  expect((await verifyBooks(app.context.database)).findings).toEqual([])
})

test('the lender moves to another bank once nothing is open at the old one', async () => {
  const pool = await testDatabase('migrated')
  const old = await open({ pool })
  await addCapital(old, 500_000n)
  const loan = await requestLoan(old, FIRST_DAY, 1)
  const moved = liveEnvironment([
    lenderVersion(),
    lenderVersion({ in_force_from: NEXT_DAY, ...atSecond }),
  ])
  const move = () => open({ pool, env: moved, on: NEXT_DAY })
  await expect(move()).rejects.toThrow(
    /from memory \(.*\) to second \(.*\) while 1 payments are open/,
  )

  await settle(old, FIRST_DAY)
  const recent = await move()
  old.setDay(NEXT_DAY)
  // The old process may not read or order anything any more, or both banks would pay.
  await expect(old.client.getLoan({ loan_id: loan.id })).rejects.toMatchObject({
    code: 'not_ready',
  })
  expect((await fetch(`${old.base_url}/readyz`)).status).toBe(503)
  expect((await fetch(`${recent.base_url}/readyz`)).status).toBe(200)
  const [sent] = bankOf(old).orders.keys()
  await expect(recallPayment(old.context, sent!)).rejects.toMatchObject({ code: 'not_ready' })
  const next = await requestLoan(recent, NEXT_DAY, 2)
  expect(next.status).toBe('INITIATED')
  expect(bankOf(old).orders.size).toBe(1)
  expect(bankOf(recent).orders.size).toBe(1)
  expect((await verifyBooks(recent.context.database)).findings).toEqual([])
  await expect(open({ pool, on: NEXT_DAY })).rejects.toThrow(`the one from ${NEXT_DAY} has been`)
})

test('other accounts at the same adapter are another bank', async () => {
  const pool = await testDatabase('migrated')
  const old = await open({ pool })
  await addCapital(old, 500_000n)
  await requestLoan(old, FIRST_DAY, 1)
  const { accounts } = lenderVersion()
  const funding = { iban: 'DE02120300000000202051', bic: 'BYLADEM1001' }
  const moved = liveEnvironment([
    lenderVersion(),
    lenderVersion({ in_force_from: NEXT_DAY, accounts: { ...accounts, funding } }),
  ])
  const move = () => open({ pool, env: moved, on: NEXT_DAY })
  await expect(move()).rejects.toThrow(/while 1 payments are open/)
  await settle(old, FIRST_DAY)
  await move()
  old.setDay(NEXT_DAY)
  expect((await fetch(`${old.base_url}/readyz`)).status).toBe(503)
})

test('cash moved from a former account can be lent again, up to what is left there', async () => {
  const pool = await testDatabase('migrated')
  await addCapital(await open({ pool }), 150_000n)
  const { accounts } = lenderVersion()
  const funding = { iban: 'DE02120300000000202051', bic: 'BYLADEM1001' }
  const env = liveEnvironment([
    lenderVersion(),
    lenderVersion({ in_force_from: NEXT_DAY, accounts: { ...accounts, funding }, ...atSecond }),
  ])
  const app = await open({ pool, env, on: NEXT_DAY })
  const loan = await requestLoan(app, NEXT_DAY, 1)
  expect(bankOf(app).orders.size).toBe(0)
  const moved = { from_iban: FUNDING_IBAN, to_iban: funding.iban }
  // More than the books have there is not the lender's own cash, and waits in suspense.
  await addCapital(app, 150_001n, moved)
  expect(bankOf(app).orders.size).toBe(0)
  await addCapital(app, 150_000n, moved)
  expect(bankOf(app).orders.size).toBe(1)
  await settle(app, NEXT_DAY)
  expect((await app.client.getLoan({ loan_id: loan.id })).status).toBe('TO_REPAY')
  expect((await verifyBooks(app.context.database)).findings).toEqual([])
})

test('a reference that two banks give to different news counts at both, once each', async () => {
  const { context, drain } = await open({})
  const { COLLECTION, FUNDING } = context.database.settings.bank_accounts
  const receive = (account_iban: string) =>
    transaction(context.database, ALL, tx =>
      receiveBankNews(tx, [
        {
          bank_reference: '2027-0001',
          kind: 'OTHER',
          account_iban,
          payment_id: null,
          amount: 100n,
          direction: 'IN',
          booked_on: tx.today,
          value_on: tx.today,
          reason_code: null,
          raw: {},
        },
      ]),
    )
  expect(await receive(COLLECTION.iban)).toBe(1)
  expect(await receive(FUNDING.iban)).toBe(1)
  expect(await receive(FUNDING.iban)).toBe(0)
  await drain()
  expect((await verifyBooks(context.database)).findings).toEqual([])
})

test('an order under way when the bank changes is not stored', async () => {
  const pool = await testDatabase('migrated')
  const { context } = await open({ pool })
  const env = liveEnvironment([lenderVersion(), lenderVersion({ in_force_from: NEXT_DAY })])
  const [begun, stored] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const storing = transaction(context.database, ALL, async tx => {
    begun.resolve()
    await stored.promise
    return storeOrder(tx, { partner_id: newId(), id: newId() }, order('SCT', day(FIRST_DAY)))
  })
  await begun.promise
  await open({ pool, env })
  stored.resolve()
  await expect(storing).rejects.toThrow('the lender has changed')
})
