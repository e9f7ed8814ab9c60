/** Reads statements (camt.053) and notifications (camt.054): statements, entries, transactions. */
import type { Money } from './amounts.ts'
import {
  type Code,
  codeAt,
  dayAt,
  find,
  findAll,
  flagAt,
  moneyAt,
  type Party,
  type Remittance,
  readParty,
  readRemittance,
  requiredMoney,
  textAt,
  textsOf,
  wordAt,
} from './elements.ts'
import type { Element } from './tree.ts'
import { UnreadableFile } from './unreadable.ts'
import type { Warnings } from './warnings.ts'

const SIGNS = ['CRDT', 'DBIT'] as const

/** What happened on the account: money came in (CRDT) or went out (DBIT). */
export type Sign = (typeof SIGNS)[number]

export interface Statement {
  /** From 1, in the file. */
  readonly place: number
  readonly id: string | null
  readonly account: Party | null
  readonly currency: string | null
  readonly electronic_number: string | null
  readonly legal_number: string | null
  readonly page: string | null
  readonly is_last_page: boolean | null
  readonly created_at: string | null
  readonly from: string | null
  readonly to: string | null
  /** Set if the bank sends the statement again: COPY, DUPL or CODU. */
  readonly copy: Code | null
}

export interface Balance {
  /** OPBD, PRCD, CLBD, CLAV and others. */
  readonly type: Code | null
  /** INTM for the balance between two pages. */
  readonly subtype: Code | null
  readonly currency: string
  /** Negative if the account is overdrawn. */
  readonly cents: bigint
  readonly on: string | null
}

export interface TransactionCode {
  readonly domain: Code | null
  readonly family: Code | null
  readonly subfamily: Code | null
  readonly proprietary: Code | null
  readonly issuer: string | null
}

export interface Charge {
  readonly amount: Money | null
  readonly sign: Sign | null
  /** Whether the entry's amount includes it. */
  readonly included: boolean | null
  readonly type: Code | null
  readonly bearer: Code | null
}

export interface Charges {
  readonly total: Money | null
  readonly records: readonly Charge[]
}

export interface Batch {
  readonly message_id: string | null
  readonly payment_information_id: string | null
  readonly transactions: string | null
  readonly total: Money | null
  readonly sign: Sign | null
}

/** Why money was returned. */
export interface Return {
  /** Whether the bank says so in `RtrInf`, not only in codes and texts. */
  readonly stated: boolean
  /** An ISO reason such as AC04, or the bank's own. */
  readonly code: Code | null
  readonly lines: readonly string[]
  readonly original_code: TransactionCode | null
  readonly originator: string | null
}

export interface Entry {
  readonly statement_place: number
  /** From 1, in the statement. */
  readonly place: number
  readonly reference: string | null
  readonly amount: Money
  readonly sign: Sign
  /** Only BOOK changes the booked balance. */
  readonly status: Code | null
  /** A reversal of an earlier entry. The sign already says what happened. */
  readonly is_reversal: boolean
  readonly booked_on: string | null
  readonly value_on: string | null
  /** Not unique at some banks. */
  readonly bank_reference: string | null
  readonly code: TransactionCode
  readonly amounts: Amounts
  readonly charges: Charges
  readonly batches: readonly Batch[]
  readonly return: Return | null
  readonly text: string | null
  /** The number of its details, which are read before it. */
  readonly details: number
}

export interface Amounts {
  readonly instructed: Money | null
  readonly transaction: Money | null
  readonly counter_value: Money | null
}

/** One transaction of an entry. An entry may have none, some or all of them. */
export interface Detail {
  readonly statement_place: number
  readonly entry_place: number
  /** From 1, in the entry. */
  readonly place: number
  readonly message_id: string | null
  readonly bank_reference: string | null
  readonly payment_information_id: string | null
  readonly instruction_id: string | null
  readonly end_to_end_id: string | null
  readonly uetr: string | null
  readonly transaction_id: string | null
  readonly mandate_id: string | null
  readonly clearing_reference: string | null
  readonly amount: Money | null
  readonly sign: Sign | null
  readonly amounts: Amounts
  readonly code: TransactionCode
  readonly charges: Charges
  readonly debtor: Party | null
  readonly ultimate_debtor: Party | null
  readonly creditor: Party | null
  readonly ultimate_creditor: Party | null
  readonly initiating_party: Party | null
  readonly purpose: Code | null
  readonly remittance: Remittance
  readonly return: Return | null
  readonly text: string | null
}

export function readStatement(from: Element, place: number): Statement {
  const page = find(from, 'StmtPgntn') ?? find(from, 'NtfctnPgntn')
  const account = find(from, 'Acct')
  return {
    place,
    id: textAt(from, 'Id'),
    account: readParty(account, account),
    currency: textAt(account, 'Ccy'),
    electronic_number: textAt(from, 'ElctrncSeqNb'),
    legal_number: textAt(from, 'LglSeqNb'),
    page: textAt(page, 'PgNb'),
    is_last_page: flagAt(page, 'LastPgInd', null),
    created_at: textAt(from, 'CreDtTm'),
    from: textAt(from, 'FrToDt', 'FrDtTm'),
    to: textAt(from, 'FrToDt', 'ToDtTm'),
    copy: textAt(from, 'CpyDplctInd'),
  }
}

export function readBalances(from: Element, warnings: Warnings): Balance[] {
  return findAll(from, 'Bal').map(balance => {
    const { currency, cents } = requiredMoney(balance)
    return {
      type: codeAt(balance, 'Tp', 'CdOrPrtry'),
      subtype: codeAt(balance, 'Tp', 'SubTp'),
      currency,
      cents: requiredSign(balance) === 'CRDT' ? cents : -cents,
      on: dayAt(balance, warnings, 'Dt'),
    }
  })
}

/** What an entry cannot contain itself: its place, and what was handed over before its end. */
export type EntryContext = Pick<Entry, 'statement_place' | 'place' | 'batches' | 'details'> & {
  /** From `NtryDtls`, where some banks put it. */
  readonly return_element: Element | null
}

export function readEntry(from: Element, context: EntryContext, warnings: Warnings): Entry {
  const { return_element, ...rest } = context
  const code = readCode(find(from, 'BkTxCd'))
  const text = textAt(from, 'AddtlNtryInf')
  const returned = find(from, 'RtrInf') ?? return_element
  return {
    ...rest,
    reference: textAt(from, 'NtryRef'),
    amount: requiredMoney(from),
    sign: requiredSign(from),
    status: codeAt(from, 'Sts'),
    is_reversal: flagAt(from, 'RvslInd', warnings) ?? false,
    booked_on: dayAt(from, warnings, 'BookgDt'),
    value_on: dayAt(from, warnings, 'ValDt'),
    bank_reference: textAt(from, 'AcctSvcrRef'),
    code,
    amounts: readAmounts(find(from, 'AmtDtls'), warnings),
    charges: readCharges(from, warnings),
    return: readReturn(returned, code, [text]),
    text,
  }
}

export function readBatch(from: Element, warnings: Warnings): Batch {
  return {
    message_id: textAt(from, 'MsgId'),
    payment_information_id: textAt(from, 'PmtInfId'),
    transactions: textAt(from, 'NbOfTxs'),
    total: moneyAt(from, warnings, 'TtlAmt'),
    sign: wordAt(from, SIGNS, 'CdtDbtInd'),
  }
}

type DetailContext = Pick<Detail, 'statement_place' | 'entry_place' | 'place'>

export function readDetail(from: Element, context: DetailContext, warnings: Warnings): Detail {
  const refs = find(from, 'Refs')
  const amounts = readAmounts(find(from, 'AmtDtls'), warnings)
  const code = readCode(find(from, 'BkTxCd'))
  const remittance = readRemittance(find(from, 'RmtInf'))
  const text = textAt(from, 'AddtlTxInf')
  return {
    ...context,
    message_id: textAt(refs, 'MsgId'),
    bank_reference: textAt(refs, 'AcctSvcrRef'),
    payment_information_id: textAt(refs, 'PmtInfId'),
    instruction_id: textAt(refs, 'InstrId'),
    end_to_end_id: textAt(refs, 'EndToEndId'),
    uetr: readUetr(find(refs, 'UETR'), warnings),
    transaction_id: textAt(refs, 'TxId'),
    mandate_id: textAt(refs, 'MndtId'),
    clearing_reference: textAt(refs, 'ClrSysRef'),
    amount: moneyAt(from, warnings, 'Amt') ?? amounts.transaction,
    sign: wordAt(from, SIGNS, 'CdtDbtInd'),
    amounts,
    code,
    charges: readCharges(from, warnings),
    ...readParties(from),
    purpose: codeAt(from, 'Purp'),
    remittance,
    return: readReturn(find(from, 'RtrInf'), code, [text, remittance.text]),
    text,
  }
}

function readParties(from: Element) {
  const parties = find(from, 'RltdPties')
  const agents = find(from, 'RltdAgts')
  const [debtor, creditor] = (['Dbtr', 'Cdtr'] as const).map(name =>
    readParty(find(parties, name), find(parties, `${name}Acct`), find(agents, `${name}Agt`)),
  )
  return {
    debtor: debtor!,
    ultimate_debtor: readParty(find(parties, 'UltmtDbtr')),
    creditor: creditor!,
    ultimate_creditor: readParty(find(parties, 'UltmtCdtr')),
    initiating_party: readParty(find(parties, 'InitgPty')),
  }
}

function requiredSign(from: Element): Sign {
  const sign = wordAt(from, SIGNS, 'CdtDbtInd')
  if (sign) return sign
  throw new UnreadableFile(
    `Line ${from.line}: ${from.name} is neither credit (CRDT) nor debit (DBIT).`,
  )
}

function readCode(from: Element | null): TransactionCode {
  return {
    domain: textAt(from, 'Domn', 'Cd'),
    family: textAt(from, 'Domn', 'Fmly', 'Cd'),
    subfamily: textAt(from, 'Domn', 'Fmly', 'SubFmlyCd'),
    proprietary: textAt(from, 'Prtry', 'Cd'),
    issuer: textAt(from, 'Prtry', 'Issr'),
  }
}

function readAmounts(from: Element | null, warnings: Warnings): Amounts {
  return {
    instructed: moneyAt(from, warnings, 'InstdAmt', 'Amt'),
    transaction: moneyAt(from, warnings, 'TxAmt', 'Amt'),
    counter_value: moneyAt(from, warnings, 'CntrValAmt', 'Amt'),
  }
}

/** Charges are repeated in version 02, and records of one element in later ones. */
function readCharges(from: Element, warnings: Warnings): Charges {
  const charges = findAll(from, 'Chrgs')
  const records = charges.flatMap(one => [
    ...(find(one, 'Amt') ? [one] : []),
    ...findAll(one, 'Rcrd'),
  ])
  const total = charges.find(one => find(one, 'TtlChrgsAndTaxAmt')) ?? null
  return {
    total: moneyAt(total, warnings, 'TtlChrgsAndTaxAmt'),
    records: records.map(record => ({
      amount: moneyAt(record, warnings, 'Amt'),
      sign: wordAt(record, SIGNS, 'CdtDbtInd'),
      included: flagAt(record, 'ChrgInclInd', warnings),
      type: textAt(record, 'Tp', 'Cd') ?? textAt(record, 'Tp', 'Prtry', 'Id'),
      bearer: textAt(record, 'Br'),
    })),
  }
}

const UETR = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/** The UETR as the bank wrote it. Some are no UUID of version 4, which the schema requires. */
export function readUetr(from: Element | null, warnings: Warnings): string | null {
  const uetr = textAt(from)
  if (uetr !== null && !UETR.test(uetr)) {
    warnings.add(`${from!.name} is no UUID of version 4`, from!.line)
  }
  return uetr
}

/** Sub-families of the bank transaction code for money that came back. */
const RETURNS = ['RRTN', 'UPDD', 'PRDD', 'ARET', 'RPCR']

/** ISO reasons of returns that are no words of a text. */
const REASON = /\b(A[CGM]\d\d|BE\d\d|DT\d\d|ED\d\d|FF\d\d|M[DS]\d\d|R[CR]\d\d|SL\d\d|TM\d\d)\b/

/** The first ISO reason that the texts mention. */
export function reasonIn(texts: readonly (string | null)[]): Code | null {
  return REASON.exec(texts.filter(Boolean).join(' '))?.[0] ?? null
}

/**
 * The return that `from` states, or that the transaction code means. The reason is a code, the
 * bank's own code, or is mentioned in a text.
 */
function readReturn(
  from: Element | null,
  { subfamily }: TransactionCode,
  texts: readonly (string | null)[],
): Return | null {
  if (!from && !RETURNS.includes(subfamily ?? '')) return null
  const lines = textsOf(from, 'AddtlInf')
  const original = find(from, 'OrgnlBkTxCd')
  return {
    stated: from !== null,
    code: codeAt(from, 'Rsn') ?? reasonIn([...lines, ...texts]),
    lines,
    original_code: original && readCode(original),
    originator: textAt(from, 'Orgtr', 'Nm'),
  }
}
