/** Turns the orders of a group into a file for the bank, and finds orders that no bank takes. */
import type { Lender } from '../../../platform/db/settings.ts'
import { assert } from '../../../platform/kit/assert.ts'
import type { Day } from '../../../platform/kit/dates.ts'
import { compactIban } from '../../../platform/kit/iban.ts'
import {
  type BankProfile,
  checkOrder,
  type DebitOrder,
  type DebitTerms,
  endToEndIdOf,
  type Fault,
  fileNameOf,
  type OrderFile,
  type Party,
  partyOf,
  remittanceOf,
  type Scheme,
  type SequenceType,
  type TransferOrder,
  type TransferTerms,
  writeOrderFile,
} from '../../bank-files/index.ts'
import type { AccountRole, PaymentOrder } from '../../ports/bank.ts'

/** What all orders of a file have in common. */
export interface OrderGroup {
  /** Our account that the orders debit or credit. */
  readonly account: AccountRole
  readonly kind: 'SCT' | 'SDD'
  readonly scheme: Scheme | null
  readonly sequence_type: SequenceType | null
  readonly creditor_identifier: string | null
  /** The day of execution of transfers, the due date of debits. A TARGET day. */
  readonly execute_on: Day
}

export interface NewOrderFile {
  /** A UUID, from which the message id is derived. */
  readonly id: string
  readonly group: OrderGroup
  readonly written_at: Date
  /** Never empty, and at most `orders_max`. */
  readonly orders: readonly PaymentOrder[]
}

export interface WrittenOrderFile {
  /** Unique, and safe as a file name. */
  readonly name: string
  /** Unique, in capitals. Also the id of the only payment (PmtInf) in the file. */
  readonly message_id: string
  readonly bytes: Uint8Array
}

export interface OrderFileWriter {
  readonly profile: BankProfile
  /** The reason (ISO 20022) why a bank would refuse the order; null if none. */
  reasonAgainst(order: PaymentOrder, group: OrderGroup, lender: Lender, today: Day): string | null
  /** Writes the file. Throws a `FaultyOrderFile` if an order or the lender's data is at fault. */
  write(file: NewOrderFile, lender: Lender): WrittenOrderFile
}

/** ISO 20022: the currency is not accepted. */
const OTHER_CURRENCY = 'AM03'

/** Whether a fault is in the lender's own data, which is no reason against an order. */
export function isOfLender({ field }: Fault): boolean {
  return field.startsWith('account.')
}

export function orderFileWriter(profile: BankProfile): OrderFileWriter {
  return {
    profile,
    reasonAgainst: (order, group, lender, today) => {
      if (order.currency !== 'EUR') return OTHER_CURRENCY
      const [written, terms] = isDebit(group)
        ? [debitOf(order), debitTerms(group, 'CHECK', lender)]
        : [transferOf(order), transferTerms(group, 'CHECK', lender)]
      const faults = checkOrder(written, terms, today, profile)
      return faults.find(fault => !isOfLender(fault))?.reason_code ?? null
    },
    write: (file, lender) => {
      const message_id = endToEndIdOf(file.id)
      const contents = contentsOf(file, message_id, lender)
      const bytes = writeOrderFile(contents, profile)
      return { name: fileNameOf(contents, profile), message_id, bytes }
    },
  }
}

function contentsOf(
  { group, orders, written_at }: NewOrderFile,
  message_id: string,
  lender: Lender,
): OrderFile {
  const head = { message_id, created_at: written_at, initiator: lender.name }
  if (!isDebit(group)) {
    const terms = transferTerms(group, message_id, lender)
    return { ...head, kind: 'TRANSFER', groups: [{ ...terms, orders: orders.map(transferOf) }] }
  }
  const { scheme, ...terms } = debitTerms(group, message_id, lender)
  return { ...head, kind: 'DEBIT', scheme, groups: [{ ...terms, orders: orders.map(debitOf) }] }
}

type DebitGroup = OrderGroup & {
  readonly scheme: Scheme
  readonly sequence_type: SequenceType
  readonly creditor_identifier: string
}

function isDebit(group: OrderGroup): group is DebitGroup {
  return group.kind === 'SDD'
}

function transferTerms(group: OrderGroup, id: string, lender: Lender): TransferTerms {
  const account = ownAccount(group.account, lender)
  return { kind: 'TRANSFER', id, account, requested_on: group.execute_on, instant: false }
}

function debitTerms(group: DebitGroup, id: string, lender: Lender): DebitTerms {
  const { scheme, sequence_type, creditor_identifier, execute_on } = group
  return {
    kind: 'DEBIT',
    id,
    account: ownAccount(group.account, lender),
    requested_on: execute_on,
    scheme,
    sequence_type,
    creditor_identifier,
  }
}

function ownAccount(role: AccountRole, lender: Lender): Party {
  const [iban, bic] =
    role === 'FUNDING'
      ? [lender.funding_iban, lender.funding_bic]
      : [lender.collection_iban, lender.collection_bic]
  const { town, country } = lender.address
  const { name } = lender
  return { name, iban: compactIban(iban), bic: bic === '' ? null : bic, address: { town, country } }
}

function transferOf(order: PaymentOrder): TransferOrder {
  const id = endToEndIdOf(order.payment_id)
  return {
    end_to_end_id: id,
    instruction_id: id,
    amount: order.amount,
    counterparty: partyOf(order.counterparty),
    remittance: remittanceOf(order.references),
    purpose: null,
  }
}

function debitOf(order: PaymentOrder): DebitOrder {
  assert(order.mandate, 'a direct debit has a mandate')
  const { reference, signed_on } = order.mandate
  return { ...transferOf(order), mandate: { reference, signed_on } }
}
