/**
 * Reduced schemas of messages, as data: which children an element has, in which order. The table of
 * the messages that we read serves all versions, because later ones only add elements. It marks
 * only what every version requires.
 */

import { assert } from '../../../platform/kit/assert.ts'

export interface Child {
  readonly name: string
  /** Its type in the table; null for text, and for an element that is not read. */
  readonly type: string | null
  readonly place: number
  /** Whether it is handed over as soon as it ends, so that it never accumulates. */
  readonly unit: boolean
  readonly required: boolean
  readonly repeats: boolean
  readonly read: boolean
  /** Whether the schema knows it; some banks write others that we read. */
  readonly known: boolean
}

export interface ElementType {
  readonly children: ReadonlyMap<string, Child>
  readonly required: readonly string[]
  /** Whether it must have one of its children. */
  readonly choice: boolean
  /** Whether it may have text instead of children, as in older versions. */
  readonly text: boolean
}

export interface Message<Family extends string = MessageFamily> {
  readonly family: Family
  /** The element inside `Document`, and its type. */
  readonly element: string
  readonly type: string
  readonly versions: readonly string[]
}

export interface Schema<Family extends string> {
  readonly types: ReadonlyMap<string, ElementType>
  /** The elements that are handed over. Where they do not belong, they are not skipped. */
  readonly units: ReadonlySet<string>
  readonly messages: readonly Message<Family>[]
}

/**
 * A child is `name:Type`, text without a type. Before the name, `+` hands it over at its end. After
 * it, `!` is required, `*` may repeat, `-` is not read, `?` is unknown to the schema. A leading `|`
 * makes the element a choice, `=` a choice or text.
 */
const TYPES = {
  StatementMessage: '+GrpHdr:GroupHeader! +Stmt:Statement!* SplmtryData-*',
  NotificationMessage: '+GrpHdr:GroupHeader! +Ntfctn:Notification!* SplmtryData-*',
  StatusMessage:
    '+GrpHdr:GroupHeader! +OrgnlGrpInfAndSts:GroupStatus! +OrgnlPmtInfAndSts:PaymentStatus* ' +
    'SplmtryData-*',
  GroupHeader:
    'MsgId! CreDtTm! MsgRcpt- MsgPgntn:Pagination OrgnlBizQry- AddtlInf- InitgPty- FwdgAgt- ' +
    'DbtrAgt- CdtrAgt-',

  Statement:
    'Id! StmtPgntn:Pagination ElctrncSeqNb RptgSeq- LglSeqNb CreDtTm FrToDt:Period CpyDplctInd ' +
    'RptgSrc- Acct:OwnAccount! RltdAcct- Intrst-* Bal:Balance!* TxsSummry- +Ntry:Entry* ' +
    'AddtlStmtInf-',
  Notification:
    'Id! NtfctnPgntn:Pagination ElctrncSeqNb RptgSeq- LglSeqNb CreDtTm FrToDt:Period CpyDplctInd ' +
    'RptgSrc- Acct:OwnAccount! RltdAcct- Intrst-* TxsSummry- +Ntry:Entry* AddtlNtfctnInf-',
  Pagination: 'PgNb! LastPgInd!',
  Period: 'FrDtTm ToDtTm',
  OwnAccount: 'Id:AccountId! Tp- Ccy Nm Prxy- Ownr- Svcr-',
  AccountId: '| IBAN Othr:OtherAccount',
  OtherAccount: 'Id! SchmeNm- Issr-',
  Balance: 'Tp:BalanceType! CdtLine-* Amt! CdtDbtInd! Dt:Day! Avlbty-*',
  BalanceType: 'CdOrPrtry:Code! SubTp:Code',
  Code: '| Cd Prtry',
  Day: '| Dt DtTm',

  Entry:
    'NtryRef Amt! CdtDbtInd! RvslInd Sts:Status! BookgDt:Day ValDt:Day AcctSvcrRef Avlbty-* ' +
    'BkTxCd:TransactionCode! ComssnWvrInd- AddtlInfInd- AmtDtls:Amounts Chrgs:Charges* ' +
    'TechInptChanl- Intrst-* CardTx- RtrInf:Return? +NtryDtls:EntryDetails* AddtlNtryInf',
  Status: '= Cd Prtry',
  TransactionCode: 'Domn:Domain Prtry:ProprietaryCode',
  Domain: 'Cd! Fmly:Family!',
  Family: 'Cd! SubFmlyCd!',
  ProprietaryCode: 'Cd! Issr',
  Amounts: 'InstdAmt:Amount TxAmt:Amount CntrValAmt:Amount AnncdPstngAmt:Amount PrtryAmt-*',
  Amount: 'Amt! CcyXchg-',
  Charges:
    'TtlChrgsAndTaxAmt Amt CdtDbtInd ChrgInclInd Tp:ChargeType Rate- Br Pty- Agt- Tax- ' +
    'Rcrd:Charge*',
  Charge: 'Amt! CdtDbtInd ChrgInclInd Tp:ChargeType Rate- Br Agt- Tax-',
  ChargeType: '| Cd Prtry:ProprietaryId',
  ProprietaryId: 'Id! Issr',
  EntryDetails: 'Btch:Batch RtrInf:Return? +TxDtls:Transaction*',
  Batch: 'MsgId PmtInfId NbOfTxs TtlAmt CdtDbtInd',

  Transaction:
    'Refs:References Amt CdtDbtInd AmtDtls:Amounts Avlbty-* BkTxCd:TransactionCode ' +
    'Chrgs:Charges* Intrst-* RltdPties:Parties RltdAgts:Agents LclInstrm- Purp:Code ' +
    'RltdRmtInf-* RmtInf:Remittance RltdDts- RltdPric- RltdQties-* FinInstrmId- Tax- ' +
    'RtrInf:Return CorpActn- SfkpgAcct- CshDpst-* CardTx- AddtlTxInf SplmtryData-*',
  References:
    'MsgId AcctSvcrRef PmtInfId InstrId EndToEndId UETR TxId MndtId ChqNb ClrSysRef ' +
    'AcctOwnrTxId- AcctSvcrTxId- MktInfrstrctrTxId- PrcgId- Prtry-*',
  Parties:
    'InitgPty:Party Dbtr:Party DbtrAcct:Account UltmtDbtr:Party Cdtr:Party CdtrAcct:Account ' +
    'UltmtCdtr:Party TradgPty- Prtry-*',
  Party: 'Nm PstlAdr- Id- CtryOfRes- CtctDtls- Pty:PartyId Agt:Agent',
  PartyId: 'Nm PstlAdr- Id- CtryOfRes- CtctDtls-',
  Account: 'Id:AccountId Tp- Ccy Nm Prxy-',
  Agents:
    'InstgAgt- InstdAgt- DbtrAgt:Agent CdtrAgt:Agent IntrmyAgt1- IntrmyAgt2- IntrmyAgt3- ' +
    'RcvgAgt- DlvrgAgt- IssgAgt- SttlmPlc- Prtry-*',
  Agent: 'FinInstnId:Institution! BrnchId-',
  Institution: 'BIC BICFI ClrSysMmbId- LEI- Nm PstlAdr- Othr-',
  Remittance: 'Ustrd* Strd:Structured*',
  Structured:
    'RfrdDocInf:Document* RfrdDocAmt- CdtrRefInf:Reference Invcr- Invcee- TaxRmt- GrnshmtRmt- ' +
    'AddtlRmtInf*',
  Document: 'Tp- Nb RltdDt- LineDtls-*',
  Reference: 'Tp:ReferenceType Ref',
  ReferenceType: 'CdOrPrtry:Code! Issr',
  Return: 'OrgnlBkTxCd:TransactionCode Orgtr:PartyId Rsn:Code AddtlInf*',

  GroupStatus:
    'OrgnlMsgId! OrgnlMsgNmId! OrgnlCreDtTm OrgnlNbOfTxs OrgnlCtrlSum GrpSts ' +
    'StsRsnInf:StatusReason* NbOfTxsPerSts-*',
  PaymentStatus:
    'OrgnlPmtInfId! OrgnlNbOfTxs OrgnlCtrlSum PmtInfSts StsRsnInf:StatusReason* ' +
    'NbOfTxsPerSts-* +TxInfAndSts:TransactionStatus*',
  TransactionStatus:
    'StsId OrgnlInstrId OrgnlEndToEndId OrgnlUETR TxSts StsRsnInf:StatusReason* ' +
    'ChrgsInf:StatusCharge* TrckrData- AccptncDtTm AcctSvcrRef ClrSysRef ' +
    'OrgnlTxRef:OriginalTransaction SplmtryData-*',
  StatusReason: 'Orgtr:PartyId Rsn:Code AddtlInf*',
  StatusCharge: 'Amt! Pty- Agt-',
  OriginalTransaction:
    'IntrBkSttlmAmt Amt:OriginalAmount IntrBkSttlmDt- ReqdColltnDt ReqdExctnDt:ExecutionDay ' +
    'CdtrSchmeId- SttlmInf- PmtTpInf- PmtMtd- MndtRltdInf:Mandate RmtInf:Remittance ' +
    'UltmtDbtr:Party Dbtr:Party DbtrAcct:Account DbtrAgt- DbtrAgtAcct- CdtrAgt- CdtrAgtAcct- ' +
    'Cdtr:Party CdtrAcct:Account UltmtCdtr:Party Purp-',
  OriginalAmount: '| InstdAmt EqvtAmt-',
  ExecutionDay: '= Dt DtTm',
  Mandate:
    'MndtId DtOfSgntr- AmdmntInd- AmdmntInfDtls- ElctrncSgntr- FrstColltnDt- FnlColltnDt- ' +
    'Frqcy- Rsn- TrckgDays-',
} as const

/** The schema of a table of types, in the notation of `TYPES`, and the messages made of them. */
export function parseSchema<Family extends string>(
  table: Readonly<Record<string, string>>,
  messages: readonly Message<Family>[],
): Schema<Family> {
  const types = new Map(Object.entries(table).map(([name, text]) => [name, parseType(text)]))
  const children = [...types.values()].flatMap(type => [...type.children.values()])
  const named = [...children, ...messages].flatMap(({ type }) => type ?? [])
  const missing = named.find(name => !types.has(name))
  assert(missing === undefined, `the schema has no type ${missing}`)
  const units = new Set(children.filter(child => child.unit).map(child => child.name))
  return { types, units, messages }
}

function parseType(text: string): ElementType {
  const words = text.split(' ')
  const kind = /^[|=]$/.test(words[0]!) ? words.shift() : null
  const children = words.map(parseChild)
  return {
    children: new Map(children.map(child => [child.name, child])),
    required: children.filter(child => child.required).map(child => child.name),
    choice: kind !== null && kind !== undefined,
    text: kind === '=',
  }
}

function parseChild(word: string, place: number): Child {
  const [, unit, name, type, marks] = /^(\+?)(\w+)(?::(\w+))?([!*?-]*)$/.exec(word)!
  return {
    name: name!,
    type: type ?? null,
    place,
    unit: unit === '+',
    required: marks!.includes('!'),
    repeats: marks!.includes('*'),
    read: !marks!.includes('-'),
    known: !marks!.includes('?'),
  }
}

export type MessageFamily = 'camt.053' | 'camt.054' | 'pain.002'

/** The messages that banks send. */
export const BANK_MESSAGES: Schema<MessageFamily> = parseSchema(TYPES, [
  {
    family: 'camt.053',
    element: 'BkToCstmrStmt',
    type: 'StatementMessage',
    versions: ['02', '04', '08'],
  },
  {
    family: 'camt.054',
    element: 'BkToCstmrDbtCdtNtfctn',
    type: 'NotificationMessage',
    versions: ['02', '04', '08'],
  },
  { family: 'pain.002', element: 'CstmrPmtStsRpt', type: 'StatusMessage', versions: ['03', '10'] },
])

export const NAMESPACE = 'urn:iso:std:iso:20022:tech:xsd:'

/** The name of the message that a namespace stands for, such as camt.053.001.08, or null. */
export function messageNameOf(namespace: string): string | null {
  if (!namespace.startsWith(NAMESPACE)) return null
  const name = namespace.slice(NAMESPACE.length)
  return /^[a-z]{4}\.\d{3}\.\d{3}\.\d{2}$/.test(name) ? name : null
}

/** The message with this name; null if the schema does not have it. */
export function messageNamed<Family extends string>(
  schema: Schema<Family>,
  name: string,
): Message<Family> | null {
  const [, family, version] = /^(\w{4}\.\d{3})\.001\.(\d{2})$/.exec(name) ?? []
  return schema.messages.find(m => m.family === family && m.versions.includes(version!)) ?? null
}

/** The schema's messages and versions, for people. */
export function messagesOf({ messages }: Schema<string>): string {
  return messages
    .map(({ family, versions }) => `${family} (${versions.map(v => `.${v}`).join(', ')})`)
    .join(', ')
}
