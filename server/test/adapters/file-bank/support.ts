/** A file bank for tests: its app, orders, a small writer of order files, the bank's reports. */
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { fileBank } from '../../../src/integrations/adapters/file-bank/bank.ts'
import { fileBankAdapter } from '../../../src/integrations/adapters/file-bank/index.ts'
import {
  type OrderFileWriter,
  orderFileWriter,
} from '../../../src/integrations/adapters/file-bank/order-file.ts'
import { folderExchange } from '../../../src/integrations/adapters/file-bank/transport/folder.ts'
import type {
  FileExchange,
  FileTransport,
} from '../../../src/integrations/adapters/file-bank/transport/transport.ts'
import {
  readRange,
  virtualIbans,
} from '../../../src/integrations/adapters/file-bank/virtual-ibans.ts'
import {
  BANK_PROFILES,
  type BankProfile,
  endToEndIdOf,
} from '../../../src/integrations/bank-files/index.ts'
import type {
  Bank,
  BankInbox,
  BankNews,
  BankStatement,
  PaymentOrder,
} from '../../../src/integrations/ports/bank.ts'
import type { BankAdapterContext } from '../../../src/integrations/ports/bank-adapter.ts'
import { type Database, type Tx, transaction } from '../../../src/platform/db/transaction.ts'
import { day } from '../../../src/platform/kit/dates.ts'
import { newId } from '../../../src/platform/kit/ids.ts'
import { setClock, type TestApp, testApp } from '../../support/app.ts'
import { closeAfterwards } from '../../support/closing.ts'

export type { FileExchange, FileTransport }
export const VIRTUAL_IBANS = 'DEkk 3704 0044 05nn nnnn nn'
const PROFILE: BankProfile = {
  ...BANK_PROFILES.generic,
  orders_max: 3,
  first_sequence_type: { CORE: 'RCUR', B2B: 'FRST' },
}

/** The generic bank's writer with small files and FRST in B2B, or with other parts. */
export function testWriter(profile: Partial<BankProfile> = {}): OrderFileWriter {
  return orderFileWriter({ ...PROFILE, ...profile })
}

export interface Folders {
  readonly outgoing: string
  readonly incoming: string
  readonly archive: string
}

export function makeFolders(): Folders {
  const root = mkdtempSync(join(tmpdir(), 'headroom-file-bank-'))
  closeAfterwards(async () => rmSync(root, { recursive: true, force: true }))
  const made = (name: string) => {
    const path = join(root, name)
    mkdirSync(path)
    return path
  }
  return { outgoing: made('out'), incoming: made('in'), archive: made('archive') }
}

export interface FileBankApp {
  readonly app: TestApp
  readonly database: Database
  readonly bank: Required<Bank>
  readonly folders: Folders
  /** The bank with other parts, such as a transport that fails. */
  bankWith(parts: Partial<Parts>): Required<Bank>
  /** What the bank reported, by itself or on statements. */
  news: BankNews[]
  readonly statements: BankStatement[]
}

interface Parts {
  readonly files: FileExchange
  readonly database: Database
  /** Gets news, and the entries of statements as news. */
  readonly inbox: (news: readonly BankNews[]) => Promise<void>
  readonly hear?: (statement: BankStatement) => void
  readonly profile?: Partial<BankProfile>
  readonly writer?: OrderFileWriter
  readonly range?: string | null
  readonly heldOrders?: BankAdapterContext['heldOrders']
  readonly isOurIban?: BankAdapterContext['isOurIban']
}

export function testFileBank({
  profile,
  writer = testWriter(profile),
  heldOrders = async () => new Set<string>(),
  isOurIban = async () => true,
  range = VIRTUAL_IBANS,
  ...parts
}: Parts): Required<Bank> {
  const cutOffs = { transfer: '15:00', debit: '15:00' }
  const read = range === null ? null : readRange(range)
  if (typeof read === 'string') throw new Error(read)
  const { inbox: news, hear, ...rest } = parts
  const inbox: BankInbox = {
    news,
    statement: async (statement, slices) => {
      const entries: BankNews[] = []
      const { account_iban } = statement
      for await (const slice of slices) {
        entries.push(...slice.map(({ place: _, ...entry }) => ({ ...entry, account_iban })))
      }
      await news(entries)
      hear?.(statement)
    },
  }
  return fileBank({ ...rest, inbox, writer, heldOrders, isOurIban, cutOffs }, virtualIbans(read))
}

/** An app at 9:00 on Monday, 2027-01-11, whose bank exchanges files through folders. */
export async function fileBankApp(profile: Partial<BankProfile> = {}): Promise<FileBankApp> {
  const folders = makeFolders()
  const adapter = fileBankAdapter({ generic: testWriter(profile).profile })
  const environment = {
    FILE_BANK_VIRTUAL_IBANS: VIRTUAL_IBANS,
    FILE_BANK_OUTGOING: folders.outgoing,
    FILE_BANK_INCOMING: folders.incoming,
    FILE_BANK_ARCHIVE: folders.archive,
  }
  const app = await testApp({ work: false, config: { bank: { adapter, environment } } })
  const { database, ports } = app.context
  const news: BankNews[] = []
  const statements: BankStatement[] = []
  const own: Parts = {
    files: folderExchange(folders),
    database,
    inbox: async items => {
      news.push(...items)
    },
    hear: statement => statements.push(statement),
    profile,
  }
  return {
    app,
    database,
    folders,
    news,
    statements,
    bank: ports.bank as Required<Bank>,
    bankWith: parts => testFileBank({ ...own, ...parts }),
  }
}

export function orderOf(given: Partial<PaymentOrder> = {}): PaymentOrder {
  return {
    payment_id: newId(),
    partner_id: newId(),
    kind: 'SCT',
    direction: 'OUT',
    amount: 12_345n,
    currency: 'EUR',
    counterparty: { iban: 'FR7630006000011234567890189', bic: '', name: 'A company' },
    references: ['RF18539007547034'],
    requested_on: day('2027-01-11'),
    loan_ids: [],
    mandate: null,
    ...given,
  }
}

export function debitOf(given: Partial<PaymentOrder> & { scheme?: 'CORE' | 'B2B' } = {}) {
  const { scheme = 'CORE', ...order } = given
  return orderOf({
    kind: 'SDD',
    direction: 'IN',
    requested_on: day('2027-01-12'),
    mandate: {
      reference: endToEndIdOf(newId()),
      scheme,
      signed_on: day('2027-01-04'),
      creditor_identifier: 'DE98ZZZ09999999999',
    },
    ...order,
  })
}

/** Runs turns until one does nothing. Incoming files need two to count as complete. */
export async function exchangeAll(bank: Required<Bank>): Promise<void> {
  await bank.exchange()
  while ((await bank.exchange()) > 0);
}

export const read = <T>(database: Database, work: (tx: Tx) => Promise<T>): Promise<T> =>
  transaction(database, { partners: '*', read_only: true }, work)

export interface FileRow {
  readonly id: string
  readonly name: string
  readonly message_id: string
  readonly state: string
  readonly sha256: string
  readonly orders: number
  readonly deliveries: number
  readonly execute_on: string
}

export const filesOf = (database: Database): Promise<FileRow[]> =>
  read(database, tx => tx.all(sql<FileRow>`select * from order_files order by id`))

export interface OrderRow {
  readonly payment_id: string
  readonly file_id: string | null
  readonly sequence_type: string | null
  readonly answer: string | null
  readonly payee_check: string | null
  readonly rejected_for: string | null
}

export const ordersOf = (database: Database): Promise<OrderRow[]> =>
  read(database, tx => tx.all(sql<OrderRow>`select * from file_bank_orders order by payment_id`))

export async function alertsOf(database: Database): Promise<{ kind: string; detail: string }[]> {
  return read(database, tx =>
    tx.all(sql<{ kind: string; detail: string }>`
      select kind, detail from alerts where cleared_at is null order by id`),
  )
}

/** The delivered files by name, without temporary ones. */
export function delivered({ outgoing }: Folders): Map<string, string> {
  const names = readdirSync(outgoing).filter(name => !name.startsWith('.'))
  return new Map(names.sort().map(name => [name, readFileSync(join(outgoing, name), 'utf8')]))
}

export const sha256Of = (text: string) => createHash('sha256').update(text).digest('hex')

/** The bank puts a file into the folder, complete at once. */
export function putIncoming({ incoming }: Folders, name: string, content: string): void {
  writeFileSync(join(incoming, name), content)
}

interface ReportedTransaction {
  readonly order: PaymentOrder
  readonly code: string
  readonly reason?: string
  readonly amount?: string
}

let reports = 0

/** A report of the bank (pain.002) in the shape of the samples. */
export function reportOf(report: {
  message_id: string
  group?: string
  reason?: string
  payment?: string
  transactions?: readonly ReportedTransaction[]
}): string {
  const { message_id, group, reason, payment, transactions = [] } = report
  reports++
  const hasPayment = payment !== undefined || transactions.length > 0
  const ofPayment = `<OrgnlPmtInfAndSts><OrgnlPmtInfId>${message_id}</OrgnlPmtInfId>
    ${element('PmtInfSts', payment)}${reasonElement(group ? undefined : reason)}
    ${transactions.map(transactionElement).join('')}</OrgnlPmtInfAndSts>`
  return `<?xml version="1.0" encoding="UTF-8"?>
    <Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.002.001.03"><CstmrPmtStsRpt>
    <GrpHdr><MsgId>R${reports}</MsgId><CreDtTm>2027-01-11T10:00:00Z</CreDtTm></GrpHdr>
    <OrgnlGrpInfAndSts><OrgnlMsgId>${message_id}</OrgnlMsgId>
    <OrgnlMsgNmId>pain.001</OrgnlMsgNmId>
    ${element('GrpSts', group)}${reasonElement(group && reason)}</OrgnlGrpInfAndSts>
    ${hasPayment ? ofPayment : ''}</CstmrPmtStsRpt></Document>`
}

export interface RawReport {
  readonly message_id: string
  readonly group: string
  /** The first block, and the payment that it names if it is not the file's. */
  readonly block: string
  readonly about: string
  /** A second block, about the file's payment. */
  readonly more: string
}

/** A report with these elements in its group and blocks. */
export function rawReport(report: Pick<RawReport, 'message_id'> & Partial<RawReport>): string {
  const { message_id, group = '', about = message_id, block, more } = report
  const blockOf = (id: string, content: string | undefined) =>
    content === undefined
      ? ''
      : `<OrgnlPmtInfAndSts><OrgnlPmtInfId>${id}</OrgnlPmtInfId>${content}</OrgnlPmtInfAndSts>`
  const blocks = blockOf(about, block) + blockOf(message_id, more)
  return reportOf({ message_id }).replace(
    '</OrgnlGrpInfAndSts>',
    `${group}</OrgnlGrpInfAndSts>${blocks}`,
  )
}

function element(name: string, text: string | undefined): string {
  return text ? `<${name}>${text}</${name}>` : ''
}

function reasonElement(code: string | undefined): string {
  return code ? `<StsRsnInf><Rsn><Cd>${code}</Cd></Rsn></StsRsnInf>` : ''
}

function transactionElement({ order, code, reason, amount }: ReportedTransaction): string {
  const original = `<OrgnlTxRef><Amt><InstdAmt Ccy="EUR">${amount}</InstdAmt></Amt></OrgnlTxRef>`
  return `<TxInfAndSts><OrgnlEndToEndId>${endToEndIdOf(order.payment_id)}</OrgnlEndToEndId>
    <TxSts>${code}</TxSts>${reasonElement(reason)}${amount ? original : ''}</TxInfAndSts>`
}

/** Moves the business clock to a full hour on a day. */
export const onDay = (app: TestApp, on: string, hour = 9) => setClock(app, on, hour)
