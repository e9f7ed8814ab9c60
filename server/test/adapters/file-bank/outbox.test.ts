/** Orders in the file bank's outbox: each id is one order, which is taken, refused or recalled. */
import { beforeAll, expect, test } from 'vitest'
import type { PaymentOrder } from '../../../src/integrations/ports/bank.ts'
import { day } from '../../../src/platform/kit/dates.ts'
import { newId } from '../../../src/platform/kit/ids.ts'
import {
  debitOf,
  delivered,
  exchangeAll,
  type FileBankApp,
  fileBankApp,
  filesOf,
  orderOf,
  ordersOf,
} from './support.ts'

let at: FileBankApp
beforeAll(async () => {
  at = await fileBankApp()
})

const rowOf = async ({ payment_id }: PaymentOrder) =>
  (await ordersOf(at.database)).find(row => row.payment_id === payment_id)

test('the same order is accepted again and stored once', async () => {
  const order = orderOf({ requested_on: day('2027-02-01') })
  expect(await at.bank.submit(order)).toEqual({ state: 'accepted' })
  expect(await at.bank.submit(order)).toEqual({ state: 'accepted' })
  const rows = await ordersOf(at.database)
  expect(rows.filter(row => row.payment_id === order.payment_id)).toHaveLength(1)
})

test.each([
  ['amount', { amount: 1n }],
  ['day', { requested_on: day('2027-02-02') }],
  ['account', { counterparty: { iban: 'DE89370400440532013000', bic: '', name: 'B' } }],
])('another order under the same id is a conflict: another %s', async (_, other) => {
  const order = orderOf({ requested_on: day('2027-02-01') })
  await at.bank.submit(order)
  expect(await at.bank.submit({ ...order, ...other })).toEqual({ state: 'conflict' })
  expect(await at.bank.submit(order)).toEqual({ state: 'accepted' })
})

test('of 50 concurrent submissions under one id, one order is stored', async () => {
  const order = orderOf({ requested_on: day('2027-02-01') })
  const others = Array.from({ length: 50 }, (_, n) =>
    at.bank.submit(n % 2 === 0 ? order : { ...order, amount: 1n }),
  )
  const outcomes = (await Promise.all(others)).map(({ state }) => state)
  expect([...new Set(outcomes.filter((_, n) => n % 2 === 0))]).toHaveLength(1)
  expect([...new Set(outcomes.filter((_, n) => n % 2 === 1))]).toHaveLength(1)
  expect(outcomes.filter(state => state === 'accepted')).toHaveLength(25)
  expect(outcomes.filter(state => state === 'conflict')).toHaveLength(25)
  const rows = await ordersOf(at.database)
  expect(rows.filter(row => row.payment_id === order.payment_id)).toHaveLength(1)
})

test('a refused order is refused again and never put into a file', async () => {
  const abroad = orderOf({
    counterparty: { iban: 'BR1500000000000010932840814P2', bic: '', name: 'A company' },
  })
  const refused = { state: 'refused', reason_code: 'AG03' }
  expect(await at.bank.submit(abroad)).toEqual(refused)
  expect(await at.bank.submit(abroad)).toEqual(refused)
  expect(await at.bank.submit({ ...abroad, amount: 2n })).toEqual({ state: 'conflict' })
  const wallet = orderOf({ direction: 'IN' })
  expect(await at.bank.submit(wallet)).toEqual({ state: 'refused', reason_code: 'AG01' })
  await exchangeAll(at.bank)
  expect(await rowOf(abroad)).toMatchObject({ file_id: null })
  expect(await at.bank.recall(abroad.payment_id)).toBe('too_late')
})

test('an order in no file is recalled, also twice, and stays out of files', async () => {
  const order = orderOf({ requested_on: day('2027-01-12') })
  await at.bank.submit(order)
  expect(await at.bank.recall(order.payment_id)).toBe('recalled')
  expect(await at.bank.recall(order.payment_id)).toBe('recalled')
  await exchangeAll(at.bank)
  expect(await rowOf(order)).toMatchObject({ file_id: null })
})

test('an order in a file is recalled too late; one that is not known is unknown', async () => {
  const order = orderOf()
  await at.bank.submit(order)
  await exchangeAll(at.bank)
  expect((await rowOf(order))!.file_id).not.toBeNull()
  expect(await at.bank.recall(order.payment_id)).toBe('too_late')
  expect(await at.bank.recall(newId())).toBe('unknown')
})

test('of a recall and a file that is written at the same time, one wins', async () => {
  for (let round = 0; round < 10; round++) {
    const order = orderOf()
    await at.bank.submit(order)
    const [outcome] = await Promise.all([at.bank.recall(order.payment_id), at.bank.exchange()])
    const row = await rowOf(order)
    expect([outcome, row!.file_id === null]).toEqual(
      outcome === 'recalled' ? ['recalled', true] : ['too_late', false],
    )
  }
})

test('of B2B debits that come together under a mandate, one is FRST', async () => {
  const first = debitOf({ scheme: 'B2B', requested_on: day('2027-02-01') })
  const others = Array.from({ length: 5 }, () => ({ ...first, payment_id: newId() }))
  await Promise.all([first, ...others].map(order => at.bank.submit(order)))
  const types = (await Promise.all([first, ...others].map(rowOf))).map(row => row!.sequence_type)
  expect(types.toSorted()).toEqual(['FRST', 'RCUR', 'RCUR', 'RCUR', 'RCUR', 'RCUR'])
  const core = debitOf({ requested_on: day('2027-02-01') })
  await at.bank.submit(core)
  expect(await rowOf(core)).toMatchObject({ sequence_type: 'RCUR' })
})

test('a recalled first debit leaves the next one first', async () => {
  const first = debitOf({ scheme: 'B2B', requested_on: day('2027-02-01') })
  await at.bank.submit(first)
  await at.bank.recall(first.payment_id)
  const second = { ...first, payment_id: newId() }
  await at.bank.submit(second)
  expect(await rowOf(second)).toMatchObject({ sequence_type: 'FRST' })
})

test('every order that is in a file is in the bytes of that file, and in no other', async () => {
  const files = await filesOf(at.database)
  const rows = await ordersOf(at.database)
  const bytes = delivered(at.folders)
  expect([...bytes.keys()]).toEqual(files.map(({ name }) => name).sort())
  for (const { payment_id, file_id } of rows) {
    const reference = payment_id.replaceAll('-', '').toUpperCase()
    const within = files.filter(({ name }) => bytes.get(name)!.includes(reference))
    expect(within.map(({ id }) => id)).toEqual(file_id ? [file_id] : [])
  }
})
