/** Two concurrent attempts to send a payment, before and after midnight, send the same order. */
import { sql } from 'kysely'
import { expect, test, vi } from 'vitest'
import { instructPayments, lockPayments, submitPayment } from '../../src/money/payments/index.ts'
import { transaction } from '../../src/platform/db/transaction.ts'
import { setClock, testApp, until } from '../support/app.ts'
import { debitOf, lend } from '../support/money.ts'
import { readyBorrower } from '../support/story.ts'

const app = await testApp({ work: false, on: '2027-01-11' })
const { context } = app

/** Pauses each statement that stores an order; returns the functions that continue them. */
function holdOrders() {
  const held: (() => void)[] = []
  Object.assign(context.database, {
    beforeStatement: async (texts: readonly string[]) => {
      if (!texts.some(text => text.includes('insert into bank_orders'))) return
      await new Promise<void>(release => held.push(release))
    },
  })
  return held
}

async function someoneWaits(): Promise<boolean> {
  const { rows } = await context.database.pool.query(
    `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  )
  return rows.length > 0
}

test('a second attempt after midnight keeps the date of the payment', async () => {
  const loan = await lend(app, await readyBorrower(app), { amount: 100_000, days: 10 })
  const key = { partner_id: app.partner_id, id: (await debitOf(app, loan)).id }
  await setClock(app, '2027-01-19')
  await transaction(context.database, { partners: '*', actor: 'service' }, async tx => {
    await instructPayments(tx, await lockPayments(tx, [key]))
  })
  const orders = vi.spyOn(context.ports.bank, 'submit').mockResolvedValue({ state: 'unknown' })
  const attempt = () => expect(submitPayment(context, key)).rejects.toThrow('did not answer')
  const held = holdOrders()
  const first = attempt()
  await until(() => held.length === 1)
  await setClock(app, '2027-01-20')
  const second = attempt()
  await until(async () => held.length === 2 || (await someoneWaits()))
  held[0]!()
  await first
  held[1]?.()
  await second
  expect(orders.mock.calls.map(([order]) => order.requested_on)).toEqual([
    '2027-01-21',
    '2027-01-21',
  ])
  const dates = await transaction(context.database, { partners: '*', read_only: true }, tx =>
    tx.all(sql`select scheduled_on from payments where id = ${key.id}`),
  )
  expect(dates).toEqual([{ scheduled_on: '2027-01-21' }])
})
