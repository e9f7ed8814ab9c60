/** Kill switches and the state of borrowers hold orders until they are in a file. */
import { expect, test } from 'vitest'
import { activateSwitch, deactivateSwitch, type Switch } from '../../../src/money/payments/index.ts'
import { day } from '../../../src/platform/kit/dates.ts'
import { LENDER_ID } from '../../../src/platform/kit/ids.ts'
import { lend, paymentsOfType, receiveNews } from '../../support/money.ts'
import { asOperator, createOperatorId } from '../../support/operators.ts'
import { readyBorrower } from '../../support/story.ts'
import { exchangeAll, type FileBankApp, fileBankApp, filesOf, onDay, ordersOf } from './support.ts'

async function stop({ app }: FileBankApp, of: Switch): Promise<() => Promise<void>> {
  const [one, two] = [await createOperatorId(app), await createOperatorId(app)]
  await asOperator(app, tx => activateSwitch(tx.as(one), of, 'something is wrong'))
  return () => asOperator(app, tx => deactivateSwitch(tx.as(two), of))
}

test.each(['payouts', 'partner'] as const)(
  'a payout that waits in the outbox stays there while the switch for %s is on',
  async kind => {
    const at = await fileBankApp()
    const { app, bank, database } = at
    const borrower = await readyBorrower(app)
    await lend(app, borrower, { amount: 250_000, days: 30 })
    expect(await ordersOf(database)).toMatchObject([{ file_id: null }])
    const partner_id = kind === 'partner' ? app.partner_id : LENDER_ID
    const lift = await stop(at, { kind, partner_id } as Switch)
    await exchangeAll(bank)
    expect(await filesOf(database)).toEqual([])
    await lift()
    await exchangeAll(bank)
    expect(await filesOf(database)).toMatchObject([{ state: 'SENT', orders: 1 }])
  },
)

test('held orders do not keep others back, however many they are', async () => {
  const at = await fileBankApp({ orders_max: 1 })
  const { app, bank, database } = at
  const borrower = await readyBorrower(app)
  for (let n = 0; n < 3; n++) await lend(app, borrower, { amount: 10_000, days: 30 })
  await stop(at, { kind: 'partner', partner_id: app.partner_id })
  let held: Set<string> | null = null
  const others = at.bankWith({
    heldOrders: async (_, orders) => {
      const all = orders.map(one => one.payment_id)
      held ??= new Set(firstTwo(orders))
      return new Set(all.filter(id => held!.has(id)))
    },
  })
  await exchangeAll(bank)
  expect(await filesOf(database)).toEqual([])
  await exchangeAll(others)
  expect(await filesOf(database)).toMatchObject([{ orders: 1 }])
})

const firstTwo = (orders: readonly { payment_id: string }[]) =>
  orders
    .map(order => order.payment_id)
    .toSorted()
    .slice(0, 2)

test('a debit that waits in the outbox stays there while collections are stopped', async () => {
  const at = await fileBankApp()
  const { app, bank, database } = at
  const borrower = await readyBorrower(app)
  const loan = await lend(app, borrower, { amount: 250_000, days: 3 })
  const [payout] = await paymentsOfType(app, loan, 'LOAN_PAYMENT')
  const { id: payment_id } = payout!
  const settled = { kind: 'SETTLED', payment_id, amount: 250_000n, reason_code: null } as const
  await receiveNews(app, { ...settled, value_on: day('2027-01-11') })
  // Debits are ordered two TARGET days before they are due, and leave one day before.
  await app.client.advanceSandboxClock({ days: 1 })
  const isDebit = (row: { sequence_type: string | null }) => row.sequence_type !== null
  const debits = async () => (await ordersOf(database)).filter(isDebit)
  expect(await debits()).toMatchObject([{ file_id: null }])
  const lift = await stop(at, { kind: 'collections', partner_id: LENDER_ID })
  await onDay(app, '2027-01-13')
  await exchangeAll(bank)
  expect(await debits()).toMatchObject([{ file_id: null }])
  await lift()
  await exchangeAll(bank)
  expect((await debits())[0]!.file_id).not.toBeNull()
})

test('a switch is active once orders that are being put into a file are in it', async () => {
  const at = await fileBankApp()
  const { app, database } = at
  const borrower = await readyBorrower(app)
  await lend(app, borrower, { amount: 250_000, days: 30 })
  const { heldOrders } = await import('../../../src/money/payments/index.ts')
  const order: string[] = []
  const { promise: checked, resolve: hasChecked } = Promise.withResolvers<void>()
  const { promise: mayWrite, resolve: write } = Promise.withResolvers<void>()
  const bank = at.bankWith({
    heldOrders: async (tx, orders) => {
      const held = await heldOrders(tx, orders)
      hasChecked()
      await mayWrite
      order.push('assigned')
      return held
    },
  })
  const exchanged = bank.exchange()
  await checked
  const stopped = stop(at, { kind: 'payouts', partner_id: LENDER_ID }).then(() => {
    order.push('stopped')
  })
  write()
  await Promise.all([exchanged, stopped])
  expect(order[0]).toBe('assigned')
  expect(order.at(-1)).toBe('stopped')
  expect(await filesOf(database)).toMatchObject([{ orders: 1 }])
})
