/**
 * Checks a written file of payment orders: reads it with the reader's parser, not with what the
 * writer knows, and applies the rules to what it then says.
 */

import { parseCreditorId } from '../../../countries/index.ts'
import { find, textAt } from '../reading/elements.ts'
import { type Element, openTree, type TreeVisitor } from '../reading/tree.ts'
import { UnreadableFile } from '../reading/unreadable.ts'
import { collectWarnings } from '../reading/warnings.ts'
import type { BankProfile } from './bank-profile.ts'
import { type FileCheck, openCheck } from './check-order-file.ts'
import { type Fault, quote, type Report } from './faults.ts'
import { checkCodes, checkTexts } from './order-codes.ts'
import { ORDER_MESSAGES, type OrderFamily } from './order-schema.ts'
import {
  centsAt,
  readDebitTerms,
  readHead,
  readOrder,
  readTransferTerms,
} from './read-order-xml.ts'

interface Totals {
  orders: number
  cents: bigint
}

interface State {
  readonly check: FileCheck
  readonly profile: BankProfile
  header: Element | null
  family: OrderFamily
  /** Whether the terms of the current group are checked. */
  is_group_open: boolean
  readonly file: Totals
  group: Totals
}

const DECLARATION = /^<\?xml version="1\.0" encoding="UTF-8"\?>/
/** What the parser gets at once. */
const PIECE_BYTES = 65_536

/** All faults of the file; none if the bank can execute it. */
export function checkOrderXml(bytes: Uint8Array, profile: BankProfile): readonly Fault[] {
  return readOrderXml(bytes, profile, openCheck(profile))
}

/** Gives `check` what the file says, and the faults that only the XML shows. */
export function readOrderXml(
  bytes: Uint8Array,
  profile: BankProfile,
  check: FileCheck,
): readonly Fault[] {
  const warnings = collectWarnings()
  const state: State = {
    check,
    profile,
    header: null,
    family: 'pain.001',
    is_group_open: false,
    file: { orders: 0, cents: 0n },
    group: { orders: 0, cents: 0n },
  }
  try {
    const tree = openTree(ORDER_MESSAGES, visit(state), warnings)
    for (const text of decode(bytes, check.report.file)) tree.write(text)
    tree.end()
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error
    check.report.file('Document', 'structure', error.message)
  }
  for (const warning of warnings.list()) {
    check.report.file('Document', 'structure', warning)
  }
  if (state.header) checkTotals(state.header, state.file, check.report.file)
  return check.end()
}

/** The text in pieces. Reports a file that is not UTF-8, and one with a byte order mark. */
function* decode(bytes: Uint8Array, report: Report): Generator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  for (let at = 0; at === 0 || at < bytes.length; at += PIECE_BYTES) {
    const end = at + PIECE_BYTES
    let text: string
    try {
      text = decoder.decode(bytes.subarray(at, end), { stream: end < bytes.length })
    } catch {
      report('Document', 'encoding', 'the file has bytes that are not UTF-8')
      return
    }
    if (at === 0 && !DECLARATION.test(text)) {
      report('Document', 'encoding', 'the file does not begin with an XML declaration of UTF-8')
    }
    yield text
  }
}

function visit(state: State): TreeVisitor<OrderFamily> {
  const { check, profile } = state
  return {
    message: (name, family) => {
      state.family = family
      const expected = family === 'pain.001' ? profile.transfers : profile.debits
      if (name === expected) return
      check.report.file('Document', 'version', `the bank takes ${expected}, not ${name}`)
    },
    opened: (name, parent) => {
      if (name === 'PmtInf') openGroup(state)
      else if (parent.name === 'PmtInf' && !state.is_group_open) endTerms(state, parent)
    },
    closed: element => {
      if (element.name === 'GrpHdr') endHeader(state, element)
      else if (element.name === 'PmtInf') endGroup(state, element)
      else if (element.name.endsWith('TxInf')) endOrder(state, element)
    },
  }
}

function endHeader(state: State, element: Element): void {
  const { check, profile } = state
  state.header = element
  checkTexts(element, profile, check.report.file)
  check.head(readHead(element))
  checkInitiatorId(state, find(element, 'InitgPty', 'Id', 'PrvtId', 'Othr', 'Id'))
}

/** Files of debits have the initiator's creditor identifier if the bank wants it; others never. */
function checkInitiatorId({ check, family, profile }: State, id: Element | null): void {
  const field = 'InitgPty/Id'
  const is_wanted = profile.identifies_initiator && family === 'pain.008'
  if (!is_wanted) {
    if (id) check.report.file(field, 'code', 'the bank does not want the initiator identified')
  } else if (!id || !parseCreditorId(id.text).ok) {
    check.report.file(field, 'creditor_identifier', 'this is no creditor identifier')
  }
}

function openGroup(state: State): void {
  state.is_group_open = false
  state.group = { orders: 0, cents: 0n }
}

/** The group's own elements are complete: its orders begin, or it ends without any. */
function endTerms(state: State, element: Element): void {
  const { check, family, profile } = state
  state.is_group_open = true
  const terms = family === 'pain.001' ? readTransferTerms(element) : readDebitTerms(element)
  check.group(terms)
  checkTexts(element, profile, check.report.group)
  checkCodes(element, family, check.report.group)
}

function endOrder(state: State, element: Element): void {
  const { check, family, profile } = state
  const amount = find(element, 'InstdAmt') ?? find(element, 'Amt', 'InstdAmt')
  const cents = centsAt(amount)
  const order = readOrder(element, family, cents ?? 0n)
  check.order(order)
  const report = check.report.order
  checkTexts(element, profile, report)
  checkCodes(element, family, report)
  if (amount?.currency !== 'EUR') report('amount', 'currency', 'the amount is not in EUR')
  if (cents === null) {
    report('amount', 'amount', `${quote(amount?.text ?? '')} has not exactly two decimals`)
  }
  for (const totals of [state.group, state.file]) {
    totals.orders++
    totals.cents += cents ?? 0n
  }
}

function endGroup(state: State, element: Element): void {
  if (!state.is_group_open) endTerms(state, element)
  checkTotals(element, state.group, state.check.report.group)
}

function checkTotals(element: Element, totals: Totals, report: Report): void {
  const count = textAt(element, 'NbOfTxs')
  if (count !== String(totals.orders)) {
    report(
      'NbOfTxs',
      'count',
      `${quote(count ?? '')} is not the number of orders, ${totals.orders}`,
    )
  }
  const sum = find(element, 'CtrlSum')
  if (centsAt(sum) !== totals.cents) {
    const detail = `${quote(sum?.text ?? '')} is not the sum of the orders, ${totals.cents} cents`
    report('CtrlSum', 'sum', detail)
  }
}
