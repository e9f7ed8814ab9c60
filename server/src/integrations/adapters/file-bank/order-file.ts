/** What the file bank needs of the module that writes order files. */
import type { Day } from '../../../platform/kit/dates.ts'
import type { BankProfile, Scheme, SequenceType } from '../../bank-files/index.ts'
import type { PaymentOrder } from '../../ports/bank.ts'

/** What all orders of a file have in common. */
export interface OrderGroup {
  readonly kind: 'SCT' | 'SDD'
  readonly scheme: Scheme | null
  readonly sequence_type: SequenceType | null
  /** The day of execution of transfers, the due date of debits. A TARGET day. */
  readonly execute_on: Day
}

export interface NewOrderFile extends OrderGroup {
  /** A UUID, from which the message id is derived. */
  readonly id: string
  readonly written_at: Date
  /** Never empty, and at most `orders_max`. */
  readonly orders: readonly { readonly order: PaymentOrder; readonly end_to_end_id: string }[]
}

export interface WrittenOrderFile {
  /** Unique, and safe as a file name. */
  readonly name: string
  /** Unique, in capitals. */
  readonly message_id: string
  readonly bytes: Uint8Array
}

/** What the bank requires of files, as far as it decides what is put into them, and when. */
export type FileBankProfile = Pick<
  BankProfile,
  'orders_max' | 'awaits_authorization' | 'debit_lead_days' | 'first_sequence_type'
>

export interface OrderFileWriter {
  readonly profile: FileBankProfile
  /** The reference by which the bank names the order in its reports: unique, in capitals. */
  endToEndIdOf(payment_id: string): string
  /** The reason (ISO 20022) why the bank or the scheme would refuse the order; null if none. */
  reasonAgainst(order: PaymentOrder): string | null
  /** Writes the file. Orders for which `reasonAgainst` returned null can always be written. */
  write(file: NewOrderFile): WrittenOrderFile
}
