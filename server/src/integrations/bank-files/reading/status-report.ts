/** Reads the bank's answers to files that we sent (pain.002). */
import type { Money } from './amounts.ts'
import { readUetr } from './camt.ts'
import {
  type Code,
  codeAt,
  dayAt,
  find,
  findAll,
  moneyAt,
  type Party,
  type Remittance,
  readParty,
  readRemittance,
  textAt,
  textsOf,
} from './elements.ts'
import type { Element } from './tree.ts'
import type { Warnings } from './warnings.ts'

export interface StatusReason {
  readonly code: Code | null
  readonly lines: readonly string[]
  readonly originator: string | null
}

/** The answer to a whole file. Without a status, the payments have their own. */
export interface GroupStatus {
  readonly original_message_id: string | null
  readonly original_message_name: string | null
  readonly transactions: string | null
  readonly status: Code | null
  readonly reasons: readonly StatusReason[]
}

export interface PaymentStatus {
  /** From 1, in the file. */
  readonly place: number
  readonly payment_information_id: string | null
  readonly transactions: string | null
  readonly status: Code | null
  readonly reasons: readonly StatusReason[]
}

export interface TransactionStatus {
  readonly payment_place: number
  /** From 1, in the payment. */
  readonly place: number
  readonly status_id: string | null
  readonly instruction_id: string | null
  readonly end_to_end_id: string | null
  readonly uetr: string | null
  readonly status: Code | null
  readonly reasons: readonly StatusReason[]
  readonly charges: readonly (Money | null)[]
  readonly accepted_at: string | null
  readonly bank_reference: string | null
  readonly amount: Money | null
  readonly requested_on: string | null
  readonly mandate_id: string | null
  readonly remittance: Remittance
  readonly debtor: Party | null
  readonly ultimate_debtor: Party | null
  readonly creditor: Party | null
  readonly ultimate_creditor: Party | null
}

export function readGroupStatus(from: Element): GroupStatus {
  return {
    original_message_id: textAt(from, 'OrgnlMsgId'),
    original_message_name: textAt(from, 'OrgnlMsgNmId'),
    transactions: textAt(from, 'OrgnlNbOfTxs'),
    status: textAt(from, 'GrpSts'),
    reasons: readReasons(from),
  }
}

export function readPaymentStatus(from: Element, place: number): PaymentStatus {
  return {
    place,
    payment_information_id: textAt(from, 'OrgnlPmtInfId'),
    transactions: textAt(from, 'OrgnlNbOfTxs'),
    status: textAt(from, 'PmtInfSts'),
    reasons: readReasons(from),
  }
}

export function readTransactionStatus(
  from: Element,
  context: Pick<TransactionStatus, 'payment_place' | 'place'>,
  warnings: Warnings,
): TransactionStatus {
  const original = find(from, 'OrgnlTxRef')
  return {
    ...context,
    status_id: textAt(from, 'StsId'),
    instruction_id: textAt(from, 'OrgnlInstrId'),
    end_to_end_id: textAt(from, 'OrgnlEndToEndId'),
    uetr: readUetr(find(from, 'OrgnlUETR'), warnings),
    status: textAt(from, 'TxSts'),
    reasons: readReasons(from),
    charges: findAll(from, 'ChrgsInf').map(charge => moneyAt(charge, warnings, 'Amt')),
    accepted_at: textAt(from, 'AccptncDtTm'),
    bank_reference: textAt(from, 'AcctSvcrRef'),
    amount:
      moneyAt(original, warnings, 'Amt', 'InstdAmt') ??
      moneyAt(original, warnings, 'IntrBkSttlmAmt'),
    requested_on:
      dayAt(original, warnings, 'ReqdExctnDt') ?? dayAt(original, warnings, 'ReqdColltnDt'),
    mandate_id: textAt(original, 'MndtRltdInf', 'MndtId'),
    remittance: readRemittance(find(original, 'RmtInf')),
    debtor: readParty(find(original, 'Dbtr'), find(original, 'DbtrAcct')),
    ultimate_debtor: readParty(find(original, 'UltmtDbtr')),
    creditor: readParty(find(original, 'Cdtr'), find(original, 'CdtrAcct')),
    ultimate_creditor: readParty(find(original, 'UltmtCdtr')),
  }
}

function readReasons(from: Element): StatusReason[] {
  return findAll(from, 'StsRsnInf').map(reason => ({
    code: codeAt(reason, 'Rsn'),
    lines: textsOf(reason, 'AddtlInf'),
    originator: textAt(reason, 'Orgtr', 'Nm'),
  }))
}
