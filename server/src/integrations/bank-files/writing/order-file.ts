/** What a file of payment orders contains, before it is written as pain.001 or pain.008. */
import { assert } from '../../../platform/kit/assert.ts'
import type { Day } from '../../../platform/kit/dates.ts'
import { isUuid } from '../../../platform/kit/ids.ts'
import { isRfReference } from '../../../platform/kit/reference.ts'

/** A file has either transfers or debits. All amounts are in EUR. */
export type OrderFile = TransferFile | DebitFile

export interface TransferFile extends FileHead {
  readonly kind: 'TRANSFER'
  readonly groups: readonly TransferGroup[]
}

export interface DebitFile extends FileHead {
  readonly kind: 'DEBIT'
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

export interface DebitGroup extends DebitTerms {
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
  readonly account: Party
  /** The day of execution, or of collection. */
  readonly requested_on: Day
}

export type Order = TransferOrder | DebitOrder

export interface TransferOrder {
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

export interface DebitOrder extends TransferOrder {
  readonly mandate: { readonly reference: string; readonly signed_on: Day }
}

/** The holder of an account. Texts are as people wrote them: the writer converts and cuts them. */
export interface Party {
  readonly name: string
  readonly iban: string
  /** Needed outside the EEA. */
  readonly bic: string | null
  /** Needed outside the EEA, and null within. */
  readonly address: Address | null
}

export interface Address {
  readonly town: string
  /** ISO 3166-1 alpha-2. */
  readonly country: string
}

export type Remittance =
  /** A creditor reference (ISO 11649). */
  { readonly reference: string } | { readonly text: string }

/** A single creditor reference stays one. Everything else is a text; null if there is none. */
export function remittanceOf(references: readonly string[]): Remittance | null {
  const [first, ...others] = references
  if (first === undefined) return null
  if (others.length === 0 && isRfReference(first)) {
    return { reference: first.replace(/\s/g, '').toUpperCase() }
  }
  const text = references.join(' ').trim()
  return text === '' ? null : { text }
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
