/** Files exchanged with an SFTP server: only with the right one, and complete or not there. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeAll, expect, test } from 'vitest'
import {
  claimedNameOf,
  temporaryNameOf,
} from '../../../src/integrations/adapters/file-bank/transport/names.ts'
import {
  type SftpSettings,
  sftpExchange,
} from '../../../src/integrations/adapters/file-bank/transport/sftp.ts'
import {
  SFTP_PASSWORD,
  SFTP_USER,
  startSftpServer,
  type TestSftpServer,
} from '../../support/sftp.ts'
import { until } from '../../support/until.ts'
import {
  alertsOf,
  delivered,
  exchangeAll,
  type FileBankApp,
  type FileTransport,
  type Folders,
  fileBankApp,
  filesOf,
  makeFolders,
  orderOf,
  putIncoming,
  reportOf,
  sha256Of,
} from './support.ts'

let server: TestSftpServer
let folders: Folders
let settings: SftpSettings
const LIMITS = { step_ms: 3_000, transfer_ms: 5_000 }
/** More than one packet. */
const bytes = Buffer.from(`<File>${'x'.repeat(300_000)}</File>`)

beforeAll(async () => {
  folders = makeFolders()
  server = await startSftpServer(dirname(folders.outgoing))
  settings = {
    host: '127.0.0.1',
    port: server.port,
    user: SFTP_USER,
    host_key: server.host_key,
    login: { password: SFTP_PASSWORD },
    outgoing: '/out',
    incoming: '/in',
    archive: '/archive',
  }
})

afterEach(async () => {
  const { faults } = server
  for (const name of Object.keys(faults)) delete faults[name as keyof typeof faults]
  // Connections are closed whatever happened.
  await until(() => server.openConnections() === 0)
})

const use = <T>(
  work: (transport: FileTransport) => Promise<T>,
  other: Partial<SftpSettings> = {},
) => sftpExchange({ ...settings, ...other }, LIMITS).during(work)

let names = 0
const newName = () => `file-${++names}.xml`
const remote = (name: string) => join(folders.outgoing, name)

test('a file is delivered whole, and a second delivery changes nothing', async () => {
  const name = newName()
  expect(await use(t => t.deliver(name, bytes))).toBe('delivered')
  expect(await use(t => t.deliver(name, bytes))).toBe('delivered')
  expect(readFileSync(remote(name)).equals(bytes)).toBe(true)
  expect(readdirSync(folders.outgoing)).not.toContain(temporaryNameOf(name))
})

test('other bytes under the same name are an error, and stay', async () => {
  for (const other of ['other', 'x'.repeat(bytes.length)]) {
    const name = newName()
    writeFileSync(remote(name), other)
    await expect(use(t => t.deliver(name, bytes))).rejects.toThrow('Another file is already there')
    expect(readFileSync(remote(name), 'utf8')).toBe(other)
  }
})

test('the server with another host key gets neither password nor file', async () => {
  const host_key = `SHA256:${'A'.repeat(43)}`
  await expect(use(t => t.list(), { host_key })).rejects.toThrow(/verification failed/)
})

test('a wrong password, user or key is refused', async () => {
  const list = (t: FileTransport) => t.list()
  await expect(use(list, { login: { password: 'x' } })).rejects.toThrow(/authentication/)
  await expect(use(list, { user: 'somebody' })).rejects.toThrow(/authentication/)
})

test('a private key signs in', async () => {
  const login = { private_key: server.private_key, passphrase: undefined }
  expect(await use(t => t.list(), { login })).toEqual([])
})

test('a server that is away, or is no SFTP server, is an error', async () => {
  await expect(use(t => t.list(), { port: 1 })).rejects.toThrow(/ECONNREFUSED|lost/)
})

test('an upload that is cut leaves no file, and the next one replaces it', async () => {
  const name = newName()
  server.faults.cut_after_bytes = 100_000
  await expect(use(t => t.deliver(name, bytes))).rejects.toThrow()
  expect(readdirSync(folders.outgoing)).not.toContain(name)
  expect(readdirSync(folders.outgoing)).toContain(temporaryNameOf(name))
  delete server.faults.cut_after_bytes
  expect(await use(t => t.deliver(name, bytes))).toBe('delivered')
  expect(readFileSync(remote(name)).equals(bytes)).toBe(true)
})

test('an upload that loses bytes is not renamed', async () => {
  const name = newName()
  server.faults.loses_bytes = true
  await expect(use(t => t.deliver(name, bytes))).rejects.toThrow(`0 of ${bytes.length} bytes`)
  expect(readdirSync(folders.outgoing)).not.toContain(name)
})

test('an upload that the bank takes at once may have arrived', async () => {
  const name = newName()
  server.faults.takes_uploads = true
  expect(await use(t => t.deliver(name, bytes))).toBe('unknown')
  const { bank, database } = await overSftp()
  await bank.submit(orderOf())
  await bank.exchange()
  await bank.exchange()
  expect(await filesOf(database)).toMatchObject([{ state: 'UNKNOWN', deliveries: 2 }])
  expect(await alertsOf(database)).toEqual([])
})

test('a refused renaming is an error that says so', async () => {
  const name = newName()
  server.faults.rename = 'refuse'
  await expect(use(t => t.deliver(name, bytes))).rejects.toThrow('does not let a file be renamed')
  expect(readdirSync(folders.outgoing)).not.toContain(name)
})

test.each(['cut before', 'cut after'] as const)(
  'a connection %s renaming leaves the outcome unknown until the next delivery',
  async fault => {
    const name = newName()
    server.faults.rename = fault
    expect(await use(t => t.deliver(name, bytes))).toBe('unknown')
    delete server.faults.rename
    expect(await use(t => t.deliver(name, bytes))).toBe('delivered')
    expect(readFileSync(remote(name)).equals(bytes)).toBe(true)
  },
)

test.each(['OPEN', 'WRITE', 'READDIR'] as const)(
  'a server that does not answer %s is given up',
  async silent => {
    server.faults.silent = silent
    const work = async (t: FileTransport) => {
      await t.deliver(newName(), bytes)
      await t.list()
    }
    await expect(use(work)).rejects.toThrow(/took more than/)
  },
)

test('a server that does not answer the renaming leaves the outcome unknown', async () => {
  const name = newName()
  server.faults.silent = 'RENAME'
  expect(await use(t => t.deliver(name, bytes))).toBe('unknown')
})

test('files that still grow are left alone; whole ones are fetched and archived', async () => {
  const exchange = sftpExchange(settings, LIMITS)
  const list = () => exchange.during(t => t.list())
  putIncoming(folders, 'a.xml', 'half')
  putIncoming(folders, '.b.xml', 'temporary')
  expect(await list()).toEqual([])
  putIncoming(folders, 'a.xml', 'half and more')
  expect(await list()).toEqual([])
  expect(await list()).toEqual(['a.xml'])
  const path = join(folders.archive, 'fetched')
  await exchange.during(async t => {
    await t.fetch('a.xml', path)
    await t.archive('a.xml', sha256Of('half and more'))
  })
  expect(readFileSync(path, 'utf8')).toBe('half and more')
  putIncoming(folders, 'a.xml', 'half and more')
  // The bank sent it again, or the process died between archiving and knowing it.
  await exchange.during(t => t.archive('a.xml', sha256Of('half and more')))
  await exchange.during(t => t.archive('a.xml', sha256Of('half and more')))
  expect(readdirSync(folders.incoming)).toEqual(['.b.xml'])
  expect(readdirSync(folders.archive).filter(name => name.endsWith('-a.xml'))).toHaveLength(1)
})

test('a file that was replaced after it was fetched stays', async () => {
  const exchange = sftpExchange(settings, LIMITS)
  putIncoming(folders, 'c.xml', 'replaced')
  await exchange.during(t => t.archive('c.xml', sha256Of('fetched')))
  expect(readFileSync(join(folders.incoming, 'c.xml'), 'utf8')).toBe('replaced')
  writeFileSync(join(folders.incoming, claimedNameOf('d.xml', sha256Of('x'))), 'claimed')
  const list = () => exchange.during(t => t.list())
  for (let look = 0; look < 2; look++) await list()
  expect(await list()).toEqual(['c.xml', 'd.xml'])
  for (const name of ['c.xml', 'd.xml']) rmSync(join(folders.incoming, name))
})

async function overSftp(): Promise<FileBankApp> {
  const at = await fileBankApp()
  const files = sftpExchange(settings, LIMITS)
  const bank = at.bankWith({ files })
  return { ...at, folders, bank }
}

test('orders go out and reports come in by SFTP, whatever is cut on the way', async () => {
  const { bank, database, news } = await overSftp()
  const orders = [orderOf(), orderOf()]
  for (const order of orders) await bank.submit(order)
  server.faults.cut_after_bytes = 0
  await expect(bank.exchange()).rejects.toThrow()
  expect(await alertsOf(database)).toMatchObject([{ kind: 'bank_unreachable' }])
  delete server.faults.cut_after_bytes
  server.faults.rename = 'refuse'
  await bank.exchange()
  expect(await alertsOf(database)).toMatchObject([{ kind: 'order_file_undelivered' }])
  server.faults.rename = 'cut after'
  await expect(bank.exchange()).rejects.toThrow()
  expect(await filesOf(database)).toMatchObject([{ state: 'UNKNOWN', orders: 2 }])
  delete server.faults.rename
  await exchangeAll(bank)
  const [file, ...more] = await filesOf(database)
  expect([file!.state, more]).toEqual(['SENT', []])
  expect(sha256Of(delivered(folders).get(file!.name)!)).toBe(file!.sha256)
  expect(await alertsOf(database)).toEqual([])
  const { message_id } = file!
  const transactions = orders.map(order => ({ order, code: 'RJCT', reason: 'AC04' }))
  putIncoming(folders, 'r.xml', reportOf({ message_id, transactions }))
  await exchangeAll(bank)
  expect(news).toHaveLength(2)
})
