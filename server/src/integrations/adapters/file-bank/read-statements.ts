/**
 * Reads statements (camt.053) and notifications (camt.054) into entries. A file is read twice:
 * first to its end, because nothing in it is valid before, then to store its entries in slices.
 * Repeating either is safe.
 */
import { createHash, type Hash } from 'node:crypto'
import { clearAlert, raiseAlert } from '../../../platform/alerts/index.ts'
import { type Database, type Tx, transaction } from '../../../platform/db/transaction.ts'
import { addTargetDays, targetDaysBetween } from '../../../platform/kit/calendar.ts'
import { canonicalJson } from '../../../platform/kit/crypto.ts'
import { addDays, type Day, day, min, yearOf } from '../../../platform/kit/dates.ts'
import type { Balance, Detail, Entry, Statement } from '../../bank-files/reading/camt.ts'
import { type BankFileItem, readBankFile } from '../../bank-files/reading/read-bank-file.ts'
import type { Tie } from '../../bank-files/reading/tie-out.ts'
import { UnreadableFile } from '../../bank-files/reading/unreadable.ts'
import { ownIbans } from './decide-entries.ts'
import { doEach } from './do-each.ts'
import { reopenWaiting } from './movement-store.ts'
import { OWN_TABLES, readPieces, stepBankFile } from './received-store.ts'
import {
  insertBankEntries,
  insertStatement,
  markRead,
  type NewDetail,
  type NewEntry,
  type NewStatement,
  type Paging,
  readOpen,
  readUnreadStatements,
  type StatementKind,
} from './statement-store.ts'

/** Returns how many files were read or refused. */
export async function readStatements(database: Database): Promise<number> {
  const files = await transaction(database, OWN_TABLES, readUnreadStatements)
  return doEach(files, file => readFile(database, file))
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
  await transaction(database, OWN_TABLES, async tx => {
    for (const statement of surveyed) await insertStatement(tx, file.id, statement)
  })
  await storeEntries(database, file.id)
  await transaction(database, OWN_TABLES, async tx => {
    await markRead(tx, file.id, addTargetDays(tx.today, 1))
    // What is new may explain them.
    await reopenWaiting(tx)
    const reasons = surveyed.flatMap(one => one.refused_for ?? [])
    if (reasons.length === surveyed.length && reasons.length > 0) {
      return refuse(tx, file, reasons.join(' '))
    }
    await stepBankFile(tx, file.id, 'read')
    if (reasons.length > 0) await alert(tx, file, reasons.join(' '))
    else await clearAlert(tx, 'bank_file_unfit', file.id)
  })
}

async function refuse(tx: Tx, file: File, reason: string): Promise<void> {
  if (await stepBankFile(tx, file.id, 'refuse', reason)) await alert(tx, file, reason)
}

async function alert(tx: Tx, { id, name }: File, reason: string): Promise<void> {
  const detail = `Statements in the bank's file ${name} cannot be booked: ${reason}`
  await raiseAlert(tx, 'bank_file_unfit', id, detail)
}

/** Reads to the end of the file what identifies its statements, and whether they can be booked. */
async function survey(
  database: Database,
  id: string,
): Promise<readonly NewStatement[] | UnreadableFile> {
  const own = await transaction(database, OWN_TABLES, async tx => ownIbans(tx))
  const statements: NewStatement[] = []
  let kind: StatementKind = 'STATEMENT'
  let page: string | null = null
  let content = newContent()
  try {
    for await (const item of readBankFile(readPieces(database, id))) {
      if (item.kind === 'message' && item.family === 'camt.054') kind = 'NOTIFICATION'
      if (item.kind === 'header') page = item.header.page
      if (item.kind === 'statement') content = newContent()
      if (item.kind === 'entry') addEntry(content, item.entry)
      if (item.kind === 'detail') addDetail(content, item.detail)
      if (item.kind === 'statement_end') {
        statements.push(summary({ kind, page, item, content, own }))
      }
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

interface Surveyed {
  readonly kind: StatementKind
  /** Of the message. */
  readonly page: string | null
  readonly item: Extract<BankFileItem, { kind: 'statement_end' }>
  readonly content: Content
  readonly own: ReadonlySet<string>
}

function summary({ kind, page, item, content, own }: Surveyed): NewStatement {
  const { statement, balances, ties } = item
  const tie = ties.find(one => one.currency === 'EUR')
  const { opening = null, closing = null } = tie ?? {}
  const { hash } = content
  const closing_on = closingDay(balances)
  hash.update(canonicalJson([opening, closing]))
  const paging = pagingOf(statement, page, balances)
  const figures = { opening, closing, closing_on }
  const ofFigures = kind === 'STATEMENT' ? faultOfFigures(ties, tie, figures, paging) : null
  const reason = faultOf(statement, own) ?? content.fault ?? ofFigures
  const is_statement = kind === 'STATEMENT' && closing_on !== null
  return {
    place: statement.place,
    kind,
    account: statement.account?.iban ?? '',
    reference: referenceOf(statement, paging, closing_on),
    ...paging,
    sequence: is_statement ? sequenceOf(statement, closing_on) : null,
    from_on: is_statement ? openingDay(balances, closing_on) : null,
    ...figures,
    content_hash: hash.digest('hex'),
    refused_for: reason && `Statement ${statement.place} (${statement.id ?? 'no id'}): ${reason}`,
  }
}

/** Ids of statements are not unique at every bank. */
function referenceOf(statement: Statement, { page }: Paging, closing_on: Day | null): string {
  const parts = [nameOf(statement), page && `page ${page}`, closing_on]
  return parts.filter(part => part !== null).join(' ')
}

function nameOf({ id, electronic_number, legal_number }: Statement): string {
  const number = electronic_number ?? legal_number
  return [id, number].filter(part => part !== null).join(' ')
}

/** A page of a statement, or of a message, lacks a final balance at least on one side. */
function pagingOf(
  statement: Statement,
  message_page: string | null,
  balances: readonly Balance[],
): Paging {
  const isThere = (types: readonly string[]) =>
    balances.some(({ type, subtype }) => types.includes(type ?? '') && subtype !== 'INTM')
  const is_first_page = isThere(['OPBD', 'PRCD'])
  const is_last_page = isThere(['CLBD'])
  const page = Number(statement.page ?? message_page)
  if ((is_first_page && is_last_page) || !Number.isSafeInteger(page) || page < 1) {
    return { pages_of: null, page: null, is_first_page: true, is_last_page: true }
  }
  return { pages_of: nameOf(statement), page, is_first_page, is_last_page }
}

/** The bank's number, else that of the banking day in its year. */
function sequenceOf({ electronic_number, legal_number }: Statement, closing_on: Day): number {
  const number = [electronic_number, legal_number].find(one => NUMBER.test(one ?? ''))
  const year_end = day(`${yearOf(closing_on) - 1}-12-31`)
  return number ? Number(number) : targetDaysBetween(year_end, closing_on)
}

const NUMBER = /^0*[1-9]\d{0,8}$/

/** A booked opening balance is of the first day, a previous closing balance of the day before. */
function openingDay(balances: readonly Balance[], closing_on: Day): Day {
  const days = balances.flatMap(({ type, on }) => {
    if (on === null || !['OPBD', 'PRCD'].includes(type ?? '')) return []
    return [type === 'OPBD' ? day(on) : addDays(day(on), 1)]
  })
  return min(closing_on, ...days)
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

/** Whether the statement ties, the service finds out. */
function faultOfFigures(
  ties: readonly Tie[],
  tie: Tie | undefined,
  { opening, closing, closing_on }: Pick<NewStatement, 'opening' | 'closing' | 'closing_on'>,
  { is_first_page, is_last_page }: Paging,
): string | null {
  const other = ties.find(({ currency }) => currency !== 'EUR')
  if (other) return `it has balances or entries in ${other.currency}.`
  const has_closing = closing !== null && closing_on !== null
  if ((is_first_page && opening === null) || (is_last_page && !has_closing)) {
    return 'it has no opening or no closing balance.'
  }
  if (tie?.contradictory) return `it has two different ${tie.contradictory} balances.`
  return null
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
