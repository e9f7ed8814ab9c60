/** Checks the codes and texts of a SEPA order file whose form only the XML shows. */
import { find, findAll } from '../reading/elements.ts'
import type { Element } from '../reading/tree.ts'
import type { BankProfile } from './bank-profile.ts'
import { quote, type Report } from './faults.ts'
import type { OrderFamily } from './order-schema.ts'
import { isSepaText, NAME_MAX, TEXT_MAX, TOWN_MAX } from './sepa-text.ts'

interface Code {
  readonly path: readonly string[]
  readonly values: readonly string[]
  /** Whether it may be missing. The schema requires the others. */
  readonly optional: boolean
}

const code = (path: string, values: string, optional = true): Code => ({
  path: path.split(' '),
  values: values.split(' '),
  optional,
})

const CODES: readonly Code[] = [
  code('BtchBookg', 'true false'),
  code('PmtTpInf SvcLvl Cd', 'SEPA'),
  code('ChrgBr', 'SLEV'),
  code('CdtrSchmeId Id PrvtId Othr SchmeNm Prtry', 'SEPA'),
  code('RmtInf Strd CdtrRefInf Tp CdOrPrtry Cd', 'SCOR'),
  code('RmtInf Strd CdtrRefInf Tp Issr', 'ISO'),
  code('DbtrAgt FinInstnId Othr Id', 'NOTPROVIDED'),
  code('CdtrAgt FinInstnId Othr Id', 'NOTPROVIDED'),
]

const CODES_OF_GROUPS: Readonly<Record<OrderFamily, readonly Code[]>> = {
  'pain.001': [
    code('PmtMtd', 'TRF'),
    code('PmtTpInf LclInstrm Cd', 'INST'),
    code('PmtTpInf SeqTp', ''),
  ],
  'pain.008': [
    code('PmtMtd', 'DD'),
    code('PmtTpInf LclInstrm Cd', 'CORE B2B', false),
    code('PmtTpInf SeqTp', 'FRST RCUR OOFF FNAL', false),
  ],
}

/** Checks the codes in a group or an order, and that of two alternatives one is there. */
export function checkCodes(element: Element, family: OrderFamily, report: Report): void {
  const codes = element.name === 'PmtInf' ? [...CODES, ...CODES_OF_GROUPS[family]] : CODES
  for (const { path, values, optional } of codes) {
    const found = find(element, ...path)
    const is_right = found ? values.includes(found.text) : optional
    if (is_right) continue
    const allowed = values.filter(Boolean).join(', ') || 'allowed'
    const detail = `${quote(found?.text ?? '')} is not ${allowed}`
    report(path.join('/'), 'code', detail)
  }
  for (const path of [['RmtInf'], ['DbtrAgt', 'FinInstnId'], ['CdtrAgt', 'FinInstnId']]) {
    const found = find(element, ...path)
    if (!found || found.children.length === 1) continue
    report(path.join('/'), 'structure', `has ${found.children.length} values instead of one`)
  }
}

/** The longest texts. Ids have their own rule. */
const LENGTHS: Readonly<Record<string, number>> = {
  Nm: NAME_MAX,
  Ustrd: TEXT_MAX,
  TwnNm: TOWN_MAX,
  AdrLine: 70,
}

/** Checks characters, lengths and addresses in everything below the element. */
export function checkTexts(element: Element, profile: BankProfile, report: Report): void {
  for (const child of element.children) {
    checkText(child, profile, report)
    checkTexts(child, profile, report)
  }
  if (findAll(element, 'AdrLine').length > 0) {
    report('AdrLine', 'address_superfluous', 'addresses are not sent in lines')
  }
}

function checkText({ name, text, children }: Element, profile: BankProfile, report: Report): void {
  if (children.length > 0) return
  if (!isSepaText(text, profile.characters) || text.trim() !== text) {
    report(
      name,
      'characters',
      `${quote(text)} has characters or spaces that the bank does not take`,
    )
  }
  const length = LENGTHS[name]
  if (length !== undefined && text.length > length) {
    report(name, 'length', `${quote(text)} has ${text.length} characters; at most ${length} fit`)
  }
}
