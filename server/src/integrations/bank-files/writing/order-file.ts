/** What a file of payment orders contains, before it is written as pain.001 or pain.008. */
import { assert } from '../../../platform/kit/assert.ts'
import type { Day } from '../../../platform/kit/dates.ts'
import { isUuid } from '../../../platform/kit/ids.ts'
import { isRfReference } from '../../../platform/kit/reference.ts'
import { sepaText, TEXT_MAX } from './sepa-text.ts'

/** A file has either transfers or debits. All amounts are in EUR. */
export type OrderFile = TransferFile | DebitFile

export interface TransferFile extends FileHead {
  readonly kind: 'TRANSFER'
  readonly groups: readonly TransferGroup[]
}

export interface DebitFile extends FileHead {
  readonly kind: 'DEBIT'
  /** Banks refuse a file with both. */
  readonly scheme: Scheme
  readonly groups: readonly DebitGroup[]
}

export interface FileHead {
  /** Identifies the file at the bank; see `endToEndIdOf`. */
  readonly message_id: string
  readonly created_at: Date
  /** The lender's name. */
  readonly initiator: string
}

export interface TransferGroup extends TransferTerms {
  readonly orders: readonly TransferOrder[]
}

export interface DebitGroup extends Omit<DebitTerms, 'scheme'> {
  readonly orders: readonly DebitOrder[]
}

export type Terms = TransferTerms | DebitTerms

export interface TransferTerms extends SharedTerms {
  readonly kind: 'TRANSFER'
  readonly instant: boolean
}

export type Scheme = 'CORE' | 'B2B'
export type SequenceType = 'FRST' | 'RCUR' | 'OOFF' | 'FNAL'

export interface DebitTerms extends SharedTerms {
  readonly kind: 'DEBIT'
  readonly scheme: Scheme
  readonly sequence_type: SequenceType
  readonly creditor_identifier: string
}

interface SharedTerms {
  /** Unique within the file. */
  readonly id: string
  /**
   * Ours. Its address is needed for transfers between the EEA and other countries, and written for
   * these only.
   */
  readonly account: Party
  /** The day of execution, or of collection. */
  readonly requested_on: Day
}

export type Order = TransferOrder | DebitOrder

export interface TransferOrder extends SharedOrder {
  readonly mandate?: never
}

export interface DebitOrder extends SharedOrder {
  readonly mandate: { readonly reference: string; readonly signed_on: Day }
}

interface SharedOrder {
  /** Stays with the payment to the counterparty's statement; see `endToEndIdOf`. */
  readonly end_to_end_id: string
  /** Between us and our bank. */
  readonly instruction_id: string
  /** In cents. */
  readonly amount: bigint
  readonly counterparty: Party
  readonly remittance: Remittance | null
  /** An ISO purpose code such as LOAN. */
  readonly purpose: string | null
}

/** The holder of an account. Texts are as people wrote them: the writer converts and cuts them. */
export interface Party {
  readonly name: string
  readonly iban: string
  /** Needed outside the EEA. */
  readonly bic: string | null
  /** If either account is outside the EEA: needed of a debtor, optional of a payee. Else null. */
  readonly address: Address | null
}

/** A party as payment orders name it: without a BIC it is '', and there is no address. */
export function partyOf(counterparty: { iban: string; bic: string; name: string }): Party {
  const { iban, bic, name } = counterparty
  return { iban, name, bic: bic === '' ? null : bic, address: null }
}

/** A group of a file, with what the file says of all its groups. */
export type GroupParts =
  | {
      readonly kind: 'TRANSFER'
      readonly terms: TransferTerms
      readonly orders: readonly TransferOrder[]
    }
  | { readonly kind: 'DEBIT'; readonly terms: DebitTerms; readonly orders: readonly DebitOrder[] }

export function groupsOf(file: OrderFile): GroupParts[] {
  if (file.kind === 'TRANSFER') {
    return file.groups.map(group => ({ kind: 'TRANSFER', terms: group, orders: group.orders }))
  }
  const { scheme } = file
  return file.groups.map(group => ({
    kind: 'DEBIT',
    terms: { ...group, scheme },
    orders: group.orders,
  }))
}

export interface Address {
  readonly town: string
  /** ISO 3166-1 alpha-2. */
  readonly country: string
}

export type Remittance =
  /** A creditor reference (ISO 11649). */
  { readonly reference: string } | { readonly text: string }

/**
 * A single creditor reference stays one. Others are a text, of as many whole references as fit; a
 * first one that is too long alone is cut when it is written. Null if there is none.
 */
export function remittanceOf(references: readonly string[]): Remittance | null {
  const [first, ...others] = references.map(text => text.trim()).filter(text => text !== '')
  if (first === undefined) return null
  if (others.length === 0 && isRfReference(first)) {
    return { reference: first.replace(/\s/g, '').toUpperCase() }
  }
  let text = first
  for (const other of others) {
    const longer = `${text} ${other}`
    // No character set makes a text longer than this one.
    if (sepaText(longer, 'EPC').length > TEXT_MAX) break
    text = longer
  }
  return { text }
}

/**
 * The id under which the bank gets one of our UUIDs: of a payment as end-to-end and instruction id,
 * of a file as message id. Without dashes it has 32 of the 35 characters allowed, and in capitals
 * it survives banks that know no others.
 */
export function endToEndIdOf(payment_id: string): string {
  assert(isUuid(payment_id), `${payment_id} is no UUID`)
  return payment_id.replaceAll('-', '').toUpperCase()
}

/** The reverse of `endToEndIdOf`, in whatever case the bank writes it; null if it is not one. */
export function paymentIdOf(end_to_end_id: string): string | null {
  const parts = /^(.{8})(.{4})(.{4})(.{4})(.{12})$/.exec(end_to_end_id.trim().toLowerCase())
  const uuid = parts?.slice(1).join('-') ?? ''
  return isUuid(uuid) ? uuid : null
}
