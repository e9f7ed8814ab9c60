/** What can be wrong with a file of payment orders: the rules, and where each comes from. */

const ISO = 'ISO 20022'
const GUIDELINES = 'EPC customer-to-PSP guidelines (EPC132-08, EPC130-08, EPC131-08)'
const PROFILE = "the bank's profile"

/** Each rule with its source. */
export const RULES = {
  structure: `${ISO} message definition, within the elements that SEPA uses`,
  version: PROFILE,
  encoding: `${GUIDELINES}: UTF-8 without byte order mark`,
  code: `${GUIDELINES}: fixed codes`,
  count: `${ISO}: NbOfTxs is the number of orders`,
  sum: `${ISO}: CtrlSum is the sum of the amounts`,
  orders_min: `${ISO}: a file has groups, and a group has orders`,
  orders_max: PROFILE,
  moment: `${ISO}: CreDtTm is a moment`,
  id_form: `${GUIDELINES}: 1 to 35 basic Latin characters; no slash first, last or twice`,
  id_unique: `${ISO}: an id stands for one payment`,
  characters: 'EPC217-08: the characters that the bank takes',
  length: `${ISO}: the longest text of the element`,
  name: `${GUIDELINES}: every party has a name`,
  text: `${GUIDELINES}: remittance information says something`,
  currency: 'EPC rulebooks: all payments are in EUR',
  amount: 'EPC rulebooks: 0.01 to 999,999,999.99, with two decimals',
  iban: 'ISO 13616',
  sepa_country: 'EPC409-09: countries of SEPA',
  bic: 'ISO 9362, and EPC rulebooks: required outside the EEA',
  address: 'EPC rulebooks since 15 November 2026: town and country outside the EEA, else none',
  creditor_identifier: 'EPC262-08',
  mandate_reference: 'EPC rulebooks, AT-01: 1 to 35 basic Latin characters without spaces',
  mandate_day: 'EPC rulebooks: a mandate is signed before it is used',
  reference: 'ISO 11649',
  purpose: `${ISO} external purpose codes: four capital letters or digits`,
  day_exists: 'ISO 8601',
  day_past: 'EPC rulebooks: orders are for today or later',
  day_closed: 'EPC rulebooks: transfers and debits settle on TARGET days, unless instant',
  lead_time: "EPC debit rulebooks: one TARGET day at least, or as the bank's profile says",
  too_early: 'EPC debit rulebooks: at most 14 calendar days before collection',
  instant: PROFILE,
} as const

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
  readonly source: string
  /** What is wrong, with the value. */
  readonly detail: string
}

/** The fault in one line, for people. */
export function sayFault({ group, order, end_to_end_id, field, detail, source }: Fault): string {
  const id = end_to_end_id ? ` (${end_to_end_id})` : ''
  const places = [group && `group ${group}`, order && `order ${order}${id}`, field]
  return `${places.filter(Boolean).join(', ')}: ${detail} [${source}]`
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
      list.push({ group, order, end_to_end_id, field, rule, source: RULES[rule], detail })
    }
  return { at, list }
}

/** A value as faults quote it. */
export function quote(value: string): string {
  return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value)
}
