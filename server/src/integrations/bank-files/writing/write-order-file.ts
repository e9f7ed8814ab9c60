/** Writes files of payment orders: pain.001 for transfers, pain.008 for debits. */
import { assert } from '../../../platform/kit/assert.ts'
import { toDecimal } from '../../../platform/kit/money.ts'
import { NAMESPACE } from '../reading/schema.ts'
import { type BankProfile, messageOf } from './bank-profile.ts'
import { checkOrderFile } from './check-order-file.ts'
import { checkOrderXml } from './check-order-xml.ts'
import { type Fault, sayFault } from './faults.ts'
import type {
  DebitTerms,
  FileHead,
  Order,
  OrderFile,
  Party,
  Remittance,
  Terms,
  TransferTerms,
} from './order-file.ts'
import { isOutsideEea } from './sepa-countries.ts'
import { cutText, NAME_MAX, TEXT_MAX, TOWN_MAX } from './sepa-text.ts'
import { element, euros, leaf, type Xml } from './xml.ts'

/** An order file that breaks a rule, so that no bank would execute it as it is. */
export class FaultyOrderFile extends Error {
  override name = 'FaultyOrderFile'
  readonly faults: readonly Fault[]

  constructor(faults: readonly Fault[]) {
    const [first] = faults
    super(`The order file has ${faults.length} faults. ${first ? sayFault(first) : ''}`.trim())
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
  const [wrong] = checkOrderXml(bytes, profile)
  assert(!wrong, `the file was written wrongly: ${wrong && sayFault(wrong)}`)
  return bytes
}

function* writePieces(file: OrderFile, profile: BankProfile): Generator<string> {
  const message = messageOf(profile, file.kind)
  const context: Context = { profile, dialect: DIALECTS[message] }
  const root = file.kind === 'TRANSFER' ? 'CstmrCdtTrfInitn' : 'CstmrDrctDbtInitn'
  yield `<?xml version="1.0" encoding="UTF-8"?>\n<Document xmlns="${NAMESPACE}${message}"><${root}>`
  yield writeHeader(
    file,
    file.groups.flatMap(({ orders }) => orders),
    context,
  )
  for (const group of file.groups) {
    yield `<PmtInf>${writeTerms(group, group.orders, context).join('')}`
    for (let at = 0; at < group.orders.length; at += PIECE_ORDERS) {
      const orders: readonly Order[] = group.orders.slice(at, at + PIECE_ORDERS)
      yield orders.map(order => writeOrder(order, context)).join('')
    }
    yield '</PmtInf>'
  }
  yield `</${root}></Document>\n`
}

function writeHeader(file: FileHead, orders: readonly Order[], context: Context): Xml {
  return element(
    'GrpHdr',
    leaf('MsgId', file.message_id),
    leaf('CreDtTm', `${file.created_at.toISOString().slice(0, 19)}Z`),
    ...writeTotals(orders),
    element('InitgPty', writeName(file.initiator, context)),
  )
}

function writeTotals(orders: readonly Order[]): Xml[] {
  const sum = orders.reduce((total, { amount }) => total + amount, 0n)
  return [leaf('NbOfTxs', String(orders.length)), leaf('CtrlSum', toDecimal(sum))]
}

/** Everything in a group before its orders. */
function writeTerms(terms: Terms, orders: readonly Order[], context: Context): (Xml | null)[] {
  const { batch_booking } = context.profile
  return [
    leaf('PmtInfId', terms.id),
    leaf('PmtMtd', terms.kind === 'TRANSFER' ? 'TRF' : 'DD'),
    batch_booking === null ? null : leaf('BtchBookg', String(batch_booking)),
    ...writeTotals(orders),
    ...(terms.kind === 'TRANSFER'
      ? writeTransferTerms(terms, context)
      : writeDebitTerms(terms, context)),
  ]
}

function writeTransferTerms(terms: TransferTerms, context: Context): Xml[] {
  const { account, instant, requested_on } = terms
  return [
    element(
      'PmtTpInf',
      element('SvcLvl', leaf('Cd', 'SEPA')),
      instant ? element('LclInstrm', leaf('Cd', 'INST')) : null,
    ),
    context.dialect.execution_day(requested_on),
    writeParty('Dbtr', account, context),
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
    writeParty('Cdtr', account, context),
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

function writeOrder(order: Order, context: Context): Xml {
  const { counterparty, purpose } = order
  const id = element(
    'PmtId',
    leaf('InstrId', order.instruction_id),
    leaf('EndToEndId', order.end_to_end_id),
  )
  const amount = euros('InstdAmt', toDecimal(order.amount))
  const rest = [
    purpose === null ? null : element('Purp', leaf('Cd', purpose)),
    order.remittance && writeRemittance(order.remittance, context),
  ]
  if (!('mandate' in order)) {
    const is_bic_known = sentBic(counterparty, context) !== null
    return element(
      'CdtTrfTxInf',
      id,
      element('Amt', amount),
      is_bic_known ? writeAgent('CdtrAgt', counterparty, context) : null,
      writeParty('Cdtr', counterparty, context),
      writeAccount('CdtrAcct', counterparty),
      ...rest,
    )
  }
  const { reference, signed_on } = order.mandate
  const mandate = element('MndtRltdInf', leaf('MndtId', reference), leaf('DtOfSgntr', signed_on))
  return element(
    'DrctDbtTxInf',
    id,
    amount,
    element('DrctDbtTx', mandate),
    writeAgent('DbtrAgt', counterparty, context),
    writeParty('Dbtr', counterparty, context),
    writeAccount('DbtrAcct', counterparty),
    ...rest,
  )
}

function writeName(name: string, { profile }: Context): Xml {
  return leaf('Nm', cutText(name, NAME_MAX, profile.characters))
}

function writeParty(name: string, party: Party, context: Context): Xml {
  const { address } = party
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
  const bic = sentBic(party, context)
  const id =
    bic === null ? element('Othr', leaf('Id', 'NOTPROVIDED')) : leaf(context.dialect.bic, bic)
  return element(name, element('FinInstnId', id))
}

function sentBic({ bic, iban }: Party, { profile }: Context): string | null {
  return profile.sends_bic || isOutsideEea(iban) ? bic : null
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
