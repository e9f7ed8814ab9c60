/** Writes files of payment orders: pain.001 for transfers, pain.008 for debits. */
import { assert } from '../../../platform/kit/assert.ts'
import { toDecimal } from '../../../platform/kit/money.ts'
import { NAMESPACE } from '../reading/schema.ts'
import { type BankProfile, messageOf, sentBic } from './bank-profile.ts'
import { checkOrderFile } from './check-order-file.ts'
import { compareWritten } from './compare-written.ts'
import { type Fault, sayFaultBriefly } from './faults.ts'
import {
  type DebitOrder,
  type DebitTerms,
  type GroupParts,
  groupsOf,
  type OrderFile,
  type Party,
  type Remittance,
  type TransferOrder,
  type TransferTerms,
} from './order-file.ts'
import { needsAddress } from './sepa-rules.ts'
import { cutText, NAME_MAX, TEXT_MAX, TOWN_MAX } from './sepa-text.ts'
import { element, euros, leaf, type Xml } from './xml.ts'

/**
 * An order file that breaks a rule, so that no bank would execute it as it is. The message has no
 * names and accounts; the faults have.
 */
export class FaultyOrderFile extends Error {
  override name = 'FaultyOrderFile'
  readonly faults: readonly Fault[]

  constructor(faults: readonly Fault[]) {
    const [first] = faults
    const example = first ? sayFaultBriefly(first) : ''
    super(`The order file has ${faults.length} faults. ${example}`.trim())
    this.faults = faults
  }
}

/** What the versions of a message write differently. */
interface Dialect {
  readonly bic: 'BIC' | 'BICFI'
  readonly execution_day: (day: string) => Xml
}

const DIALECT_2009: Dialect = { bic: 'BIC', execution_day: day => leaf('ReqdExctnDt', day) }
const DIALECT_2019: Dialect = {
  bic: 'BICFI',
  execution_day: day => element('ReqdExctnDt', leaf('Dt', day)),
}
const DIALECTS: Readonly<Record<BankProfile['transfers'] | BankProfile['debits'], Dialect>> = {
  'pain.001.001.03': DIALECT_2009,
  'pain.001.001.09': DIALECT_2019,
  'pain.008.001.02': DIALECT_2009,
  'pain.008.001.08': DIALECT_2019,
}

interface Context {
  readonly profile: BankProfile
  readonly dialect: Dialect
}

/** Orders that become bytes together. The text of a whole file would need several times as much. */
const PIECE_ORDERS = 500

/**
 * The file as the bank gets it, in UTF-8. Texts are converted to the bank's characters and cut. The
 * same file gives the same bytes. Throws a `FaultyOrderFile` if `checkOrderFile` finds a fault.
 */
export function writeOrderFile(file: OrderFile, profile: BankProfile): Uint8Array {
  const faults = checkOrderFile(file, profile)
  if (faults.length > 0) throw new FaultyOrderFile(faults)
  const pieces = [...writePieces(file, profile)].map(piece => Buffer.from(piece, 'utf8'))
  const bytes = Buffer.concat(pieces)
  const wrong = compareWritten(bytes, file, profile)
  assert(wrong === null, `the file was written wrongly: ${wrong}`)
  return bytes
}

function* writePieces(file: OrderFile, profile: BankProfile): Generator<string> {
  const message = messageOf(profile, file.kind)
  const context: Context = { profile, dialect: DIALECTS[message] }
  const root = file.kind === 'TRANSFER' ? 'CstmrCdtTrfInitn' : 'CstmrDrctDbtInitn'
  yield `<?xml version="1.0" encoding="UTF-8"?>\n<Document xmlns="${NAMESPACE}${message}"><${root}>`
  const groups = groupsOf(file)
  yield writeHeader(file, groups, context)
  for (const group of groups) {
    yield `<PmtInf>${writeTerms(group, context).join('')}`
    for (let at = 0; at < group.orders.length; at += PIECE_ORDERS) {
      yield writeOrders(group, [at, at + PIECE_ORDERS], context).join('')
    }
    yield '</PmtInf>'
  }
  yield `</${root}></Document>\n`
}

function writeHeader(file: OrderFile, groups: readonly GroupParts[], context: Context): Xml {
  const id =
    file.kind === 'DEBIT' && context.profile.identifies_initiator
      ? writeInitiatorId(file.groups[0]!.creditor_identifier)
      : null
  return element(
    'GrpHdr',
    leaf('MsgId', file.message_id),
    leaf('CreDtTm', `${file.created_at.toISOString().slice(0, 19)}Z`),
    ...writeTotals(groups),
    element('InitgPty', writeName(file.initiator, context), id),
  )
}

function writeInitiatorId(creditor_identifier: string): Xml {
  return element('Id', element('PrvtId', element('Othr', leaf('Id', creditor_identifier))))
}

function writeTotals(groups: readonly GroupParts[]): Xml[] {
  let number = 0
  let sum = 0n
  for (const { orders } of groups) {
    number += orders.length
    for (const { amount } of orders) sum += amount
  }
  return [leaf('NbOfTxs', String(number)), leaf('CtrlSum', toDecimal(sum))]
}

/** Everything in a group before its orders. */
function writeTerms(group: GroupParts, context: Context): (Xml | null)[] {
  const { batch_booking } = context.profile
  const { kind, terms } = group
  return [
    leaf('PmtInfId', terms.id),
    leaf('PmtMtd', kind === 'TRANSFER' ? 'TRF' : 'DD'),
    batch_booking === null ? null : leaf('BtchBookg', String(batch_booking)),
    ...writeTotals([group]),
    ...(kind === 'TRANSFER'
      ? writeTransferTerms(group.terms, group.orders, context)
      : writeDebitTerms(group.terms, context)),
  ]
}

function writeTransferTerms(
  terms: TransferTerms,
  orders: readonly TransferOrder[],
  context: Context,
): Xml[] {
  const { account, instant, requested_on } = terms
  const has_address = orders.some(({ counterparty }) => needsAddress(account, counterparty))
  return [
    element(
      'PmtTpInf',
      element('SvcLvl', leaf('Cd', 'SEPA')),
      instant ? element('LclInstrm', leaf('Cd', 'INST')) : null,
    ),
    context.dialect.execution_day(requested_on),
    writeParty('Dbtr', account, has_address, context),
    writeAccount('DbtrAcct', account),
    writeAgent('DbtrAgt', account, context),
    leaf('ChrgBr', 'SLEV'),
  ]
}

function writeDebitTerms(terms: DebitTerms, context: Context): Xml[] {
  const { account, scheme, sequence_type, requested_on, creditor_identifier } = terms
  return [
    element(
      'PmtTpInf',
      element('SvcLvl', leaf('Cd', 'SEPA')),
      element('LclInstrm', leaf('Cd', scheme)),
      leaf('SeqTp', sequence_type),
    ),
    leaf('ReqdColltnDt', requested_on),
    writeParty('Cdtr', account, false, context),
    writeAccount('CdtrAcct', account),
    writeAgent('CdtrAgt', account, context),
    leaf('ChrgBr', 'SLEV'),
    writeCreditorIdentifier(creditor_identifier),
  ]
}

function writeCreditorIdentifier(id: string): Xml {
  const scheme = element('SchmeNm', leaf('Prtry', 'SEPA'))
  const other = element('Othr', leaf('Id', id), scheme)
  return element('CdtrSchmeId', element('Id', element('PrvtId', other)))
}

function writeOrders(group: GroupParts, [from, to]: [number, number], context: Context): Xml[] {
  return group.kind === 'TRANSFER'
    ? group.orders.slice(from, to).map(order => writeTransfer(order, context))
    : group.orders.slice(from, to).map(order => writeDebit(order, context))
}

function writeTransfer(order: TransferOrder, context: Context): Xml {
  const { amount, counterparty } = order
  const is_bic_sent = sentBic(counterparty, context.profile) !== null
  return element(
    'CdtTrfTxInf',
    writeIds(order),
    element('Amt', euros('InstdAmt', toDecimal(amount))),
    is_bic_sent ? writeAgent('CdtrAgt', counterparty, context) : null,
    writeParty('Cdtr', counterparty, true, context),
    writeAccount('CdtrAcct', counterparty),
    ...writeReasons(order, context),
  )
}

function writeDebit(order: DebitOrder, context: Context): Xml {
  const { amount, counterparty } = order
  const { reference, signed_on } = order.mandate
  const mandate = element('MndtRltdInf', leaf('MndtId', reference), leaf('DtOfSgntr', signed_on))
  return element(
    'DrctDbtTxInf',
    writeIds(order),
    euros('InstdAmt', toDecimal(amount)),
    element('DrctDbtTx', mandate),
    writeAgent('DbtrAgt', counterparty, context),
    writeParty('Dbtr', counterparty, true, context),
    writeAccount('DbtrAcct', counterparty),
    ...writeReasons(order, context),
  )
}

function writeIds({ instruction_id, end_to_end_id }: TransferOrder | DebitOrder): Xml {
  return element('PmtId', leaf('InstrId', instruction_id), leaf('EndToEndId', end_to_end_id))
}

/** What the payment is for. */
function writeReasons(order: TransferOrder | DebitOrder, context: Context): (Xml | null)[] {
  const { purpose, remittance } = order
  return [
    purpose === null ? null : element('Purp', leaf('Cd', purpose)),
    remittance && writeRemittance(remittance, context),
  ]
}

function writeName(name: string, { profile }: Context): Xml {
  return leaf('Nm', cutText(name, NAME_MAX, profile.characters))
}

function writeParty(name: string, party: Party, has_address: boolean, context: Context): Xml {
  const address = has_address ? party.address : null
  const { characters } = context.profile
  const place =
    address &&
    element(
      'PstlAdr',
      leaf('TwnNm', cutText(address.town, TOWN_MAX, characters)),
      leaf('Ctry', address.country),
    )
  return element(name, writeName(party.name, context), place)
}

function writeAccount(name: string, { iban }: Party): Xml {
  return element(name, element('Id', leaf('IBAN', iban)))
}

/** The party's bank. Where the schema requires one, NOTPROVIDED stands for none. */
function writeAgent(name: string, party: Party, context: Context): Xml {
  const bic = sentBic(party, context.profile)
  const id =
    bic === null ? element('Othr', leaf('Id', 'NOTPROVIDED')) : leaf(context.dialect.bic, bic)
  return element(name, element('FinInstnId', id))
}

function writeRemittance(remittance: Remittance, { profile }: Context): Xml {
  if ('text' in remittance) {
    return element('RmtInf', leaf('Ustrd', cutText(remittance.text, TEXT_MAX, profile.characters)))
  }
  const code = element('CdOrPrtry', leaf('Cd', 'SCOR'))
  const type = element('Tp', code, leaf('Issr', 'ISO'))
  const reference = element('CdtrRefInf', type, leaf('Ref', remittance.reference))
  return element('RmtInf', element('Strd', reference))
}
