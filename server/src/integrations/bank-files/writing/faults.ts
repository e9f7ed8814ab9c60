/** What can be wrong with a file of payment orders: the rules, and where each comes from. */

const ISO = 'ISO 20022'
const GUIDELINES = 'EPC customer-to-PSP guidelines (EPC132-08, EPC130-08, EPC131-08)'
const PROFILE = "the bank's profile"

/**
 * Each rule with the ISO reason code that a bank would give (external status reasons), and where
 * the rule comes from.
 */
export const RULES = {
  structure: ['FF01', `${ISO} message definition, within the elements that SEPA uses`],
  version: ['FF01', PROFILE],
  encoding: ['FF01', `${GUIDELINES}: UTF-8 without byte order mark`],
  code: ['CH16', `${GUIDELINES}: fixed codes`],
  count: ['AM18', `${ISO}: NbOfTxs is the number of orders`],
  sum: ['AM10', `${ISO}: CtrlSum is the sum of the amounts`],
  scheme: ['CH22', 'EPC debit rulebooks: a file has debits of one scheme, Core or B2B'],
  orders_min: ['CH21', `${ISO}: a file has groups, and a group has orders`],
  orders_max: ['AM18', PROFILE],
  moment: ['DT02', `${ISO}: CreDtTm is a moment`],
  id_form: ['CH16', `${GUIDELINES}: 1 to 35 basic Latin characters; no slash first, last or twice`],
  id_unique: ['RF01', `${ISO}: an id stands for one payment`],
  characters: ['CH16', 'EPC217-08: the characters that the bank takes'],
  length: ['CH16', `${ISO}: the longest text of the element`],
  name: ['BE21', `${GUIDELINES}: every party has a name`],
  text: ['CH16', `${GUIDELINES}: remittance information says something`],
  currency: ['AM03', 'EPC rulebooks: all payments are in EUR'],
  amount: ['AM12', 'EPC rulebooks: 0.01 to 999,999,999.99, with two decimals'],
  iban: ['AC01', 'ISO 13616'],
  sepa_country: ['AG03', 'EPC409-09: countries of SEPA'],
  bic: ['RC01', "ISO 9362, and the message's version"],
  bic_missing: ['RC05', 'EPC rulebooks: required outside the EEA'],
  address: ['CH16', 'EPC rulebooks: an address has a town and an ISO 3166-1 country'],
  address_missing: [
    'BE07',
    "EPC rulebooks: the debtor's address, if an account is outside the EEA",
  ],
  address_superfluous: [
    'CH17',
    'our own rule: no addresses within the EEA, and never in lines, which banks may refuse',
  ],
  creditor_identifier: ['CH11', 'EPC262-08'],
  mandate_reference: [
    'CH16',
    'EPC rulebooks, AT-01: 1 to 35 basic Latin characters; our own rule: single spaces',
  ],
  mandate_day: ['DT01', 'EPC rulebooks: a mandate is signed before it is used'],
  reference: ['CH16', 'ISO 11649'],
  purpose: ['FF07', `${ISO} external purpose codes: four capital letters or digits`],
  day_exists: ['DT01', 'ISO 8601'],
  day_past: ['CH04', 'EPC rulebooks: orders are for today or later'],
  day_closed: ['DT03', 'EPC rulebooks: transfers and debits settle on TARGET days, unless instant'],
  lead_time: [
    'TM01',
    "EPC debit rulebooks: one TARGET day at least, or as the bank's profile says",
  ],
  too_early: ['CH03', 'EPC debit rulebooks: at most 14 calendar days before collection'],
  instant: ['FF05', PROFILE],
} as const satisfies Readonly<Record<string, readonly [reason_code: string, source: string]>>

export type RuleName = keyof typeof RULES

export interface Fault {
  /** From 1; null if the whole file is meant. */
  readonly group: number | null
  /** From 1 within the group; null if the group or the file is meant. */
  readonly order: number | null
  readonly end_to_end_id: string | null
  /** Of an `OrderFile`, or an element of the XML. */
  readonly field: string
  readonly rule: RuleName
  readonly reason_code: string
  readonly source: string
  /** What is wrong, with the value. */
  readonly detail: string
}

/** The fault in one line, for people who may see the order. */
export function sayFault(fault: Fault): string {
  return `${sayPlace(fault)}: ${fault.detail} [${fault.source}]`
}

/** Where the fault is and which rule it breaks, without the values of the order: for logs. */
export function sayFaultBriefly(fault: Fault): string {
  return `${sayPlace(fault)}: breaks the rule ${fault.rule} [${fault.source}]`
}

function sayPlace({ group, order, end_to_end_id, field }: Fault): string {
  const id = end_to_end_id ? ` (${end_to_end_id})` : ''
  const places = [group && `group ${group}`, order && `order ${order}${id}`, field]
  return places.filter(Boolean).join(', ')
}

export type Report = (field: string, rule: RuleName, detail: string) => void

export interface Place {
  readonly group: number | null
  readonly order: number | null
  readonly end_to_end_id: string | null
}

/** Collects faults; `at` gives the report of a place. */
export function collectFaults() {
  const list: Fault[] = []
  const at =
    ({ group, order, end_to_end_id }: Place): Report =>
    (field, rule, detail) => {
      const [reason_code, source] = RULES[rule]
      list.push({ group, order, end_to_end_id, field, rule, reason_code, source, detail })
    }
  return { at, list }
}

/** A value as faults quote it. */
export function quote(value: string): string {
  return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value)
}
