/** Which order an entry of a statement is about, and which it is not. */
import { expect, test } from 'vitest'
import { endToEndIdOf } from '../../../src/integrations/bank-files/index.ts'
import { type Sent, sent, told } from './sent-orders.ts'
import { notificationFile, statementFile, type TestEntry } from './statement-files.ts'
import { debitOf, onDay, orderOf } from './support.ts'

test('an id of ours in a payer’s text is no payment of ours', async () => {
  const order = debitOf()
  const { payment_id, amount } = order
  const at = await sent(order)
  await at.books({ amount, details: [{ amount, text: `for ${endToEndIdOf(payment_id)}` }] })
  expect(at.news.map(one => one.kind)).toEqual(['TRANSFER_IN'])
})

test.each([
  ['of its payout', orderOf()],
  ['of a debit', debitOf()],
])('a payer’s own end-to-end id %s is no payment of ours', async (_, order) => {
  const { payment_id, amount } = order
  const at = await sent(order)
  await at.books({ amount, details: [{ amount, payment_id }] })
  await at.books({ amount: 1n, details: [{ amount: 1n, payment_id }] })
  expect(at.news.map(one => one.kind)).toEqual(['TRANSFER_IN', 'TRANSFER_IN'])
  await at.books({ amount: order.kind === 'SDD' ? amount : -amount, batch: at.message_id })
  expect(at.news.at(-1)).toMatchObject({ kind: 'SETTLED', payment_id, amount })
})

test('money on a virtual account is a transfer, whatever id it has', async () => {
  const order = debitOf()
  const { payment_id, amount } = order
  const at = await sent(order)
  const creditor_iban = at.bank.ownAccount(7)
  const details = [{ amount, payment_id, creditor_iban }]
  await at.books({ amount, family: 'IDDT', details })
  expect(at.news).toMatchObject([{ kind: 'TRANSFER_IN', raw: { to_iban: creditor_iban } }])
})

test('a part of a debit settles it for no later entry', async () => {
  const first = debitOf({ amount: 100n })
  const { payment_id } = first
  const at = await sent(first, debitOf({ amount: 250n }))
  await at.books({ amount: 1n, family: 'IDDT', details: [{ amount: 1n, payment_id }] })
  await at.books({ amount: 350n, batch: at.message_id })
  expect(at.news.map(one => [one.kind, one.amount]).toSorted()).toEqual([
    ['SETTLED', 1n],
    ['SETTLED', 100n],
    ['SETTLED', 250n],
  ])
})

test('details that all name orders win over the sum of their file', async () => {
  const [first, second] = [debitOf({ amount: 100n }), debitOf({ amount: 100n })] as const
  const at = await sent(first, second)
  const detailOf = (order: typeof first) => ({ amount: 100n, payment_id: order.payment_id })
  await at.books({ amount: 100n, family: 'IDDT', batch: at.message_id, details: [detailOf(first)] })
  // The file's open orders have this sum, and the entry names the other one.
  const again = { amount: 100n, family: 'IDDT', batch: at.message_id }
  await at.books({ ...again, details: [detailOf(first)] })
  expect(at.news.map(one => one.payment_id)).toEqual([first.payment_id, first.payment_id])
  await at.books(again)
  expect(at.news.at(-1)).toMatchObject({ kind: 'SETTLED', payment_id: second.payment_id })
})

const ENTRY = { amount: 350n, bank_reference: 'B-1' }

async function twoDebits() {
  const orders = [debitOf({ amount: 100n }), debitOf({ amount: 250n })]
  const details = orders.map(({ payment_id, amount }) => ({ payment_id, amount }))
  const at = await sent(...orders)
  const notifies = (entry: Partial<TestEntry> = {}, id = 'N') => {
    const entries = [{ ...ENTRY, family: 'IDDT', details, ...entry }]
    return at.sends(notificationFile({ id, account: at.collection, entries }))
  }
  return { at, notifies, ids: orders.map(one => one.payment_id).toSorted() }
}

const settledBy = ({ news }: Sent) =>
  news.flatMap(one => (one.kind === 'SETTLED' ? (one.payment_id ?? []) : [])).toSorted()

test('a notification moves no money, and explains one entry without details', async () => {
  const { at, notifies, ids } = await twoDebits()
  await notifies()
  expect(at.news).toEqual([])
  await at.books({ ...ENTRY, family: 'IDDT' })
  expect(settledBy(at)).toEqual(ids)
  // The next one with its reference is another one.
  await at.books({ ...ENTRY, family: 'IDDT' })
  expect(settledBy(at)).toEqual(ids)
})

test.each([
  ['another day', { on: '2027-01-10' }],
  ['a pending booking', { status: 'PDNG' }],
])('a notification about %s explains nothing', async (_, entry) => {
  const { at, notifies } = await twoDebits()
  await notifies(entry)
  await at.books({ ...ENTRY, family: 'IDDT' })
  expect(settledBy(at)).toEqual([])
})

test('two notifications that fit explain nothing', async () => {
  const { at, notifies } = await twoDebits()
  await notifies()
  await notifies({}, 'N2')
  await at.books({ ...ENTRY, family: 'IDDT' })
  expect(settledBy(at)).toEqual([])
})

test('a statement waits for a notification until the next banking day', async () => {
  const { at, notifies, ids } = await twoDebits()
  await notifies({ amount: 1n, details: [], bank_reference: 'another' })
  const unexplained = { amount: -350n, bank_reference: 'B-0' }
  const collected = { ...ENTRY, family: 'IDDT', is_reversal: true }
  await at.books(unexplained, collected)
  expect(at.news).toEqual([])
  await notifies({}, 'N2')
  expect(at.news).toEqual([])
  await onDay(at.app, '2027-01-12')
  await at.bank.exchange()
  expect(settledBy(at)).toEqual(ids)
  expect(told(at)).toContainEqual({ kind: 'OTHER', payment_id: null, amount: 350n })
})

test('statements are decided by day, and a return waits for its settlement', async () => {
  const order = debitOf()
  const { payment_id, amount } = order
  const at = await sent(order)
  const ofDay = (day: string, number: number, entry: TestEntry) =>
    statementFile({
      id: 'S',
      account: at.collection,
      day,
      number,
      entries: [{ ...entry, on: day }],
    })
  const returned = [{ amount, payment_id, returned_for: 'AC04' }]
  await at.sends(ofDay('2027-01-13', 2, { amount: -amount, details: returned }))
  expect(at.news).toEqual([])
  await at.sends(ofDay('2027-01-12', 1, { amount, batch: at.message_id }))
  expect(at.news.map(one => one.kind)).toEqual(['SETTLED', 'RETURNED'])
})

test('a credit to or from an account for capital is no transfer of our own', async () => {
  const at = await sent()
  const [iban] = at.database.settings.lender.capital_ibans
  await at.books(
    { amount: 5_000n, subfamily: 'CHRG', details: [{ debtor: { name: 'We', iban: iban! } }] },
    { amount: -6_000n, details: [{ creditor_iban: iban! }] },
  )
  expect(at.news.map(one => one.kind)).toEqual(['TRANSFER_IN', 'OTHER'])
})

const RETURN_CODES = [
  ['RRTN', { subfamily: 'RRTN' }, 'RETURNED', 'RETURNED'],
  ['a reversal', { is_reversal: true }, 'REVERSED', 'REVERSED'],
  // Nothing but the sign says that a debit of ours came back, and nothing that a payout did.
  ['a code of the bank', { own_code: 'NRTI+168' }, 'OTHER', 'RETURNED'],
] as const

test.each(RETURN_CODES)(
  'a return with our own account as a party is no transfer of ours: %s',
  async (_, code) => {
    const at = await sent()
    const debtor = { name: 'We', iban: at.collection }
    await at.books(
      { ...code, amount: 5_000n, details: [{ amount: 5_000n, debtor }] },
      { ...code, amount: -6_000n, details: [{ amount: 6_000n, creditor_iban: at.collection }] },
    )
    expect(told(at)).toEqual([
      { kind: 'OTHER', payment_id: null, amount: 5_000n },
      { kind: 'OTHER', payment_id: null, amount: 6_000n },
    ])
  },
)

test.each(RETURN_CODES)(
  'a return of an order that it names is one if the bank says so: %s',
  async (_, code, payout_kind, debit_kind) => {
    const payout = orderOf()
    const paid = await sent(payout)
    const { payment_id, amount } = payout
    const debtor = { name: 'We', iban: paid.collection }
    await paid.books({ amount: -amount, batch: paid.message_id })
    await paid.books({ ...code, amount, details: [{ amount, payment_id, debtor }] })
    expect(paid.news.map(one => one.kind)).toEqual(['SETTLED', payout_kind])
    const debit = debitOf()
    const collected = await sent(debit)
    const { collection: creditor_iban, message_id: batch } = collected
    const details = [{ amount: debit.amount, payment_id: debit.payment_id, creditor_iban }]
    await collected.books({ amount: debit.amount, batch })
    await collected.books({ ...code, amount: -debit.amount, details })
    expect(collected.news.map(one => one.kind)).toEqual(['SETTLED', debit_kind])
  },
)

test('only money from another account of ours is a transfer of our own', async () => {
  const at = await sent()
  const debtor = { name: 'We', iban: at.funding }
  await at.books(
    { amount: 5_000n, details: [{ amount: 5_000n, debtor }] },
    { amount: 6_000n, is_reversal: true, details: [{ amount: 6_000n, debtor }] },
  )
  expect(at.news.map(one => one.kind)).toEqual(['TRANSFER_OWN', 'OTHER'])
})
