/** A turn that ends anywhere is continued: nothing is sent twice, and nothing is lost. */
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { folderExchange } from '../../../src/integrations/adapters/file-bank/transport/folder.ts'
import type { BankNews } from '../../../src/integrations/ports/bank.ts'
import type { Database } from '../../../src/platform/db/transaction.ts'
import { Crash, Fuse, fusedDatabase, fusedExchange } from './fuse.ts'
import {
  delivered,
  exchangeAll,
  fileBankApp,
  filesOf,
  orderOf,
  ordersOf,
  putIncoming,
  read,
  reportOf,
  sha256Of,
} from './support.ts'

const answers = (database: Database) =>
  read(database, tx => tx.all<{ code: string }>(sql`select code from order_answers`))

test('a process killed at any step of writing, sending and reading repeats nothing', async () => {
  const at = await fileBankApp({ orders_max: 2 })
  const { database, folders } = at
  let rounds = 0
  for (let last = 0, is_done = false; !is_done; last++, rounds++) {
    const before = await filesOf(database)
    const folder = folderExchange(folders)
    const news: BankNews[] = []
    const inbox = async (items: readonly BankNews[]) => {
      news.push(...items)
    }
    const orders = Array.from({ length: 3 }, () => orderOf())
    const healthy = at.bankWith({ files: folder, inbox })
    for (const order of orders) await healthy.submit(order)
    // A report about the last round's first file is there from the beginning.
    const reported = before.at(-2)
    if (reported) {
      const { id, message_id } = reported
      // Of a file that was delivered again, only single orders can be rejected.
      const transactions = (await ordersOf(database)).flatMap(({ file_id, payment_id }) =>
        file_id === id ? [{ order: orderOf({ payment_id }), code: 'RJCT', reason: 'AC04' }] : [],
      )
      putIncoming(folders, `r${last}.xml`, reportOf({ message_id, transactions }))
      await folder.during(transport => transport.list())
    }
    const fuse = new Fuse(last)
    const fused = at.bankWith({
      files: fusedExchange(folder, fuse),
      database: fusedDatabase(database, fuse),
      inbox: async items => {
        fuse.burn()
        await inbox(items)
        fuse.burn()
      },
    })
    await fused.exchange().catch(error => {
      const all = error instanceof AggregateError ? error.errors : [error]
      expect(all.filter(one => !(one instanceof Crash))).toEqual([])
    })
    is_done = reported !== undefined && !fuse.is_out
    const written = await filesOf(database)
    await exchangeAll(healthy)
    await checkRound(
      at,
      orders.map(o => o.payment_id),
      written,
    )
    const rejected = (await ordersOf(database)).filter(
      row => row.file_id !== null && row.file_id === reported?.id,
    )
    const told = new Set(news.map(one => one.bank_reference))
    expect(told.size).toBe(rejected.length)
    expect(rejected.every(row => row.rejected_for === 'AC04')).toBe(true)
  }
  expect(await answers(database)).toHaveLength((rounds - 1) * 4)
  expect(rounds).toBeGreaterThan(25)
})

/** Each order is in one file; what was written before has the same name and bytes as ever. */
async function checkRound(
  { database, folders }: Awaited<ReturnType<typeof fileBankApp>>,
  payment_ids: readonly string[],
  written: Awaited<ReturnType<typeof filesOf>>,
): Promise<void> {
  const files = await filesOf(database)
  const there = delivered(folders)
  expect(files.slice(0, written.length).map(file => file.id)).toEqual(written.map(file => file.id))
  expect([...there.keys()]).toEqual(files.map(file => file.name).sort())
  for (const file of files) expect(sha256Of(there.get(file.name)!)).toBe(file.sha256)
  expect(files.filter(file => ['WRITTEN', 'UNKNOWN'].includes(file.state))).toEqual([])
  for (const id of payment_ids) {
    const reference = id.replaceAll('-', '').toUpperCase()
    const within = [...there.values()].filter(text => text.includes(reference))
    expect(within).toHaveLength(1)
  }
}
