/** What the bank's reports change if it may have a file twice. */
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { folderExchange } from '../../../src/integrations/adapters/file-bank/transport/folder.ts'
import { transaction } from '../../../src/platform/db/transaction.ts'
import { sent } from './sent-orders.ts'
import {
  alertsOf,
  fileBankApp,
  filesOf,
  orderOf,
  ordersOf,
  putIncoming,
  reportOf,
} from './support.ts'

type Report = Omit<Parameters<typeof reportOf>[0], 'message_id'>

/** Orders in a file whose first delivery was not answered. */
async function sentTwice(count: number) {
  const orders = Array.from({ length: count }, () => orderOf())
  const at = await sent(...orders)
  await transaction(at.database, { partners: '*', actor: 'service' }, tx =>
    tx.run(sql`update order_files set deliveries = deliveries + 1`),
  )
  const { message_id } = at
  const reports = (report: Report) => at.sends(reportOf({ message_id, ...report }))
  return { ...at, orders, reports }
}

test('a rejection of a file that the bank may have twice fails single orders only', async () => {
  const { reports, orders, news, database } = await sentTwice(2)
  await reports({ group: 'RJCT', reason: 'FF01' })
  expect(news).toEqual([])
  expect((await alertsOf(database))[0]!.detail).toContain('may have twice')
  await reports({ group: 'RCVD' })
  await reports({ transactions: [{ order: orders[0]!, code: 'RJCT', reason: 'AC04' }] })
  expect(news.map(one => one.payment_id)).toEqual([orders[0]!.payment_id])
})

type RejectionOfAll = Report & { reason: string }
const OF_A_COPY: [string, RejectionOfAll][] = [
  ['for a reason about the file', { reason: 'DT01' }],
  ['for a reason of the bank alone', { reason: 'NARR' }],
  ['within a rejected file', { group: 'RJCT', reason: 'AC04' }],
  ['within a rejected payment', { payment: 'RJCT', reason: 'AC04' }],
]

test.each(OF_A_COPY)(
  'each order of a file that the bank may have twice rejected %s fails none',
  async (_, { reason, ...above }) => {
    const { reports, orders, news, database } = await sentTwice(2)
    const transactions = orders.map(order => ({ order, code: 'RJCT', reason }))
    await reports({ ...above, transactions })
    expect([news, (await ordersOf(database)).map(row => row.answer)]).toEqual([[], [null, null]])
    const [alert] = await alertsOf(database)
    expect(alert!.detail).toContain('may have twice')
    expect(alert!.detail).toContain('more)')
  },
)

test('an accepted order is not rejected in another copy of its file', async () => {
  const { reports, orders, news, database } = await sentTwice(2)
  const [first, second] = orders
  await reports({ transactions: [{ order: first!, code: 'ACSP' }] })
  const transactions = [first!, second!].map(order => ({ order, code: 'RJCT', reason: 'AC04' }))
  await reports({ transactions })
  expect(news.map(one => one.payment_id)).toEqual([second!.payment_id])
  expect((await alertsOf(database))[0]!.detail).toContain('may have twice')
})

test.each<[string, Report]>([
  ['received', { group: 'RCVD' }],
  ['a duplicate', { group: 'RJCT', reason: 'AM05' }],
])('a file that the bank calls %s is not delivered again', async (_, report) => {
  const at = await fileBankApp()
  const folder = folderExchange(at.folders)
  // The bank takes the files, and no answer to a delivery arrives.
  const bank = at.bankWith({
    files: {
      during: work =>
        folder.during(transport =>
          work({
            ...transport,
            deliver: async (name, bytes) => {
              await transport.deliver(name, bytes)
              return 'unknown'
            },
          }),
        ),
    },
  })
  const exchange = async (times: number) => {
    for (let n = 0; n < times; n++) await bank.exchange()
  }
  await bank.submit(orderOf())
  await exchange(1)
  const [lost] = await filesOf(at.database)
  expect(lost!.state).toBe('UNKNOWN')
  putIncoming(at.folders, 'report.xml', reportOf({ message_id: lost!.message_id, ...report }))
  await exchange(4)
  const [known] = await filesOf(at.database)
  expect(known!.state).toBe('SENT')
  await exchange(2)
  expect(await filesOf(at.database)).toMatchObject([{ deliveries: known!.deliveries }])
})
