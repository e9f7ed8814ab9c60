/** A process that dies while it reads statements loses nothing and books nothing twice. */
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { folderExchange } from '../../../src/integrations/adapters/file-bank/transport/folder.ts'
import type { BankNews } from '../../../src/integrations/ports/bank.ts'
import { Crash, Fuse, fusedExchange, fusedStatements } from './fuse.ts'
import { statementFile } from './statement-files.ts'
import {
  alertsOf,
  debitOf,
  exchangeAll,
  fileBankApp,
  filesOf,
  orderOf,
  putIncoming,
  read,
} from './support.ts'

const ROUNDS_MAX = 400

test('killed before any statement of reading a file, the next turn completes it', async () => {
  const at = await fileBankApp({ orders_max: 10 })
  const { database, folders } = at
  const { collection_iban, funding_iban } = database.settings.lender
  const folder = folderExchange(folders)
  const received = new Map<string, BankNews>()
  let rounds = 0
  for (let is_done = false; !is_done && rounds < ROUNDS_MAX; rounds++) {
    const news: BankNews[] = []
    const inbox = async (items: readonly BankNews[]) => {
      news.push(...items)
    }
    const healthy = at.bankWith({ files: folder, inbox })
    const payout = orderOf()
    const debits = [debitOf(), debitOf()]
    for (const order of [payout, ...debits]) await healthy.submit(order)
    await exchangeAll(healthy)
    const sent = (await filesOf(database)).slice(-2)
    const [amount, batch] = [debits[0]!.amount * 2n, sent.find(file => file.orders === 2)!]
    const { payment_id } = payout
    const paid = { amount: payout.amount, payment_id }
    const content = statementFile(
      {
        id: `C${rounds}`,
        account: collection_iban,
        entries: [
          { amount, batch: batch.message_id },
          { amount: 700n, details: [{ amount: 700n, text: 'x' }] },
        ],
      },
      {
        id: `F${rounds}`,
        account: funding_iban,
        entries: [{ amount: -paid.amount, details: [paid] }],
      },
    )
    putIncoming(folders, `${rounds}.xml`, content)
    await folder.during(transport => transport.list())
    const fuse = new Fuse(rounds)
    const fused = at.bankWith({
      files: fusedExchange(folder, fuse),
      database: fusedStatements(database, fuse),
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
    is_done = !fuse.is_out
    await exchangeAll(healthy)
    const byReference = new Map(news.map(one => [one.bank_reference, one]))
    const told = [...byReference.values()].map(one => [one.kind, one.payment_id, one.amount])
    expect(told).toHaveLength(4)
    for (const order of [payout, ...debits]) {
      expect(told).toContainEqual(['SETTLED', order.payment_id, order.amount])
    }
    for (const [reference, one] of byReference) {
      expect(received.has(reference)).toBe(false)
      received.set(reference, one)
    }
  }
  expect(rounds).toBeGreaterThan(60)
  expect(rounds).toBeLessThan(ROUNDS_MAX)
  const counts = await read(database, tx =>
    tx.one(sql<Record<string, number>>`
      select (select count(*)::int from file_bank_statements) as statements,
        (select count(*)::int from file_bank_entries where kind is not null) as entries,
        (select count(*)::int from file_bank_details) as details,
        (select count(*)::int from file_bank_news where told_at is not null) as news,
        (select count(*)::int from bank_files where state = 'READ') as files`),
  )
  const [statements, entries, details, told] = [rounds * 2, rounds * 3, rounds * 2, rounds * 4]
  expect(counts).toEqual({ statements, entries, details, news: told, files: rounds })
  const kinds = (await alertsOf(database)).map(alert => alert.kind)
  expect(kinds.filter(kind => kind !== 'bank_unreachable')).toEqual([])
})
