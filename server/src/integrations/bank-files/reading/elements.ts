/** Finds values in the small trees of a bank file. What is missing, empty or wrong is null. */
import { type Money, readCents, readMoney } from './amounts.ts'
import type { Element } from './tree.ts'
import { UnreadableFile } from './unreadable.ts'
import type { Warnings } from './warnings.ts'

/** A code from a list that the bank may extend. */
export type Code = string

export interface Party {
  readonly name: string | null
  /** As the bank wrote it, without spaces. Its check digits may be wrong. */
  readonly iban: string | null
  /** An account number that is not an IBAN. */
  readonly account: string | null
  readonly bic: string | null
}

/** Remittance information: what the payer wrote for the payee. */
export interface Remittance {
  readonly lines: readonly string[]
  /** The lines joined. */
  readonly text: string
  readonly references: readonly StructuredReference[]
}

export interface StructuredReference {
  readonly reference: string | null
  /** SCOR, or the bank's own code such as QRR. */
  readonly type: Code | null
  /** ISO for an RF reference, CUR for a Dutch one. */
  readonly issuer: string | null
  readonly document_numbers: readonly string[]
  readonly lines: readonly string[]
}

/** The child at the end of the path `names`, or null. */
export function find(from: Element | null, ...names: string[]): Element | null {
  let at = from
  for (const name of names) at = at?.children.find(child => child.name === name) ?? null
  return at
}

export function findAll(from: Element | null, name: string): Element[] {
  return from?.children.filter(child => child.name === name) ?? []
}

/** The text at the path without spaces around it; null if it is missing or empty. */
export function textAt(from: Element | null, ...names: string[]): string | null {
  return find(from, ...names)?.text.trim() || null
}

/** A code that is the text itself in older versions, and in `Cd` or `Prtry` in others. */
export function codeAt(from: Element | null, ...names: string[]): Code | null {
  const at = find(from, ...names)
  return textAt(at, 'Cd') ?? textAt(at, 'Prtry') ?? textAt(at)
}

/** The first ten characters of a date or moment, if they are a day. */
export function dayAt(from: Element | null, warnings: Warnings, ...names: string[]): string | null {
  const at = find(from, ...names)
  const text = textAt(at, 'Dt') ?? textAt(at, 'DtTm') ?? textAt(at)
  if (text === null) return null
  const day = text.slice(0, 10)
  if (/^\d{4}-\d{2}-\d{2}(?![^T+\-Z])/.test(text) && isDay(day)) return day
  warnings.add(`${at!.name} is no date`, at!.line)
  return null
}

function isDay(text: string): boolean {
  const moment = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(moment.valueOf()) && moment.toISOString().startsWith(text)
}

export function wordAt<T extends string>(
  from: Element | null,
  words: readonly T[],
  ...names: string[]
): T | null {
  const text = textAt(from, ...names)
  return words.find(word => word === text) ?? null
}

/** A flag; null if it is missing, or with a warning if it is neither true nor false. */
export function flagAt(
  from: Element | null,
  name: string,
  warnings: Warnings | null,
): boolean | null {
  const text = textAt(from, name)
  if (text === 'true' || text === '1') return true
  if (text === 'false' || text === '0') return false
  if (text !== null) warnings?.add(`${name} is neither true nor false`, from!.line)
  return null
}

/** The amount that counts in an entry or balance. */
export function requiredMoney(from: Element): Money {
  const amount = find(from, 'Amt')
  if (!amount) throw new UnreadableFile(`Line ${from.line}: ${from.name} has no amount.`)
  const where = `Line ${amount.line}: the amount of ${from.name}`
  return readMoney(amount.text, amount.currency, where)
}

/**
 * An amount that only explains. One in another currency that is not whole hundredths is left out
 * with a warning; in EUR it refuses the file.
 */
export function moneyAt(
  from: Element | null,
  warnings: Warnings,
  ...names: string[]
): Money | null {
  const amount = find(from, ...names)
  if (!amount) return null
  const { text, currency, line, name } = amount
  if (currency === 'EUR') return readMoney(text, currency, `Line ${line}: ${name}`)
  const cents = readCents(text)
  if (cents !== null && currency !== null) return { currency, cents }
  warnings.add(`${name} is left out: it has no currency, or is not whole hundredths`, line)
  return null
}

/** A party with its account and its bank. */
export function readParty(
  party: Element | null,
  account: Element | null = null,
  agent: Element | null = null,
): Party | null {
  const agentOfParty = find(party, 'Agt', 'FinInstnId')
  const bank = find(agent, 'FinInstnId') ?? agentOfParty
  const found: Party = {
    name: textAt(party, 'Nm') ?? textAt(party, 'Pty', 'Nm') ?? textAt(agentOfParty, 'Nm'),
    iban: textAt(account, 'Id', 'IBAN')?.replace(/\s/g, '').toUpperCase() ?? null,
    account: textAt(account, 'Id', 'Othr', 'Id'),
    bic: textAt(bank, 'BICFI') ?? textAt(bank, 'BIC'),
  }
  return Object.values(found).some(value => value !== null) ? found : null
}

export function readRemittance(from: Element | null): Remittance {
  const lines = findAll(from, 'Ustrd').map(({ text }) => text)
  return { lines, text: joinLines(lines), references: findAll(from, 'Strd').map(readStructured) }
}

function readStructured(from: Element): StructuredReference {
  const type = find(from, 'CdtrRefInf', 'Tp')
  return {
    reference: textAt(from, 'CdtrRefInf', 'Ref'),
    type: codeAt(type, 'CdOrPrtry'),
    issuer: textAt(type, 'Issr'),
    document_numbers: findAll(from, 'RfrdDocInf').flatMap(one => textAt(one, 'Nb') ?? []),
    lines: textsOf(from, 'AddtlRmtInf'),
  }
}

export function textsOf(from: Element | null, name: string): string[] {
  return findAll(from, name).flatMap(({ text }) => text.trim() || [])
}

/** Where banks cut a text, in the middle of a word if need be. */
const LINE_LENGTHS = [35, 140]

/** Joins lines where the bank cut them: a full line continues in the next, others are words. */
function joinLines(lines: readonly string[]): string {
  const joined = lines.reduce((text, line, index) => {
    const before = lines[index - 1]
    const cut = before === undefined || LINE_LENGTHS.includes(before.length)
    return `${text}${cut ? '' : ' '}${line}`
  }, '')
  return joined.trim()
}
