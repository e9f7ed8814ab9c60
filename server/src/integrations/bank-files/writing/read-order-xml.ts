/** Reads a written order file back. What is missing is empty, which the rules refuse. */
import type { Day } from '../../../platform/kit/dates.ts'
import { fromDecimal } from '../../../platform/kit/money.ts'
import { find } from '../reading/elements.ts'
import type { Element } from '../reading/tree.ts'
import type {
  Address,
  DebitTerms,
  FileHead,
  Order,
  Party,
  Remittance,
  Scheme,
  SequenceType,
  TransferTerms,
} from './order-file.ts'
import type { OrderFamily } from './order-schema.ts'

/** The text as it stands, with any spaces around it. */
function textOf(from: Element | null, ...names: string[]): string {
  return find(from, ...names)?.text ?? ''
}

/** Cents of an amount with exactly two decimals and no superfluous zeros; null if it has not. */
export function centsAt(element: Element | null): bigint | null {
  const text = element?.text ?? ''
  return /^(0|[1-9]\d{0,15})\.\d{2}$/.test(text) ? fromDecimal(text) : null
}

const MOMENT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/

export function readHead(header: Element): FileHead {
  const moment = textOf(header, 'CreDtTm')
  return {
    message_id: textOf(header, 'MsgId'),
    created_at: new Date(MOMENT.test(moment) ? moment : Number.NaN),
    initiator: textOf(header, 'InitgPty', 'Nm'),
  }
}

export function readTransferTerms(group: Element): TransferTerms {
  const day = find(group, 'ReqdExctnDt')
  return {
    kind: 'TRANSFER',
    id: textOf(group, 'PmtInfId'),
    account: readParty(group, 'Dbtr'),
    requested_on: (textOf(day, 'Dt') || textOf(day)) as Day,
    instant: find(group, 'PmtTpInf', 'LclInstrm') !== null,
  }
}

/** Scheme and sequence type may be others: `checkCodes` refuses them. */
export function readDebitTerms(group: Element): DebitTerms {
  return {
    kind: 'DEBIT',
    id: textOf(group, 'PmtInfId'),
    account: readParty(group, 'Cdtr'),
    requested_on: textOf(group, 'ReqdColltnDt') as Day,
    scheme: (textOf(group, 'PmtTpInf', 'LclInstrm', 'Cd') === 'B2B' ? 'B2B' : 'CORE') as Scheme,
    sequence_type: textOf(group, 'PmtTpInf', 'SeqTp') as SequenceType,
    creditor_identifier: textOf(group, 'CdtrSchmeId', 'Id', 'PrvtId', 'Othr', 'Id'),
  }
}

export function readOrder(from: Element, family: OrderFamily, amount: bigint): Order {
  const order = {
    end_to_end_id: textOf(from, 'PmtId', 'EndToEndId'),
    instruction_id: textOf(from, 'PmtId', 'InstrId'),
    amount,
    counterparty: readParty(from, family === 'pain.001' ? 'Cdtr' : 'Dbtr'),
    remittance: readRemittance(find(from, 'RmtInf')),
    purpose: find(from, 'Purp') && textOf(from, 'Purp', 'Cd'),
  }
  if (family === 'pain.001') return order
  const mandate = find(from, 'DrctDbtTx', 'MndtRltdInf')
  const reference = textOf(mandate, 'MndtId')
  return { ...order, mandate: { reference, signed_on: textOf(mandate, 'DtOfSgntr') as Day } }
}

function readParty(from: Element, name: string): Party {
  const party = find(from, name)
  const institution = find(from, `${name}Agt`, 'FinInstnId')
  const bic = find(institution, 'BICFI') ?? find(institution, 'BIC')
  return {
    name: textOf(party, 'Nm'),
    iban: textOf(from, `${name}Acct`, 'Id', 'IBAN'),
    bic: bic?.text ?? null,
    address: readAddress(find(party, 'PstlAdr')),
  }
}

function readAddress(address: Element | null): Address | null {
  return address && { town: textOf(address, 'TwnNm'), country: textOf(address, 'Ctry') }
}

function readRemittance(from: Element | null): Remittance | null {
  if (!from) return null
  const reference = find(from, 'Strd', 'CdtrRefInf', 'Ref')
  return reference ? { reference: reference.text } : { text: textOf(from, 'Ustrd') }
}
