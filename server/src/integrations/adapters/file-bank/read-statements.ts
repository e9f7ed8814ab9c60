/**
 * Reads statements (camt.053) and notifications (camt.054) into entries. A file is read twice:
 * first to its end, because nothing in it is valid before, then to store its entries in slices.
 * Repeating either is safe.
 */
import { createHash, type Hash } from 'node:crypto'
import { raiseAlert } from '../../../platform/alerts/index.ts'
import { type Database, type Tx, transaction } from '../../../platform/db/transaction.ts'
import { canonicalJson } from '../../../platform/kit/crypto.ts'
import { type Day, day } from '../../../platform/kit/dates.ts'
import { compactIban } from '../../../platform/kit/iban.ts'
import { toDecimal } from '../../../platform/kit/money.ts'
import type { Balance, Detail, Entry, Statement } from '../../bank-files/reading/camt.ts'
import { type BankFileItem, readBankFile } from '../../bank-files/reading/read-bank-file.ts'
import type { Tie } from '../../bank-files/reading/tie-out.ts'
import { UnreadableFile } from '../../bank-files/reading/unreadable.ts'
import { OWN_TABLES, readPieces, stepBankFile } from './received-store.ts'
import {
  findSame,
  insertBankEntries,
  insertStatement,
  markRead,
  type NewDetail,
  type NewEntry,
  type NewStatement,
  readOpen,
  readUnreadStatements,
  type StatementKind,
} from './statement-store.ts'

/** Returns how many files were read or refused. */
export async function readStatements(database: Database): Promise<number> {
  const files = await transaction(database, OWN_TABLES, readUnreadStatements)
  for (const file of files) await readFile(database, file)
  return files.length
}

interface File {
  readonly id: string
  readonly name: string
}

async function readFile(database: Database, file: File): Promise<void> {
  const surveyed = await survey(database, file.id)
  if (surveyed instanceof UnreadableFile) {
    await transaction(database, OWN_TABLES, tx => refuse(tx, file, surveyed.message))
    return
  }
  const statements = await transaction(database, OWN_TABLES, tx =>
    storeStatements(tx, file, surveyed),
  )
  await storeEntries(database, file.id)
  await transaction(database, OWN_TABLES, async tx => {
    await markRead(tx, file.id)
    const reasons = statements.flatMap(one => one.refused_for ?? [])
    if (reasons.length === 0) await stepBankFile(tx, file.id, 'read')
    else if (reasons.length < statements.length) {
      await stepBankFile(tx, file.id, 'read')
      await alert(tx, file, reasons)
    } else await refuse(tx, file, reasons.join(' '))
  })
}

async function refuse(tx: Tx, file: File, reason: string): Promise<void> {
  if (await stepBankFile(tx, file.id, 'refuse', reason)) await alert(tx, file, [reason])
}

async function alert(tx: Tx, { id, name }: File, reasons: readonly string[]): Promise<void> {
  const detail = `Nothing is booked of statements in the bank's file ${name}. ${reasons.join(' ')}`
  await raiseAlert(tx, 'bank_file_unfit', id, detail)
}

/** Reads to the end of the file what identifies its statements, and whether they can be booked. */
async function survey(
  database: Database,
  id: string,
): Promise<readonly NewStatement[] | UnreadableFile> {
  const { lender } = database.settings
  const own = new Set([lender.collection_iban, lender.funding_iban].map(compactIban))
  const statements: NewStatement[] = []
  let kind: StatementKind = 'STATEMENT'
  let content = newContent()
  try {
    for await (const item of readBankFile(readPieces(database, id))) {
      if (item.kind === 'message' && item.family === 'camt.054') kind = 'NOTIFICATION'
      if (item.kind === 'statement') content = newContent()
      if (item.kind === 'entry') addEntry(content, item.entry)
      if (item.kind === 'detail') addDetail(content, item.detail)
      if (item.kind === 'statement_end') statements.push(summary(kind, item, content, own))
    }
  } catch (error) {
    if (error instanceof UnreadableFile) return error
    throw error
  }
  return statements
}

/** Of the entries of one statement. */
interface Content {
  readonly hash: Hash
  /** The details of the entry that is being read. */
  details: Hash
  /** Why an entry cannot be booked. */
  fault: string | null
}

const newContent = (): Content => ({
  hash: createHash('sha256'),
  details: createHash('sha256'),
  fault: null,
})

function addDetail(content: Content, { end_to_end_id, amount, sign }: Detail): void {
  content.details.update(`${canonicalJson([end_to_end_id, amount, sign])}\n`)
}

/** Only what is booked makes a statement another one. */
function addEntry(content: Content, entry: Entry): void {
  const details = content.details.digest('hex')
  content.details = createHash('sha256')
  if (entry.status !== 'BOOK') return
  const { amount, sign, booked_on, value_on, bank_reference, place } = entry
  const texts = [amount.currency, amount.cents, sign, booked_on, value_on, bank_reference, details]
  content.hash.update(`${canonicalJson(texts)}\n`)
  if (!daysOf(entry)) content.fault ??= `its entry ${place} has no day.`
  if (amount.currency !== 'EUR') content.fault ??= `its entry ${place} is in ${amount.currency}.`
}

/** Null if the bank gives neither day. Only entries that are not booked may lack both. */
function daysOf({ booked_on, value_on }: Entry): { booked_on: Day; value_on: Day } | null {
  const [booked, value] = [booked_on ?? value_on, value_on ?? booked_on]
  return booked === null || value === null ? null : { booked_on: day(booked), value_on: day(value) }
}

function summary(
  kind: StatementKind,
  item: Extract<BankFileItem, { kind: 'statement_end' }>,
  { hash, fault }: Content,
  own: ReadonlySet<string>,
): NewStatement {
  const { statement, balances, ties } = item
  const tie = ties.find(one => one.currency === 'EUR')
  const account = statement.account?.iban ?? ''
  const closing_on = closingDay(balances)
  const { opening = null, closing = null } = tie ?? {}
  hash.update(canonicalJson([opening, closing]))
  const reason =
    faultOf(statement, own) ?? fault ?? (kind === 'STATEMENT' ? tieFault(ties, tie) : null)
  return {
    place: statement.place,
    kind,
    account,
    reference: referenceOf(statement, closing_on),
    opening,
    closing,
    closing_on,
    sequence_number: statement.electronic_number ?? statement.legal_number,
    content_hash: hash.digest('hex'),
    refused_for: reason && `Statement ${statement.place} (${statement.id ?? 'no id'}): ${reason}`,
  }
}

/** Ids of statements are not unique at every bank, and pages of one statement share theirs. */
function referenceOf(statement: Statement, closing_on: Day | null): string {
  const { id, electronic_number, legal_number, page } = statement
  const number = electronic_number ?? legal_number
  return [id, number, page && `page ${page}`, closing_on].filter(part => part !== null).join(' ')
}

function closingDay(balances: readonly Balance[]): Day | null {
  const days = balances.flatMap(({ type, on }) => (type === 'CLBD' && on ? [on] : []))
  const last = days.sort().at(-1)
  return last === undefined ? null : day(last)
}

function faultOf({ id, account }: Statement, own: ReadonlySet<string>): string | null {
  if (id === null) return 'it has no id.'
  if (account?.iban && own.has(account.iban)) return null
  return `its account ${account?.iban ?? account?.account ?? 'is not named and'} is not ours.`
}

function tieFault(ties: readonly Tie[], tie: Tie | undefined): string | null {
  const other = ties.find(({ currency }) => currency !== 'EUR')
  if (other) return `it has balances or entries in ${other.currency}.`
  if (!tie || tie.ties === null) return 'it has no opening or no closing balance.'
  if (tie.contradictory) return `it has two different ${tie.contradictory} balances.`
  if (tie.ties) return null
  const [opening, booked, closing] = [tie.opening, tie.booked, tie.closing].map(one =>
    toDecimal(one ?? 0n),
  )
  return `its opening balance ${opening} plus entries ${booked} is not its closing ${closing}.`
}

/** Stores the statements once. One that was accepted in another file is left out or refused. */
async function storeStatements(
  tx: Tx,
  { id }: File,
  surveyed: readonly NewStatement[],
): Promise<readonly NewStatement[]> {
  const stored: NewStatement[] = []
  for (const statement of surveyed) {
    const same = statement.refused_for ? null : await findSame(tx, id, statement)
    const twin = stored.find(one => !one.refused_for && isSame(one, statement))
    const known = same ?? twin?.content_hash ?? null
    if (known === statement.content_hash) continue
    const name = `Statement ${statement.place} (${statement.reference})`
    const another = `${name} was booked with other entries.`
    const row = known === null ? statement : { ...statement, refused_for: another }
    await insertStatement(tx, id, row)
    stored.push(row)
  }
  return stored
}

function isSame(one: NewStatement, other: NewStatement): boolean {
  return (
    one.kind === other.kind && one.account === other.account && one.reference === other.reference
  )
}

const SLICE = 500

async function storeEntries(database: Database, bank_file_id: string): Promise<void> {
  const statements = await transaction(database, OWN_TABLES, tx => readOpen(tx, bank_file_id))
  if (statements.length === 0) return
  const byPlace = new Map(statements.map(one => [one.place, one]))
  let entries: NewEntry[] = []
  let details: NewDetail[] = []
  const flush = async () => {
    const [storedEntries, storedDetails] = [entries, details]
    entries = []
    details = []
    await transaction(database, OWN_TABLES, tx =>
      insertBankEntries(tx, storedEntries, storedDetails),
    )
  }
  for await (const item of readBankFile(readPieces(database, bank_file_id))) {
    if (item.kind === 'detail') {
      const statement = byPlace.get(item.detail.statement_place)
      if (statement) details.push({ statement, detail: item.detail })
    } else if (item.kind === 'entry') {
      const statement = byPlace.get(item.entry.statement_place)
      const days = daysOf(item.entry)
      if (statement && days) entries.push({ statement, ...days, entry: item.entry })
    }
    if (entries.length + details.length >= SLICE) await flush()
  }
  await flush()
}
