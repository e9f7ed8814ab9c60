/**
 * The elements that SEPA order files may have, as data. They come from the message definitions and
 * the EPC's guidelines, not from the writer, whose faults they are there to find.
 */
import { parseSchema } from '../reading/schema.ts'

/** Types of one version. `v` marks their names. */
function typesOf(v: string, bic: string, day: string): Record<string, string> {
  const institution = `FinInstnId:Institution${v}!`
  const group = 'PmtInfId! PmtMtd! BtchBookg NbOfTxs! CtrlSum! PmtTpInf:PaymentType!'
  return {
    [`Transfers${v}`]: `+GrpHdr:Header! +PmtInf:TransferGroup${v}!*`,
    [`TransferGroup${v}`]:
      `${group} ReqdExctnDt${day}! Dbtr:Party! DbtrAcct:Account! DbtrAgt:Agent${v}! ` +
      `ChrgBr! +CdtTrfTxInf:Transfer${v}!*`,
    [`Transfer${v}`]:
      `PmtId:PaymentId! Amt:Amount! CdtrAgt:Agent${v} Cdtr:Party! CdtrAcct:Account! ` +
      'Purp:Code RmtInf:Remittance',
    [`Debits${v}`]: `+GrpHdr:Header! +PmtInf:DebitGroup${v}!*`,
    [`DebitGroup${v}`]:
      `${group} ReqdColltnDt! Cdtr:Party! CdtrAcct:Account! CdtrAgt:Agent${v}! ChrgBr! ` +
      `CdtrSchmeId:SchemeId! +DrctDbtTxInf:Debit${v}!*`,
    [`Debit${v}`]:
      `PmtId:PaymentId! InstdAmt! DrctDbtTx:DebitTransaction! DbtrAgt:Agent${v}! Dbtr:Party! ` +
      'DbtrAcct:Account! Purp:Code RmtInf:Remittance',
    [`Agent${v}`]: institution,
    [`Institution${v}`]: `| ${bic} Othr:OtherId`,
  }
}

const SHARED = {
  Header: 'MsgId! CreDtTm! NbOfTxs! CtrlSum! InitgPty:Initiator!',
  Initiator: 'Nm! Id:InitiatorId',
  InitiatorId: 'PrvtId:InitiatorPrivateId!',
  InitiatorPrivateId: 'Othr:OtherId!',
  PaymentType: 'SvcLvl:Code! LclInstrm:Code SeqTp',
  Code: 'Cd!',
  Day: 'Dt!',
  Party: 'Nm! PstlAdr:Address',
  /** Address lines are read to be refused. */
  Address: 'TwnNm! Ctry! AdrLine*',
  Account: 'Id:AccountId!',
  AccountId: 'IBAN!',
  OtherId: 'Id!',
  PaymentId: 'InstrId! EndToEndId!',
  Amount: 'InstdAmt!',
  SchemeId: 'Id:PrivateParty!',
  PrivateParty: 'PrvtId:PrivateId!',
  PrivateId: 'Othr:NamedId!',
  NamedId: 'Id! SchmeNm:SchemeName!',
  SchemeName: 'Prtry!',
  DebitTransaction: 'MndtRltdInf:Mandate!',
  Mandate: 'MndtId! DtOfSgntr!',
  Remittance: '| Ustrd Strd:Structured',
  Structured: 'CdtrRefInf:Reference!',
  Reference: 'Tp:ReferenceType! Ref!',
  ReferenceType: 'CdOrPrtry:Code! Issr',
}

export type OrderFamily = 'pain.001' | 'pain.008'

export const ORDER_MESSAGES = parseSchema<OrderFamily>(
  { ...SHARED, ...typesOf('2009', 'BIC', ''), ...typesOf('2019', 'BICFI', ':Day') },
  [
    {
      family: 'pain.001',
      element: 'CstmrCdtTrfInitn',
      type: 'Transfers2009',
      versions: ['03'],
    },
    {
      family: 'pain.001',
      element: 'CstmrCdtTrfInitn',
      type: 'Transfers2019',
      versions: ['09'],
    },
    { family: 'pain.008', element: 'CstmrDrctDbtInitn', type: 'Debits2009', versions: ['02'] },
    { family: 'pain.008', element: 'CstmrDrctDbtInitn', type: 'Debits2019', versions: ['08'] },
  ],
)
