/** Summarizes a bank file for people who look at it before importing it: counts, sums, faults. */
import { toDecimal } from '../../../platform/kit/money.ts'
import type { Entry, Statement } from './camt.ts'
import { type BankFileItem, readBankFile } from './read-bank-file.ts'
import type { Tie } from './tie-out.ts'
import { UnreadableFile } from './unreadable.ts'

export interface BankFileSummary {
  /** Such as camt.053.001.08; null if the file does not say. */
  readonly message: string | null
  /** Whether the file could be read to its end. */
  readonly readable: boolean
  /** Whether it could be imported: it is readable, and every statement with balances ties. */
  readonly accepted: boolean
  readonly reason: string | null
  readonly warnings: readonly string[]
  readonly statements: number
  /** Of a pain.002, its transactions. */
  readonly entries: number
  readonly booked_entries: number
  /** Hundredths by currency, over all entries whatever their status. */
  readonly credits: ReadonlyMap<string, bigint>
  readonly debits: ReadonlyMap<string, bigint>
  readonly details: number
  readonly returns: number
}

interface Counts {
  message: string | null
  warnings: string[]
  faults: string[]
  more_faults: number
  more_untied: number
  statements: number
  entries: number
  booked_entries: number
  readonly credits: Map<string, bigint>
  readonly debits: Map<string, bigint>
  details: number
  returns: number
  /** Returned details of the current entry. */
  returned_details: number
}

/** Statements that do not tie, or cannot, are named up to this number. */
const NAMED_MAX = 20

/** Never throws an `UnreadableFile`: the summary has its reason. */
export async function summarizeBankFile(
  bytes: AsyncIterable<Uint8Array>,
): Promise<BankFileSummary> {
  const counts = newCounts()
  try {
    for await (const item of readBankFile(bytes)) count(counts, item)
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error
    return unreadable(error.message, error.message_name)
  }
  const { faults, more_faults, more_untied, returned_details, ...rest } = counts
  if (more_faults > 0) faults.push(`${more_faults} more statements do not tie.`)
  if (more_untied > 0) rest.warnings.push(`${more_untied} more statements are not tied`)
  const accepted = faults.length === 0
  return { ...rest, readable: true, accepted, reason: accepted ? null : faults.join(' ') }
}

/** The summary of a file that cannot be read: no counts, since none can be trusted. */
export function unreadable(reason: string, message: string | null = null): BankFileSummary {
  const { credits, debits } = newCounts()
  return {
    message,
    readable: false,
    accepted: false,
    reason,
    warnings: [],
    statements: 0,
    entries: 0,
    booked_entries: 0,
    credits,
    debits,
    details: 0,
    returns: 0,
  }
}

function newCounts(): Counts {
  return {
    message: null,
    warnings: [],
    faults: [],
    more_faults: 0,
    more_untied: 0,
    statements: 0,
    entries: 0,
    booked_entries: 0,
    credits: new Map(),
    debits: new Map(),
    details: 0,
    returns: 0,
    returned_details: 0,
  }
}

function count(counts: Counts, item: BankFileItem): void {
  switch (item.kind) {
    case 'message':
      counts.message = item.name
      break
    case 'detail':
      counts.details++
      if (item.detail.return?.stated) counts.returned_details++
      break
    case 'entry':
      countEntry(counts, item.entry)
      break
    case 'transaction_status':
      counts.entries++
      break
    case 'statement_end':
      counts.statements++
      if (counts.message?.startsWith('camt.053')) checkTies(counts, item.statement, item.ties)
      break
    case 'end':
      counts.warnings.unshift(...item.warnings)
      break
  }
}

/** `RvslInd` does not turn the sign: an entry says itself what happened on the account. */
function countEntry(counts: Counts, entry: Entry): void {
  counts.entries++
  if (entry.status === 'BOOK') counts.booked_entries++
  const sums = entry.sign === 'CRDT' ? counts.credits : counts.debits
  const { currency, cents } = entry.amount
  sums.set(currency, (sums.get(currency) ?? 0n) + cents)
  counts.returns += counts.returned_details || Number(entry.return?.stated ?? false)
  counts.returned_details = 0
}

function checkTies(counts: Counts, statement: Statement, ties: readonly Tie[]): void {
  const id = statement.id?.replace(/\p{Cc}+/gu, ' ') ?? 'without an id'
  const name = `Statement ${statement.place} (${id})`
  for (const tie of ties.filter(one => one.ties === false)) {
    if (counts.faults.length < NAMED_MAX) counts.faults.push(faultOf(name, tie))
    else counts.more_faults++
  }
  const untied = ties.length === 0 ? [null] : ties.filter(one => one.ties === null)
  for (const tie of untied) {
    if (counts.warnings.length < NAMED_MAX) counts.warnings.push(warningOf(name, tie))
    else counts.more_untied++
  }
}

function faultOf(name: string, tie: Tie): string {
  const { currency, opening, booked, closing, contradictory } = tie
  if (opening === null || closing === null) {
    const lacks = missing({ opening, closing })
    return `${name} does not tie in ${currency}: it has ${lacks} in that currency.`
  }
  if (contradictory) {
    return `${name} does not tie in ${currency}: it has two different ${contradictory} balances.`
  }
  return (
    `${name} does not tie: opening balance ${toDecimal(opening)} plus booked entries ` +
    `${toDecimal(booked)} is ${toDecimal(opening + booked)} ${currency}, but the closing balance ` +
    `is ${toDecimal(closing)} ${currency}.`
  )
}

function warningOf(name: string, tie: Tie | null): string {
  const where = tie ? ` in ${tie.currency}` : ''
  return `${name} is not tied${where}: it has ${missing(tie ?? { opening: null, closing: null })}`
}

function missing({ opening, closing }: Pick<Tie, 'opening' | 'closing'>): string {
  const lacks = [opening === null && 'opening', closing === null && 'closing'].filter(Boolean)
  return `no ${lacks.join(' and no ')} balance`
}
