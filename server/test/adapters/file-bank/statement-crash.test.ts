/** A process that dies while it reads statements loses nothing and books nothing twice. */
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { folderExchange } from '../../../src/integrations/adapters/file-bank/transport/folder.ts'
import type { BankNews } from '../../../src/integrations/ports/bank.ts'
import type { Database } from '../../../src/platform/db/transaction.ts'
import { Crash, Fuse, fusedExchange, fusedStatements } from './fuse.ts'
import { statementFile } from './statement-files.ts'
import {
  alertsOf,
  debitOf,
  exchangeAll,
  type FileBankApp,
  fileBankApp,
  filesOf,
  orderOf,
  putIncoming,
  read,
} from './support.ts'

const ROUNDS_MAX = 400

/** Orders that were sent, and a file with two statements about them. */
async function sendAndBook({ bankWith, database, folders }: FileBankApp, round: number) {
  const bank = bankWith({})
  const payout = orderOf()
  const debits = [debitOf(), debitOf()]
  for (const order of [payout, ...debits]) await bank.submit(order)
  await exchangeAll(bank)
  const sent = (await filesOf(database)).slice(-2)
  const [amount, file] = [debits[0]!.amount * 2n, sent.find(one => one.orders === 2)!]
  const { payment_id } = payout
  const paid = { amount: payout.amount, payment_id }
  const { collection_iban, funding_iban } = database.settings.lender
  const collected = [
    { amount, batch: file.message_id },
    { amount: 700n, details: [{ amount: 700n, text: 'x' }] },
  ]
  const left = [{ amount: -paid.amount, details: [paid] }]
  const content = statementFile(
    { id: `C${round}`, account: collection_iban, entries: collected },
    { id: `F${round}`, account: funding_iban, entries: left },
  )
  putIncoming(folders, `${round}.xml`, content)
  return [payout, ...debits]
}

test('killed before any statement of reading a file, the next turn completes it', async () => {
  const at = await fileBankApp({ orders_max: 10 })
  const { database, folders } = at
  const folder = folderExchange(folders)
  const received = new Set<string>()
  let rounds = 0
  for (let is_done = false; !is_done && rounds < ROUNDS_MAX; rounds++) {
    const orders = await sendAndBook(at, rounds)
    await folder.during(transport => transport.list())
    const news: BankNews[] = []
    const fuse = new Fuse(rounds)
    const inbox = async (items: readonly BankNews[]) => {
      fuse.burn()
      news.push(...items)
      fuse.burn()
    }
    const fused = at.bankWith({
      files: fusedExchange(folder, fuse),
      database: fusedStatements(database, fuse),
      inbox,
    })
    await fused.exchange().catch(error => {
      const all = error instanceof AggregateError ? error.errors : [error]
      expect(all.filter(one => !(one instanceof Crash))).toEqual([])
    })
    is_done = !fuse.is_out
    const later = async (items: readonly BankNews[]) => {
      news.push(...items)
    }
    await exchangeAll(at.bankWith({ files: folder, inbox: later }))
    const byReference = new Map(news.map(one => [one.bank_reference, one]))
    const told = [...byReference.values()].map(one => [one.kind, one.payment_id, one.amount])
    expect(told).toHaveLength(4)
    for (const order of orders) {
      expect(told).toContainEqual(['SETTLED', order.payment_id, order.amount])
    }
    expect([...byReference.keys()].filter(one => received.has(one))).toEqual([])
    for (const reference of byReference.keys()) received.add(reference)
  }
  expect(rounds).toBeGreaterThan(60)
  expect(rounds).toBeLessThan(ROUNDS_MAX)
  const [statements, entries, details] = [rounds * 2, rounds * 3, rounds * 2]
  const counts = { statements, entries, details, news: rounds * 4, files: rounds }
  expect(await countsOf(database)).toEqual(counts)
  const kinds = (await alertsOf(database)).map(alert => alert.kind)
  expect(kinds.filter(kind => kind !== 'bank_unreachable')).toEqual([])
})

const countsOf = (database: Database) =>
  read(database, tx =>
    tx.one(sql`
      select (select count(*)::int from file_bank_statements) as statements,
        (select count(*)::int from file_bank_entries) as entries,
        (select count(*)::int from file_bank_details) as details,
        (select count(*)::int from file_bank_movements m join file_bank_statements s
          on s.id = m.statement_id where s.told_at is not null) as news,
        (select count(*)::int from bank_files where state = 'READ') as files`),
  )
