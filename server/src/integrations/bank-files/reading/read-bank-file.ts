/**
 * Reads a bank's file as a stream of typed items. Memory does not grow with the file, because at
 * most one entry, or one transaction of it, is held at a time.
 */
import {
  type Balance,
  type Batch,
  type Detail,
  type Entry,
  readBalances,
  readBatch,
  readDetail,
  readEntry,
  readStatement,
  type Statement,
} from './camt.ts'
import { decodeXml } from './decode.ts'
import { find, flagAt, textAt } from './elements.ts'
import { BANK_MESSAGES, type MessageFamily } from './schema.ts'
import {
  type GroupStatus,
  type PaymentStatus,
  readGroupStatus,
  readPaymentStatus,
  readTransactionStatus,
  type TransactionStatus,
} from './status-report.ts'
import { type Tie, tieOut } from './tie-out.ts'
import { type Element, openTree, type TreeVisitor } from './tree.ts'
import { UnreadableFile } from './unreadable.ts'
import { collectWarnings, type Warnings } from './warnings.ts'

/**
 * In the order of the file, except that the details of an entry come before the entry, since there
 * may be too many to hold. Nothing is valid before `end`: until then the file may still be refused.
 */
export type BankFileItem =
  | { readonly kind: 'message'; readonly name: string; readonly family: MessageFamily }
  | { readonly kind: 'header'; readonly header: Header }
  | { readonly kind: 'statement'; readonly statement: Statement }
  | { readonly kind: 'detail'; readonly detail: Detail }
  | { readonly kind: 'entry'; readonly entry: Entry }
  | {
      readonly kind: 'statement_end'
      readonly statement: Statement
      readonly balances: readonly Balance[]
      /** Empty for notifications, which have no balances. */
      readonly ties: readonly Tie[]
    }
  | { readonly kind: 'group_status'; readonly group: GroupStatus }
  | { readonly kind: 'payment_status'; readonly payment: PaymentStatus }
  | { readonly kind: 'transaction_status'; readonly transaction: TransactionStatus }
  | { readonly kind: 'end'; readonly warnings: readonly string[] }

export interface Header {
  readonly message_id: string | null
  readonly created_at: string | null
  /** A large statement may be sent in several messages. */
  readonly page: string | null
  readonly is_last_page: boolean | null
}

function readHeader(from: Element): Header {
  const page = find(from, 'MsgPgntn')
  return {
    message_id: textAt(from, 'MsgId'),
    created_at: textAt(from, 'CreDtTm'),
    page: textAt(page, 'PgNb'),
    is_last_page: flagAt(page, 'LastPgInd', null),
  }
}

/** Throws an `UnreadableFile` if the file cannot be read safely. */
export async function* readBankFile(
  bytes: AsyncIterable<Uint8Array>,
): AsyncGenerator<BankFileItem, void, void> {
  const items: BankFileItem[] = []
  const warnings = collectWarnings()
  const position = newPosition()
  const tree = openTree(BANK_MESSAGES, visit({ items, warnings, position }), warnings)
  for await (const text of decodeXml(bytes)) {
    tree.write(text)
    for (const item of items.splice(0)) yield item
  }
  tree.end()
  for (const item of items.splice(0)) yield item
  if (position.is_empty) {
    throw new UnreadableFile('The file contains no statement, notification or status.')
  }
  yield { kind: 'end', warnings: warnings.list() }
}

/** Batches in one entry. More are refused: one entry has one, or one for each group of details. */
const BATCHES_MAX = 1_000

/** Where the reader is in the file. */
interface Position {
  /** Whether no statement, notification or status has begun. */
  is_empty: boolean
  is_statement: boolean
  /** Of statements, or of payments in a pain.002. */
  group: number
  /** What has been handed over of the current statement or payment. */
  head: Statement | PaymentStatus | null
  /** Of entries, or of transactions in a pain.002. */
  place: number
  details: number
  batches: Batch[]
  return_element: Element | null
  /** Booked credits less booked debits of the statement, by currency. */
  booked: Map<string, bigint>
}

function newPosition(): Position {
  return {
    is_empty: true,
    is_statement: false,
    group: 0,
    head: null,
    place: 0,
    details: 0,
    batches: [],
    return_element: null,
    booked: new Map(),
  }
}

function visit(visitor: Visitor): TreeVisitor<MessageFamily> {
  const { items, position } = visitor
  return {
    message: (name, family) => {
      position.is_statement = family === 'camt.053'
      items.push({ kind: 'message', name, family })
    },
    opened: (name, parent) => OPENED[name]?.(visitor, parent),
    closed: element => CLOSED[element.name]?.(visitor, element),
  }
}

interface Visitor {
  readonly items: BankFileItem[]
  readonly warnings: Warnings
  readonly position: Position
}

type Step = (visitor: Visitor, element: Element) => void

/** What to do when an element begins, by its name; the element is its parent. */
const OPENED: Readonly<Record<string, Step>> = {
  Stmt: beginGroup,
  Ntfctn: beginGroup,
  OrgnlPmtInfAndSts: beginGroup,
  Ntry: (visitor, statement) => {
    const { position } = visitor
    if (!position.head) sendStatement(visitor, statement)
    position.place++
    position.details = 0
    position.batches = []
    position.return_element = null
  },
  TxInfAndSts: (visitor, payment) => {
    if (!visitor.position.head) sendPayment(visitor, payment)
    visitor.position.place++
  },
}

/** What to do when an element ends, by its name. */
const CLOSED: Readonly<Record<string, Step>> = {
  GrpHdr: ({ items }, element) => {
    items.push({ kind: 'header', header: readHeader(element) })
  },
  Stmt: endStatement,
  Ntfctn: endStatement,
  Ntry: endEntry,
  NtryDtls: endEntryDetails,
  TxDtls: ({ items, warnings, position }, element) => {
    position.details++
    const context = {
      statement_place: position.group,
      entry_place: position.place,
      place: position.details,
    }
    items.push({ kind: 'detail', detail: readDetail(element, context, warnings) })
  },
  OrgnlGrpInfAndSts: ({ items, position }, element) => {
    position.is_empty = false
    items.push({ kind: 'group_status', group: readGroupStatus(element) })
  },
  OrgnlPmtInfAndSts: sendPayment,
  TxInfAndSts: ({ items, warnings, position }, element) => {
    const context = { payment_place: position.group, place: position.place }
    const transaction = readTransactionStatus(element, context, warnings)
    items.push({ kind: 'transaction_status', transaction })
  },
}

function beginGroup({ position }: Visitor): void {
  position.is_empty = false
  position.group++
  position.head = null
  position.place = 0
  position.booked = new Map()
}

/** Called before the first entry and at the end. */
function sendStatement({ items, position }: Visitor, element: Element): Statement {
  const statement = readStatement(element, position.group)
  if (isNewHead(position, statement, element)) items.push({ kind: 'statement', statement })
  return statement
}

function sendPayment({ items, position }: Visitor, element: Element): void {
  const payment = readPaymentStatus(element, position.group)
  if (isNewHead(position, payment, element)) items.push({ kind: 'payment_status', payment })
}

/**
 * Whether the head is still to be sent. What its entries belong to must be known before them, so a
 * file that adds to the head later is refused.
 */
function isNewHead(position: Position, head: Statement | PaymentStatus, element: Element): boolean {
  if (position.head === null) {
    position.head = head
    return true
  }
  if (JSON.stringify(head) === JSON.stringify(position.head)) return false
  throw new UnreadableFile(
    `Line ${element.line}: ${element.name} says what it is about only after its first entry.`,
  )
}

function endEntryDetails({ warnings, position }: Visitor, element: Element): void {
  const batch = find(element, 'Btch')
  if (batch) position.batches.push(readBatch(batch, warnings))
  position.return_element ??= find(element, 'RtrInf')
  if (position.batches.length <= BATCHES_MAX) return
  throw new UnreadableFile(`Line ${element.line}: an entry has more than ${BATCHES_MAX} batches.`)
}

function endEntry({ items, warnings, position }: Visitor, element: Element): void {
  const context = {
    statement_place: position.group,
    place: position.place,
    batches: position.batches,
    details: position.details,
    return_element: position.return_element,
  }
  const entry = readEntry(element, context, warnings)
  if (entry.status === 'BOOK') {
    const { currency, cents } = entry.amount
    const change = entry.sign === 'CRDT' ? cents : -cents
    position.booked.set(currency, (position.booked.get(currency) ?? 0n) + change)
  }
  items.push({ kind: 'entry', entry })
}

function endStatement(visitor: Visitor, element: Element): void {
  const { items, warnings, position } = visitor
  const statement = sendStatement(visitor, element)
  const balances = readBalances(element, warnings)
  const ties = position.is_statement ? tieOut(balances, position.booked) : []
  items.push({ kind: 'statement_end', statement, balances, ties })
}
