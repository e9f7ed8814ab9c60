/**
 * What an entry of a statement means to the service: the one place where entries become news. Pure.
 * Only the sign says in which direction money moved, whatever the bank calls a reversal.
 */
import { assert } from '../../../platform/kit/assert.ts'
import type { Day } from '../../../platform/kit/dates.ts'
import {
  type Charges,
  type Detail,
  type Entry,
  type Return,
  reasonIn,
} from '../../bank-files/reading/camt.ts'
import type { Code } from '../../bank-files/reading/elements.ts'
import type { BankNews, Transfer } from '../../ports/bank.ts'
import type { EntryKind, SentOrder } from './statement-store.ts'

/** A movement of money: one transaction of an entry, or an entry that has none. */
export interface Movement {
  /** Account, statement and place: the same movement always has the same one. */
  readonly bank_reference: string
  /** The lender's account. */
  readonly account: string
  /** In cents. */
  readonly amount: bigint
  readonly sign: Entry['sign']
  readonly value_on: Day
  readonly entry: Entry
  readonly detail: Detail | null
}

/** What a movement is. News is null if the port has none for it. */
export interface Meaning {
  readonly kind: EntryKind
  readonly news: BankNews | null
  /** The cents of the amount that are the bank's fee on the payment. */
  readonly charge: bigint
  readonly remark: string | null
}

/** ISO 20022: refunds that a debtor asked for. Every other reason returns a debit. */
const REFUNDED = ['MD01', 'MD06']
const CHARGES = ['CHRG', 'FEES', 'COMM', 'COMT', 'COMI', 'COME']
const INTEREST = ['INTR']
const NOT_PROVIDED = 'NOTPROVIDED'

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
  /** The lender's accounts at this bank. */
  readonly own: ReadonlySet<string>
  /** Accounts of single loans. */
  readonly virtual: ReadonlySet<string>
}

/** The meaning of a movement about this order, or about none of ours. */
export function meaningOf(movement: Movement, order: SentOrder | null, ibans: OurIbans): Meaning {
  if (movement.amount === 0n) return { kind: 'OTHER', news: null, charge: 0n, remark: null }
  return order ? ofOrder(movement, order) : ofOthers(movement, ibans)
}

function ofOrder(movement: Movement, order: SentOrder): Meaning {
  const { amount, sign, entry, detail } = movement
  const { kind, payment_id } = order
  const is_executed = isExecution(kind, sign)
  const more = sign === 'DBIT' ? amount - order.amount : order.amount - amount
  const charge = more > 0n && chargesOf(entry, detail).includes(more) ? more : 0n
  const paid = sign === 'DBIT' ? amount - charge : amount + charge
  const reason_code = is_executed ? null : reasonOf(entry, detail)
  const news = {
    ...newsOf(movement),
    kind: is_executed ? ('SETTLED' as const) : backKind(movement, kind, reason_code),
    payment_id,
    amount: paid,
    reason_code,
    raw: { bank_reference: movement.bank_reference, end_to_end_id: order.end_to_end_id },
  }
  return { kind: 'PAYMENTS', news, charge, remark: null }
}

/** The news that an order was executed as part of an entry for its whole file. */
export function settledInFile(movement: Movement, order: SentOrder): BankNews {
  const { payment_id, amount, end_to_end_id } = order
  const bank_reference = `${movement.bank_reference}/${end_to_end_id}`
  const raw = { bank_reference, end_to_end_id }
  const settled = { kind: 'SETTLED', payment_id, amount, reason_code: null, raw } as const
  return { ...newsOf(movement), ...settled, bank_reference }
}

function newsOf({ bank_reference, value_on }: Movement) {
  return { bank_reference, value_on }
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

function ofOthers(movement: Movement, { own, virtual }: OurIbans): Meaning {
  const { sign, entry, detail } = movement
  const none = { news: null, charge: 0n, remark: null }
  const codes = [detail?.code.subfamily, entry.code.subfamily]
  if (codes.some(code => CHARGES.includes(code ?? ''))) return { ...none, kind: 'CHARGE' }
  if (codes.some(code => INTEREST.includes(code ?? ''))) return { ...none, kind: 'BANK_INTEREST' }
  const other = sign === 'CRDT' ? detail?.debtor?.iban : detail?.creditor?.iban
  if (other && own.has(other)) return { ...none, kind: 'TRANSFER_OWN' }
  if (sign === 'DBIT') {
    return { ...none, kind: 'OTHER', remark: 'money left without an order of ours' }
  }
  // What a returned payment says is about our own order, not about a debt of the payer.
  const is_return = isReturn(movement)
  // Some banks name the virtual account as the creditor's, others do not.
  const credited = detail?.creditor?.iban ?? ''
  const news = is_return
    ? transferIn(movement, null, null)
    : transferIn(movement, referenceOf(movement), virtual.has(credited) ? credited : null)
  const remark = is_return ? 'it returns no order of ours' : null
  return { ...none, kind: 'TRANSFER', news, remark }
}

/**
 * News of money that nothing explains. It names no debt, so that it is matched with none by
 * accident. Money that left is no news.
 */
export function unexplained(movement: Movement, remark: string): Meaning {
  if (movement.sign === 'DBIT') return { kind: 'OTHER', news: null, charge: 0n, remark }
  return { kind: 'TRANSFER', news: transferIn(movement, null, null), charge: 0n, remark }
}

function transferIn(
  movement: Movement,
  reference: string | null,
  virtual: string | null,
): BankNews {
  const { account, amount, detail } = movement
  assert(amount > 0n, 'a transfer moves money')
  const raw: Transfer & { bank_reference: string } = {
    to_iban: virtual ?? account,
    from_iban: detail?.debtor?.iban ?? null,
    from_name: detail?.debtor?.name ?? detail?.ultimate_debtor?.name ?? null,
    reference,
    bank_reference: movement.bank_reference,
  }
  const about = { kind: 'TRANSFER_IN', payment_id: null, amount, reason_code: null } as const
  return { ...newsOf(movement), ...about, raw: { ...raw } }
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
