/** Sandbox wallets: deposits, payouts to them, and debits up to their balance. */
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { ManualTrigger } from '../../../src/integrations/adapters/sandbox/bank.ts'
import type { PaymentOrder } from '../../../src/integrations/ports/bank.ts'
import { transaction } from '../../../src/platform/db/transaction.ts'
import { day } from '../../../src/platform/kit/dates.ts'
import { newId } from '../../../src/platform/kit/ids.ts'
import { refusal } from '../../support/refusal.ts'
import { type BankFixture, openBankFixture, order } from './bank-fixture.ts'

const FRIDAY = day('2026-07-10')
const SATURDAY = day('2026-07-11')
const MONDAY = day('2026-07-13')

let app: BankFixture
beforeAll(async () => {
  app = await openBankFixture()
})
afterAll(() => app.close())
beforeEach(async () => {
  await app.setDay(FRIDAY)
  app.heard.length = 0
})

const newsOf = ({ payment_id }: PaymentOrder) =>
  app.heard
    .filter(n => n.payment_id === payment_id)
    .map(({ kind, value_on, reason_code, amount }) => ({ kind, value_on, reason_code, amount }))

const NOTHING = { reason_code: null, value_on: null }

async function byHand({ payment_id, partner_id }: PaymentOrder, trigger: ManualTrigger) {
  const { id } = await transaction(app.database, { partners: '*', actor: 'service' }, tx =>
    tx.one(sql<{ id: string }>`
      select id from sandbox_bank_instructions where payment_id = ${payment_id}`),
  )
  return app.bank.act({ id, partner_id: partner_id! }, trigger, NOTHING)
}

const codeOf = async (work: Promise<unknown>) => (await refusal(work)).code

const SETTLED = { kind: 'SETTLED', reason_code: null, amount: 50_000n }

const incoming = { from_iban: null, from_name: 'Somebody', reference: null, value_on: null }

async function wallet(balance: bigint) {
  const [wallet_id, partner_id] = [newId(), newId()]
  const opened = await app.bank.openWallet({ wallet_id, partner_id, holder_name: 'Ada' })
  expect(opened).toEqual({ state: 'opened', account_number: wallet_id })
  const paid = { ...incoming, partner_id, to_iban: wallet_id, amount: balance }
  if (balance > 0n) await app.bank.receive(paid)
  const holds = async () => (await app.bank.walletBalances(partner_id, [wallet_id])).get(wallet_id)
  const debit = (more: Partial<PaymentOrder> = {}) =>
    order('SCT', FRIDAY, wallet_id, { direction: 'IN', partner_id, ...more })
  return { number: wallet_id, partner_id, holds, debit }
}

test('a wallet is opened once, paid into and debited, without news of incoming money', async () => {
  const { number, partner_id, holds, debit } = await wallet(70_000n)
  await app.bank.openWallet({ wallet_id: number, partner_id, holder_name: 'Ada' })
  expect(await holds()).toBe(70_000n)
  expect(app.heard).toEqual([])
  const first = debit()
  expect(await app.bank.submit(first)).toEqual({ state: 'accepted' })
  expect(newsOf(first)).toEqual([{ ...SETTLED, value_on: FRIDAY }])
  expect(await holds()).toBe(20_000n)
  await app.bank.submit(first)
  expect(await holds()).toBe(20_000n)
  for (const trigger of ['return', 'refund', 'reverse'] as const) {
    expect(await codeOf(byHand(first, trigger))).toBe('state_conflict')
  }
})

test('a debit beyond the wallet balance is rejected, even on a closed day', async () => {
  const { holds, debit } = await wallet(60_000n)
  const [first, second] = [debit({ requested_on: SATURDAY }), debit({ requested_on: SATURDAY })]
  await app.bank.submit(first)
  await app.bank.submit(second)
  await app.setDay(SATURDAY)
  await app.bank.tick(SATURDAY)
  expect(newsOf(first)).toEqual([{ ...SETTLED, value_on: SATURDAY }])
  const short = { kind: 'REJECTED', value_on: SATURDAY, reason_code: 'AM04', amount: 50_000n }
  expect(newsOf(second)).toEqual([short])
  expect(await holds()).toBe(10_000n)
})

test('a manually settled debit cannot exceed the balance', async () => {
  const { holds, debit } = await wallet(10n)
  const given = debit({ requested_on: MONDAY })
  await app.bank.submit(given)
  expect(await codeOf(byHand(given, 'settle'))).toBe('state_conflict')
  await byHand(given, 'reject')
  expect(newsOf(given)).toMatchObject([{ kind: 'REJECTED', reason_code: 'AM04' }])
  expect(await holds()).toBe(10n)
})

test('a payout to a wallet arrives, and is returned only if the balance covers it', async () => {
  const { number, partner_id, holds, debit } = await wallet(0n)
  const payout = order('SCT', FRIDAY, number, { partner_id })
  await app.bank.submit(payout)
  expect(await holds()).toBe(50_000n)
  await app.bank.submit(debit({ amount: 20_000n }))
  expect(await codeOf(byHand(payout, 'return'))).toBe('state_conflict')
  await app.bank.receive({ ...incoming, partner_id, to_iban: number, amount: 20_000n })
  await byHand(payout, 'return')
  expect(await holds()).toBe(0n)
})

test("another partner's wallet is not found", async () => {
  const { number, holds, debit } = await wallet(60_000n)
  const stranger = debit({ partner_id: newId() })
  expect(await app.bank.submit(stranger)).toEqual({ state: 'refused', reason_code: 'AC01' })
  const paying = { ...incoming, to_iban: number, partner_id: newId(), amount: 1n }
  expect(await codeOf(app.bank.receive(paying))).toBe('request_invalid')
  expect(await holds()).toBe(60_000n)
})
