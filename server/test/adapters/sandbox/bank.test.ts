/** The sandbox bank on a real database: scenarios, settlement, returns, transfers, crashes. */
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Instruction } from '../../../src/integrations/adapters/sandbox/bank-instructions.ts'
import {
  generateIban,
  type IbanScenario,
} from '../../../src/integrations/adapters/sandbox/generators.ts'
import type { PaymentOrder } from '../../../src/integrations/ports/bank.ts'
import { transaction } from '../../../src/platform/db/transaction.ts'
import { day } from '../../../src/platform/kit/dates.ts'
import { printIban } from '../../../src/platform/kit/iban.ts'
import { newId } from '../../../src/platform/kit/ids.ts'
import { ProblemError } from '../../../src/platform/kit/problem.ts'
import { type BankFixture, COLLECTION_IBAN, openBankFixture, order } from './bank-fixture.ts'

const FRIDAY = day('2026-07-10')
const SATURDAY = day('2026-07-11')
const MONDAY = day('2026-07-13')
const TUESDAY = day('2026-07-14')

let app: BankFixture
beforeAll(async () => {
  app = await openBankFixture()
})
afterAll(() => app.close())
beforeEach(async () => {
  app.deaf = false
  await app.setDay(FRIDAY)
  app.heard.length = 0
})

const paying = (scenario: IbanScenario) => generateIban('FRA', scenario, 42)
const newsOf = ({ payment_id }: PaymentOrder) =>
  app.heard
    .filter(n => n.payment_id === payment_id)
    .map(({ kind, value_on, reason_code, amount }) => ({ kind, value_on, reason_code, amount }))

async function instructionOf({ payment_id }: PaymentOrder): Promise<Instruction> {
  return transaction(app.database, { partners: '*', actor: 'service' }, tx =>
    tx.one(sql<Instruction>`
      select * from sandbox_bank_instructions where payment_id = ${payment_id}`),
  )
}

async function settled(kind: 'SCT' | 'SDD'): Promise<PaymentOrder> {
  const given = order(kind, FRIDAY)
  await app.bank.submit(given)
  expect(newsOf(given)).toMatchObject([{ kind: 'SETTLED' }])
  return given
}

async function byHand(
  given: PaymentOrder,
  trigger: Parameters<BankFixture['bank']['act']>[1],
  details: Partial<Parameters<BankFixture['bank']['act']>[2]> = {},
) {
  const { id } = await instructionOf(given)
  const partner_id = given.partner_id!
  const full = { reason_code: null, value_on: null, ...details }
  return app.bank.act({ id, partner_id }, trigger, full)
}

async function problemOf(work: Promise<unknown>) {
  const error = await work.then(
    () => null,
    reason => reason,
  )
  expect(error).toBeInstanceOf(ProblemError)
  return {
    code: error.code,
    names: error.extras.invalid_params?.map((p: { name: string }) => p.name),
  }
}

const SETTLED = { kind: 'SETTLED', reason_code: null, amount: 50_000n }

test('a payout for today settles on submission, even on a closed day, and only once', async () => {
  await app.setDay(SATURDAY)
  const given = order('SCT', SATURDAY, paying('SUCCESS'))
  expect(await app.bank.submit(given)).toEqual({ state: 'accepted' })
  expect(await app.bank.submit(given)).toEqual({ state: 'accepted' })
  await app.bank.tick(SATURDAY)
  expect(newsOf(given)).toEqual([{ ...SETTLED, value_on: SATURDAY }])
})

test('the same order again gets the same answer, another under its id a conflict', async () => {
  const given = order('SDD', TUESDAY)
  expect(await app.bank.submit(given)).toEqual({ state: 'accepted' })
  const { counterparty, references } = given
  const others: Partial<PaymentOrder>[] = [
    { amount: 50_001n },
    { requested_on: MONDAY },
    { counterparty: { ...counterparty, iban: paying('SUCCESS') } },
    { references: [...references, 'RF00'] },
  ]
  for (const other of others) {
    expect(await app.bank.submit({ ...given, ...other })).toEqual({ state: 'conflict' })
  }
  expect(await app.bank.submit({ ...given })).toEqual({ state: 'accepted' })
  await app.bank.tick(TUESDAY)
  expect(newsOf(given)).toEqual([{ ...SETTLED, value_on: TUESDAY }])
})

test('a refusal is stored too', async () => {
  const given = order('SCT', FRIDAY, paying('REJECT'))
  const refused = { state: 'refused', reason_code: 'AC06' }
  expect(await app.bank.submit(given)).toEqual(refused)
  const { counterparty } = order('SCT', FRIDAY)
  expect(await app.bank.submit({ ...given, counterparty })).toEqual({ state: 'conflict' })
  expect(await app.bank.submit(given)).toEqual(refused)
  expect(newsOf(given)).toEqual([])
})

test('a payout requested for a past day settles on the day it is submitted', async () => {
  const given = order('SCT', day('2026-07-06'))
  await app.bank.submit(given)
  expect(newsOf(given)).toEqual([{ ...SETTLED, value_on: FRIDAY }])
})

test('a ONE_DAY_LATER payout waits for the next TARGET day', async () => {
  const given = order('SCT', FRIDAY, paying('SUCCESS_ONE_DAY_LATER'))
  await app.bank.submit(given)
  const left = { ...SETTLED, kind: 'IN_TRANSIT', value_on: FRIDAY }
  expect(newsOf(given)).toEqual([left])
  expect(await app.bank.recall(given.payment_id)).toBe('too_late')
  await app.bank.tick(SATURDAY)
  expect(newsOf(given)).toEqual([left])
  await app.bank.tick(MONDAY)
  expect(newsOf(given)).toEqual([left, { ...SETTLED, value_on: MONDAY }])
})

test('FAIL is rejected, CANCEL canceled, REJECT refused', async () => {
  const failing = order('SCT', FRIDAY, paying('FAIL'))
  const cancelling = order('SCT', MONDAY, paying('CANCEL'))
  const refused = order('SCT', FRIDAY, paying('REJECT'))
  await app.bank.submit(failing)
  await app.bank.submit(cancelling)
  expect(await app.bank.submit(refused)).toMatchObject({ state: 'refused' })
  expect(newsOf(failing)).toMatchObject([{ kind: 'REJECTED', reason_code: 'AC04' }])
  expect(newsOf(cancelling)).toEqual([])
  await app.bank.tick(MONDAY)
  expect(newsOf(cancelling)).toMatchObject([{ kind: 'CANCELED', value_on: MONDAY }])
  expect(newsOf(refused)).toEqual([])
  expect(await app.bank.verifyPayee({ iban: paying('REJECT'), name: 'A' })).toBe('refused')
  expect(await app.bank.verifyPayee({ iban: paying('FAIL'), name: 'A' })).toBe('match')
})

test('collections settle on TARGET days; after an outage, each keeps its value date', async () => {
  const first = order('SDD', SATURDAY)
  const second = order('SDD', TUESDAY)
  await app.bank.submit(first)
  await app.bank.submit(second)
  await app.bank.tick(SATURDAY)
  expect(newsOf(first)).toEqual([])
  await app.bank.tick(day('2026-07-20'))
  expect(newsOf(first)).toEqual([{ ...SETTLED, value_on: MONDAY }])
  expect(newsOf(second)).toEqual([{ ...SETTLED, value_on: TUESDAY }])
})

test('an order can be recalled until the day before, without news', async () => {
  const given = order('SDD', MONDAY)
  await app.bank.submit(given)
  expect(await app.bank.recall(given.payment_id)).toBe('recalled')
  expect(await app.bank.recall(given.payment_id)).toBe('recalled')
  await app.bank.tick(MONDAY)
  expect(newsOf(given)).toEqual([])
  expect((await instructionOf(given)).state).toBe('CANCELED')
  const done = await settled('SDD')
  expect(await app.bank.recall(done.payment_id)).toBe('too_late')
  const late = order('SDD', MONDAY)
  await app.bank.submit(late)
  await app.setDay(MONDAY)
  expect(await app.bank.recall(late.payment_id)).toBe('too_late')
  expect(await app.bank.recall(newId())).toBe('unknown')
})

test('an order canceled by the bank cannot be recalled', async () => {
  const given = order('SCT', FRIDAY, paying('CANCEL'))
  await app.bank.submit(given)
  expect(await app.bank.recall(given.payment_id)).toBe('too_late')
})

test.each([
  ['return', 'RETURNED', 'AM04'],
  ['refund', 'REFUNDED', 'MD06'],
  ['reverse', 'REVERSED', 'AM05'],
] as const)('a settled collection: %s', async (trigger, state, reason_code) => {
  const given = await settled('SDD')
  await app.setDay(TUESDAY)
  expect(await byHand(given, trigger)).toMatchObject({ state, payment_id: given.payment_id })
  expect((await instructionOf(given)).state).toBe(state)
  expect(newsOf(given)[1]).toEqual({ kind: state, value_on: TUESDAY, reason_code, amount: 50_000n })
  expect(await problemOf(byHand(given, 'return'))).toMatchObject({ code: 'state_conflict' })
  expect(newsOf(given)).toHaveLength(2)
})

test('a payout is returned with the given reason and value date', async () => {
  const given = await settled('SCT')
  await app.setDay(TUESDAY)
  for (const trigger of ['refund', 'reverse', 'settle', 'reject'] as const) {
    expect(await problemOf(byHand(given, trigger))).toMatchObject({ code: 'state_conflict' })
  }
  await byHand(given, 'return', { reason_code: 'AC01', value_on: MONDAY })
  expect(newsOf(given)[1]).toMatchObject({
    kind: 'RETURNED',
    reason_code: 'AC01',
    value_on: MONDAY,
  })
})

test('a pending instruction is settled or rejected manually, once', async () => {
  const [early, rejected] = [order('SDD', MONDAY), order('SDD', MONDAY)]
  for (const given of [early, rejected]) {
    await app.bank.submit(given)
    expect(await problemOf(byHand(given, 'return'))).toMatchObject({ code: 'state_conflict' })
  }
  await byHand(early, 'settle')
  await byHand(rejected, 'reject')
  await app.bank.tick(MONDAY)
  expect(newsOf(early)).toEqual([{ ...SETTLED, value_on: FRIDAY }])
  expect(newsOf(rejected)).toMatchObject([{ kind: 'REJECTED', reason_code: 'AM04' }])
})

test('a value date is neither in the future nor before the payment it reverses', async () => {
  const given = await settled('SDD')
  for (const value_on of [MONDAY, day('2026-07-09')]) {
    const found = await problemOf(byHand(given, 'return', { value_on }))
    expect(found).toEqual({ code: 'request_invalid', names: ['value_date'] })
  }
  expect((await instructionOf(given)).state).toBe('SETTLED')
})

test("another partner's instruction is not found", async () => {
  const given = await settled('SDD')
  const { id } = await instructionOf(given)
  const details = { reason_code: null, value_on: null }
  const stranger = app.bank.act({ id, partner_id: newId() }, 'return', details)
  expect(await problemOf(stranger)).toMatchObject({ code: 'resource_unknown' })
})

const incoming = {
  partner_id: newId(),
  to_iban: printIban(COLLECTION_IBAN),
  amount: 12_345n,
  from_iban: 'DE89370400440532013000',
  from_name: 'Somebody',
  reference: 'RF18539007547034',
  value_on: null,
}

test('two identical transfers are reported as two, each with its raw data', async () => {
  const first = await app.bank.receive(incoming)
  const second = await app.bank.receive({ ...incoming, value_on: day('2026-07-07') })
  expect(first.id).not.toBe(second.id)
  expect(first).toMatchObject({ to_iban: COLLECTION_IBAN, amount: 12_345n, value_on: FRIDAY })
  const { to_iban, from_iban, from_name, reference } = { ...incoming, to_iban: COLLECTION_IBAN }
  expect(app.heard).toEqual([
    {
      bank_reference: first.id,
      account_iban: COLLECTION_IBAN,
      direction: 'IN',
      booked_on: expect.any(String),
      kind: 'TRANSFER_IN',
      payment_id: null,
      amount: 12_345n,
      value_on: FRIDAY,
      reason_code: null,
      raw: { to_iban, from_iban, from_name, reference },
    },
    expect.objectContaining({ bank_reference: second.id, value_on: '2026-07-07' }),
  ])
})

test('a faulty transfer reports every fault and creates nothing', async () => {
  const wrong = { ...incoming, to_iban: incoming.from_iban, from_iban: 'FR00', value_on: MONDAY }
  expect(await problemOf(app.bank.receive(wrong))).toEqual({
    code: 'request_invalid',
    names: ['from_iban', 'to_iban', 'value_date'],
  })
  expect(app.heard).toEqual([])
})

test('unprocessed news is sent again in order, and processed news is not repeated', async () => {
  app.deaf = true
  const given = order('SDD', FRIDAY)
  await expect(app.bank.submit(given)).rejects.toThrow('nobody listens')
  await expect(byHand(given, 'return')).rejects.toThrow('nobody listens')
  app.deaf = false
  expect(await app.bank.submit(given)).toEqual({ state: 'accepted' })
  await app.bank.tick(FRIDAY)
  expect(newsOf(given).map(n => n.kind)).toEqual(['SETTLED', 'RETURNED'])
})

test('concurrent ticks and orders settle each order once', async () => {
  const given = Array.from({ length: 20 }, (_, i) => order('SDD', i % 2 ? FRIDAY : MONDAY))
  await Promise.all(given.map(o => app.bank.submit(o)))
  await Promise.all([app.bank.tick(MONDAY), app.bank.tick(MONDAY), app.bank.tick(MONDAY)])
  for (const one of given) {
    const references = app.heard.filter(n => n.payment_id === one.payment_id)
    expect(new Set(references.map(n => n.bank_reference)).size).toBe(1)
    expect((await instructionOf(one)).state).toBe('SETTLED')
  }
})
