/** Files from the bank are stored once with their bytes, and only then moved away. */
import { readdirSync } from 'node:fs'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { folderExchange } from '../../../src/integrations/adapters/file-bank/transport/folder.ts'
import { sandboxLender } from '../../../src/integrations/adapters/sandbox/lender.ts'
import type { Database } from '../../../src/platform/db/transaction.ts'
import { lend, paymentsOfType } from '../../support/money.ts'
import { readyBorrower } from '../../support/story.ts'
import { statementFile } from './statement-files.ts'
import {
  alertsOf,
  delivered,
  exchangeAll,
  fileBankApp,
  filesOf,
  onDay,
  putIncoming,
  read,
  reportOf,
  sha256Of,
} from './support.ts'

interface BankFileRow {
  readonly name: string
  readonly message: string | null
  readonly state: string
  readonly content: string
}

const bankFiles = (database: Database) =>
  read(database, tx =>
    tx.all(sql<BankFileRow>`
      select f.name, f.message, f.state, f.refused_for, (
        select convert_from(string_agg(p.bytes, ''::bytea order by p.place), 'UTF8')
        from bank_file_pieces p where p.bank_file_id = f.id) as content
      from bank_files f order by f.id`),
  )

const { collection_iban: account } = sandboxLender()
const statement = (id: string, more = '') => statementFile({ id, account, entries: [] }) + more

test('a statement is stored as it came, and read', async () => {
  const { bank, database, folders } = await fileBankApp()
  const content = statement('S1', `<!-- ${'x'.repeat(500_000)} -->`.repeat(6))
  putIncoming(folders, 'statement.xml', content)
  await exchangeAll(bank)
  const [file, ...more] = await bankFiles(database)
  expect(more).toEqual([])
  expect(file).toMatchObject({ name: 'statement.xml', state: 'READ' })
  expect(file!.message).toBe('camt.053.001.08')
  expect(sha256Of(file!.content)).toBe(sha256Of(content))
  expect(readdirSync(folders.incoming)).toEqual([])
  expect(readdirSync(folders.archive)).toHaveLength(1)
})

test('the same bytes are stored once, other bytes under the same name too', async () => {
  const { bank, database, folders } = await fileBankApp()
  putIncoming(folders, 'a.xml', statement('S1'))
  await exchangeAll(bank)
  putIncoming(folders, 'a.xml', statement('S1'))
  putIncoming(folders, 'b.xml', statement('S1'))
  await exchangeAll(bank)
  putIncoming(folders, 'a.xml', statement('S2'))
  await exchangeAll(bank)
  expect((await bankFiles(database)).map(file => file.name)).toEqual(['a.xml', 'a.xml'])
  expect(readdirSync(folders.incoming)).toEqual([])
  expect(readdirSync(folders.archive)).toHaveLength(3)
})

test('files that are no bank files are stored too', async () => {
  const { bank, database, folders } = await fileBankApp()
  putIncoming(folders, 'letter.pdf', '%PDF-1.7')
  putIncoming(folders, 'bomb.xml', '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>')
  await exchangeAll(bank)
  const stored = await bankFiles(database)
  expect(stored.map(file => [file.name, file.message, file.state])).toEqual([
    ['bomb.xml', null, 'RECEIVED'],
    ['letter.pdf', null, 'RECEIVED'],
  ])
})

test('a report that is cut off is refused whole, and raises an alert', async () => {
  const { bank, database, folders } = await fileBankApp()
  const cut = reportOf({ message_id: 'X', group: 'RJCT' }).slice(0, -30)
  putIncoming(folders, 'cut.xml', cut)
  await exchangeAll(bank)
  expect(await bankFiles(database)).toMatchObject([
    { name: 'cut.xml', state: 'REFUSED', refused_for: expect.stringMatching(/./) },
  ])
  expect(await alertsOf(database)).toMatchObject([{ kind: 'bank_file_unfit' }])
})

test('a file that cannot be fetched does not keep the others back', async () => {
  const { bankWith, database, folders } = await fileBankApp()
  const folder = folderExchange(folders)
  let isBroken = true
  const bank = bankWith({
    files: {
      during: work =>
        folder.during(transport =>
          work({
            ...transport,
            fetch: async (name, path) => {
              if (isBroken && name === 'a.xml') throw new Error('a.xml: permission denied')
              await transport.fetch(name, path)
            },
          }),
        ),
    },
  })
  putIncoming(folders, 'a.xml', statement('S1'))
  putIncoming(folders, 'b.xml', statement('S2'))
  await bank.exchange()
  await expect(bank.exchange()).rejects.toThrow('permission denied')
  expect((await bankFiles(database)).map(file => file.name)).toEqual(['b.xml'])
  expect((await alertsOf(database))[0]!.detail).toContain('a.xml: permission denied')
  isBroken = false
  await exchangeAll(bank)
  expect((await bankFiles(database)).map(file => file.name)).toEqual(['b.xml', 'a.xml'])
  expect(await alertsOf(database)).toEqual([])
})

test('of processes that exchange at the same time, one does', async () => {
  const { bankWith, database, folders, app } = await fileBankApp()
  let running = 0
  let most = 0
  const folder = folderExchange(folders)
  const counting = bankWith({
    files: {
      during: async work => {
        most = Math.max(most, ++running)
        const found = await folder.during(work)
        running--
        return found
      },
    },
  })
  await Promise.all(Array.from({ length: 4 }, () => counting.exchange()))
  expect(most).toBe(1)
  expect(app.context.database).toBe(database)
})

test('a payout is sent in a file, and its rejection fails the payment', async () => {
  const { app, bank, database, folders } = await fileBankApp()
  const borrower = await readyBorrower(app)
  const loan = await lend(app, borrower, { amount: 250_000, days: 30 })
  await exchangeAll(bank)
  const [file] = await filesOf(database)
  expect(file).toMatchObject({ state: 'SENT', orders: 1 })
  expect(delivered(folders).get(file!.name)).toContain('2500.00')
  putIncoming(
    folders,
    'r.xml',
    reportOf({ message_id: file!.message_id, group: 'RJCT', reason: 'AC04' }),
  )
  await exchangeAll(bank)
  await app.drain()
  const [payment] = await paymentsOfType(app, loan, 'LOAN_PAYMENT')
  expect(payment!.status).toBe('FAILED')
  await onDay(app, '2027-01-12')
  await exchangeAll(bank)
  expect((await app.verify()).findings).toEqual([])
})
