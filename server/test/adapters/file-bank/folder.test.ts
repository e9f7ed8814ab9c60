/** Files exchanged through folders: complete or not there, and never overwritten. */
import {
  readdirSync,
  readFileSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { folderExchange } from '../../../src/integrations/adapters/file-bank/transport/folder.ts'
import {
  claimedNameOf,
  temporaryNameOf,
} from '../../../src/integrations/adapters/file-bank/transport/names.ts'
import {
  alertsOf,
  delivered,
  exchangeAll,
  type FileTransport,
  fileBankApp,
  filesOf,
  makeFolders,
  orderOf,
  putIncoming,
  read,
  sha256Of,
} from './support.ts'

const bytes = Buffer.from('<File/>')

function open() {
  const folders = makeFolders()
  const exchange = folderExchange(folders)
  const use = <T>(work: (transport: FileTransport) => Promise<T>) => exchange.during(work)
  return { folders, use }
}

test('a delivered file is complete, and a second delivery changes nothing', async () => {
  const { folders, use } = open()
  expect(await use(t => t.deliver('a.xml', bytes))).toBe('delivered')
  expect(await use(t => t.deliver('a.xml', bytes))).toBe('delivered')
  expect(delivered(folders)).toEqual(new Map([['a.xml', '<File/>']]))
  expect(readdirSync(folders.outgoing)).toEqual(['a.xml'])
})

test('what a crash left under the temporary name is replaced', async () => {
  const { folders, use } = open()
  writeFileSync(
    join(folders.outgoing, temporaryNameOf('a.xml')),
    'a much longer text than the file',
  )
  expect(await use(t => t.deliver('a.xml', bytes))).toBe('delivered')
  expect(readdirSync(folders.outgoing)).toEqual(['a.xml'])
  expect(delivered(folders).get('a.xml')).toBe('<File/>')
})

test('other bytes under the same name are an error, and stay', async () => {
  const { folders, use } = open()
  writeFileSync(join(folders.outgoing, 'a.xml'), 'other')
  await expect(use(t => t.deliver('a.xml', bytes))).rejects.toThrow('Another file is already there')
  expect(delivered(folders).get('a.xml')).toBe('other')
})

test('a missing folder is an error, and is not created', async () => {
  const { folders } = open()
  const gone = folderExchange({ ...folders, outgoing: join(folders.outgoing, 'unmounted') })
  await expect(gone.during(t => t.deliver('a.xml', bytes))).rejects.toThrow('ENOENT')
})

test('only files that have stopped growing are listed', async () => {
  const { folders, use } = open()
  const path = join(folders.incoming, 'a.xml')
  for (const name of ['.a.xml', 'b.xml.part', 'c.filepart', 'd.TMP', '~e.xml', 'f.xml.writing']) {
    writeFileSync(join(folders.incoming, name), 'x')
  }
  writeFileSync(join(folders.incoming, 'empty.xml'), '')
  symlinkSync('/etc/passwd', join(folders.incoming, 'link.xml'))
  writeFileSync(path, 'half')
  expect(await use(t => t.list())).toEqual([])
  writeFileSync(path, 'half and the rest')
  expect(await use(t => t.list())).toEqual([])
  expect(await use(t => t.list())).toEqual(['a.xml'])
  utimesSync(path, 1, 1)
  expect(await use(t => t.list())).toEqual([])
  expect(await use(t => t.list())).toEqual(['a.xml'])
})

test('files of one name and other bytes are kept apart in the archive', async () => {
  const { folders, use } = open()
  for (const content of ['first', 'second']) {
    writeFileSync(join(folders.incoming, 'a.xml'), content)
    await use(t => t.archive('a.xml', sha256Of(content)))
  }
  const kept = readdirSync(folders.archive).map(n => readFileSync(join(folders.archive, n), 'utf8'))
  expect(kept.sort()).toEqual(['first', 'second'])
  expect(readdirSync(folders.incoming)).toEqual([])
})

test('a file that is replaced while it is fetched stays, and is read next', async () => {
  const { bankWith, database, folders } = await fileBankApp()
  const folder = folderExchange(folders)
  const contents = ['first', 'second', 'third']
  let fetched = 0
  const bank = bankWith({
    files: {
      during: work =>
        folder.during(transport =>
          work({
            ...transport,
            fetch: async (name, path) => {
              await transport.fetch(name, path)
              const next = contents[++fetched]
              if (next) putIncoming(folders, name, next)
            },
          }),
        ),
    },
  })
  putIncoming(folders, 'a.xml', contents[0]!)
  for (let turn = 0; turn < 8; turn++) await bank.exchange()
  const stored = await read(database, tx =>
    tx.all<{ sha256: string }>(sql`select sha256 from bank_files order by id`),
  )
  expect(stored.map(file => file.sha256)).toEqual(contents.map(sha256Of))
  expect(readdirSync(folders.incoming)).toEqual([])
  const archived = readdirSync(folders.archive)
  expect(archived.map(n => readFileSync(join(folders.archive, n), 'utf8'))).toEqual(['third'])
})

test('a file that a crash left half archived is read again, under its own name', async () => {
  const { folders, use } = open()
  const claimed = claimedNameOf('a.xml', sha256Of('first'))
  writeFileSync(join(folders.incoming, claimed), 'first')
  writeFileSync(join(folders.incoming, 'a.xml'), 'second')
  await use(t => t.list())
  expect(await use(t => t.list())).toEqual(['a.xml'])
  await use(t => t.archive('a.xml', sha256Of('second')))
  await use(t => t.list())
  expect(await use(t => t.list())).toEqual(['a.xml'])
  expect(readFileSync(join(folders.incoming, 'a.xml'), 'utf8')).toBe('first')
})

test('a file that cannot be delivered raises an alert; other files are delivered', async () => {
  const { bank, bankWith, database, folders } = await fileBankApp({ orders_max: 1 })
  await bank.submit(orderOf())
  await bank.submit(orderOf())
  const lost = { during: async () => Promise.reject(new Error('no route to the bank')) }
  await expect(bankWith({ files: lost }).exchange()).rejects.toThrow('no route to the bank')
  expect(await alertsOf(database)).toMatchObject([{ kind: 'bank_unreachable' }])
  const [first, second] = await filesOf(database)
  const path = join(folders.outgoing, first!.name)
  writeFileSync(path, 'other')
  await bank.exchange()
  expect((await filesOf(database)).map(file => file.state)).toEqual(['WRITTEN', 'SENT'])
  const [alert, ...more] = await alertsOf(database)
  expect([alert!.kind, more]).toEqual(['order_file_undelivered', []])
  expect(alert!.detail).toContain(first!.name)
  expect(delivered(folders).has(second!.name)).toBe(true)
  // An operator has moved the other file away.
  unlinkSync(path)
  await exchangeAll(bank)
  expect((await filesOf(database)).map(file => file.state)).toEqual(['SENT', 'SENT'])
  expect(await alertsOf(database)).toEqual([])
  expect(sha256Of(delivered(folders).get(first!.name)!)).toBe(first!.sha256)
})
