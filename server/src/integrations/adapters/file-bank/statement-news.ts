/**
 * What an entry of a statement means to the service: the one place where entries become news. Pure.
 * Only the sign says in which direction money moved, whatever the bank calls a reversal.
 */
import type { Day } from '../../../platform/kit/dates.ts'
import {
  type Charges,
  type Detail,
  type Entry,
  type Return,
  reasonIn,
} from '../../bank-files/reading/camt.ts'
import type { Code } from '../../bank-files/reading/elements.ts'
import type { BankEntry, Transfer } from '../../ports/bank.ts'
import type { SentOrder } from './movement-store.ts'

/** A movement of money: one transaction of an entry, or an entry that has none. */
export interface Movement {
  /** Account, statement and place: the same movement always has the same one. */
  readonly bank_reference: string
  /** The lender's account. */
  readonly account: string
  /** In cents. */
  readonly amount: bigint
  readonly sign: Entry['sign']
  readonly booked_on: Day
  readonly value_on: Day
  readonly entry: Entry
  readonly detail: Detail | null
}

/** What the service is told of a movement. It gets its place in the statement when it is stored. */
export interface Told extends Omit<BankEntry, 'place'> {
  /** Whether details that may still come could explain it. */
  readonly lacks_details: boolean
}

/** ISO 20022: refunds that a debtor asked for. Every other reason returns a debit. */
const REFUNDED = ['MD01', 'MD06']
const CHARGES = ['CHRG', 'FEES', 'COMM', 'COMT', 'COMI', 'COME']
const INTEREST = ['INTR']
const NOT_PROVIDED = 'NOTPROVIDED'

/** Codes of money that was collected by direct debit: of ISO 20022, and in German bank codes. */
const COLLECTED_FAMILY = 'IDDT'
const COLLECTED = ['ESDD', 'BBDD', 'PMDD', 'URDD', 'OODD']
const COLLECTED_CODE = /^N?DDT\b|\b(171|174|192|196|197)\b/

/** The end-to-end ids, in capitals, by which the movement may name an order of ours. */
export function namedOrders(movement: Movement): string[] {
  const { entry, detail, amount } = movement
  // What the entry says is said of one order only if that is all of it.
  const is_whole = amount === entry.amount.cents
  const ids = [detail?.end_to_end_id, detail?.instruction_id, is_whole ? entry.reference : null]
  const texts = [detail?.text, detail?.remittance.text, is_whole ? entry.text : null]
  const mentioned = isReturn(movement) ? texts.join(' ').toUpperCase().match(OUR_ID) : null
  return [...ids.flatMap(id => id?.trim().toUpperCase() ?? []), ...(mentioned ?? [])]
}

const OUR_ID = /\b[0-9A-F]{32}\b/g

function isReturn({ entry, detail }: Movement): boolean {
  return detail?.return != null || entry.return !== null || entry.is_reversal
}

/** The message ids, in capitals, by which an entry may name a file of ours. */
export function namedFiles(entry: Entry, detail: Detail | null): string[] {
  const ids = entry.batches.flatMap(one => [one.message_id, one.payment_information_id])
  const all = [...ids, entry.reference, detail?.message_id, detail?.payment_information_id]
  return all.flatMap(id => id?.trim().toUpperCase() ?? [])
}

/** Whether money of this sign executes orders of this kind, and does not return them. */
export function isExecution(kind: SentOrder['kind'], sign: Entry['sign']): boolean {
  return (kind === 'SCT') === (sign === 'DBIT')
}

export interface OurIbans {
  /** The lender's accounts, now and before. Its accounts for capital are not among them. */
  readonly own: ReadonlySet<string>
  /** Accounts of single loans. */
  readonly virtual: ReadonlySet<string>
}

/**
 * What a movement is that may be about one of these orders. A virtual account counts before any
 * id, because payers copy ids.
 */
export function meaningOf(
  movement: Movement,
  named: readonly SentOrder[],
  ibans: OurIbans,
): readonly Told[] {
  if (movement.amount === 0n) return []
  const credited = movement.detail?.creditor?.iban ?? ''
  if (movement.sign === 'CRDT' && ibans.virtual.has(credited)) {
    return [transferIn(movement, credited)]
  }
  const order = named.find(one => isAbout(movement, one))
  return order ? ofOrder(movement, order) : [ofOthers(movement, ibans)]
}

/**
 * Whether the movement is about an order that it names. Money that comes may name one because the
 * payer wrote its id, so the bank must also say that it is a return, or a debit that was collected.
 */
function isAbout(movement: Movement, order: SentOrder): boolean {
  if (movement.sign === 'DBIT') return true
  return order.kind === 'SCT' ? isReturn(movement) : isCollected(movement, order)
}

function isCollected({ entry, detail }: Movement, order: SentOrder): boolean {
  if (namedFiles(entry, detail).includes(order.message_id)) return true
  if (detail?.mandate_id && detail.mandate_id === order.mandate_reference) return true
  return [detail?.code, entry.code].some(
    code =>
      code?.family === COLLECTED_FAMILY ||
      COLLECTED.includes(code?.subfamily ?? '') ||
      COLLECTED_CODE.test(code?.proprietary ?? ''),
  )
}

function ofOrder(movement: Movement, order: SentOrder): readonly Told[] {
  const { amount, sign, entry, detail } = movement
  const { kind, payment_id } = order
  const is_executed = isExecution(kind, sign)
  const more = sign === 'DBIT' ? amount - order.amount : order.amount - amount
  const fee = more > 0n && chargesOf(entry, detail).includes(more) ? more : 0n
  const reason_code = is_executed ? null : reasonOf(entry, detail)
  const paid = {
    ...toldOf(movement),
    kind: is_executed ? ('SETTLED' as const) : backKind(movement, kind, reason_code),
    payment_id,
    amount: sign === 'DBIT' ? amount - fee : amount + fee,
    reason_code,
    raw: { end_to_end_id: order.end_to_end_id },
  }
  return fee === 0n ? [paid] : [paid, feeBeside(movement, fee)]
}

/** A fee that the bank took together with the movement. */
export function feeBeside(movement: Movement, amount: bigint): Told {
  const told = toldOf(movement)
  return { ...told, bank_reference: `${told.bank_reference}/fee`, amount, direction: 'OUT' }
}

/** That an order was executed as part of an entry for its whole file. */
export function settledInFile(movement: Movement, order: SentOrder): Told {
  const { payment_id, amount, end_to_end_id } = order
  const told = toldOf(movement)
  const bank_reference = `${told.bank_reference}/${end_to_end_id}`
  return { ...told, bank_reference, kind: 'SETTLED', payment_id, amount, raw: { end_to_end_id } }
}

/** A charge without a text, until its kind is known. */
function toldOf({ bank_reference, amount, sign, booked_on, value_on }: Movement): Told {
  return {
    bank_reference,
    kind: 'CHARGE',
    payment_id: null,
    amount,
    direction: sign === 'CRDT' ? 'IN' : 'OUT',
    booked_on,
    value_on,
    reason_code: null,
    raw: {},
    lacks_details: false,
  }
}

function backKind(
  { entry }: Movement,
  kind: SentOrder['kind'],
  reason_code: string | null,
): 'RETURNED' | 'REFUNDED' | 'REVERSED' {
  if (kind === 'SDD' && REFUNDED.includes(reason_code ?? '')) return 'REFUNDED'
  return entry.is_reversal && reason_code === null ? 'REVERSED' : 'RETURNED'
}

/** The reason of a return, wherever the bank wrote it. */
function reasonOf(entry: Entry, detail: Detail | null): Code | null {
  const stated = (one: Return | null | undefined) => one?.code ?? null
  const texts = [detail?.text ?? null, detail?.remittance.text ?? null, entry.text]
  return stated(detail?.return) ?? stated(entry.return) ?? reasonIn(texts)
}

/** The charges in euro cents that the bank names, each and in total. */
function chargesOf(entry: Entry, detail: Detail | null): bigint[] {
  return [entry.charges, ...(detail ? [detail.charges] : [])].flatMap(centsOfCharges)
}

export function centsOfCharges({ total, records }: Charges): bigint[] {
  const each = records.flatMap(({ amount }) => (amount?.currency === 'EUR' ? [amount.cents] : []))
  const sum = each.reduce((all, cents) => all + cents, 0n)
  return [...each, sum, ...(total?.currency === 'EUR' ? [total.cents] : [])]
}

function ofOthers(movement: Movement, { own }: OurIbans): Told {
  const { sign, entry, detail } = movement
  const other = otherParty(movement)?.iban ?? null
  const payer = sign === 'CRDT' ? other : null
  // A returned payment has the parties of the first one, so the other account can be this one.
  const is_same = other === movement.account
  if (other && own.has(other) && !is_same && !isReturn(movement)) {
    return ofKind(movement, 'TRANSFER_OWN')
  }
  const codes = [detail?.code.subfamily, entry.code.subfamily]
  const isOne = (list: readonly string[]) => codes.some(code => list.includes(code ?? ''))
  // Who pays from an account is no bank that gives a fee back.
  if (payer === null && isOne(CHARGES)) return ofKind(movement, 'CHARGE')
  if (payer === null && isOne(INTEREST)) return ofKind(movement, 'BANK_INTEREST')
  if (sign === 'DBIT') return unexplained(movement, 'money left without an order of ours')
  // What a returned payment says is about our own order, not about a debt of the payer.
  if (is_same || isReturn(movement)) return unexplained(movement, 'it returns no order of ours')
  return transferIn(movement, movement.account)
}

function ofKind(movement: Movement, kind: Told['kind']): Told {
  return { ...toldOf(movement), kind, raw: describe(movement) }
}

/** Money that nothing explains. It names no debt, so that it is matched with none by accident. */
export function unexplained(movement: Movement, remark: string): Told {
  const { entry, detail } = movement
  const told = ofKind(movement, 'OTHER')
  // Only by its reference can details be found later.
  const lacks_details = detail === null && entry.bank_reference !== null
  return { ...told, lacks_details, raw: { ...told.raw, remark } }
}

function otherParty({ sign, detail }: Movement) {
  return sign === 'CRDT' ? detail?.debtor : detail?.creditor
}

function describe(movement: Movement): Record<string, unknown> {
  const { entry, detail } = movement
  const party = otherParty(movement)
  const text = detail?.remittance.text || detail?.text || entry.text
  return { name: party?.name ?? null, iban: party?.iban ?? null, text: text || null }
}

function transferIn(movement: Movement, to_iban: string): Told {
  const { detail } = movement
  const raw: Transfer = {
    to_iban,
    from_iban: detail?.debtor?.iban ?? null,
    from_name: detail?.debtor?.name ?? detail?.ultimate_debtor?.name ?? null,
    reference: referenceOf(movement),
  }
  return { ...toldOf(movement), kind: 'TRANSFER_IN', raw: { ...raw } }
}

/** What the payer wrote: structured references, then the end-to-end id, then the text. */
function referenceOf({ entry, detail }: Movement): string | null {
  if (!detail) return entry.text
  const { remittance, end_to_end_id, text } = detail
  const structured = remittance.references.flatMap(({ reference, document_numbers, lines }) => [
    ...(reference ? [reference] : []),
    ...document_numbers,
    ...lines,
  ])
  const id = end_to_end_id === NOT_PROVIDED ? null : end_to_end_id
  const parts = [...structured, id, remittance.text, remittance.text === '' ? text : null]
  return parts.filter(part => part !== null && part !== '').join(' ') || null
}
