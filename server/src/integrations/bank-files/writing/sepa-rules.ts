/** SEPA's rules for what a file of payment orders contains. Each check reports every fault. */
import { parseCreditorId } from '../../../countries/index.ts'
import { addTargetDays, isTargetDay, onOrAfterTargetDay } from '../../../platform/kit/calendar.ts'
import { addDays, type Day, parisDay, readWireDay } from '../../../platform/kit/dates.ts'
import { isCountry, isSepaCountry, parseBic, parseIban } from '../../../platform/kit/iban.ts'
import { toDecimal } from '../../../platform/kit/money.ts'
import { isRfReference } from '../../../platform/kit/reference.ts'
import { type BankProfile, messageOf, sentBic } from './bank-profile.ts'
import { quote, type Report } from './faults.ts'
import type {
  Address,
  DebitOrder,
  FileHead,
  Order,
  Party,
  Remittance,
  Terms,
} from './order-file.ts'
import { isOutsideEea } from './sepa-countries.ts'
import { cutText, NAME_MAX, TEXT_MAX, TOWN_MAX } from './sepa-text.ts'

const AMOUNT_MAX = 99_999_999_999n
const ID_MAX = 35
/** How early a bank takes debits, in calendar days. */
const EARLIEST_DAYS = 14

/** The day on which the file is made; null if that is no moment. */
export function dayOf({ created_at }: FileHead): Day | null {
  const year = created_at.getUTCFullYear()
  return year >= 1970 && year <= 9998 ? parisDay(created_at) : null
}

export function checkHead(head: FileHead, profile: BankProfile, report: Report): void {
  checkId(head.message_id, 'message_id', report)
  if (dayOf(head) === null) report('created_at', 'moment', 'this is no moment')
  checkName(head.initiator, 'initiator', profile, report)
}

/** Checks a group without its orders. `made_on` is the file's day. */
export function checkTerms(
  terms: Terms,
  made_on: Day | null,
  profile: BankProfile,
  report: Report,
): void {
  checkId(terms.id, 'id', report)
  checkParty(terms.account, 'account', terms, profile, report)
  if (terms.account.address) checkAddress(terms.account.address, 'account', profile, report)
  if (checkDay(terms.requested_on, 'requested_on', report)) {
    if (made_on !== null) checkRequestedDay(terms, made_on, profile, report)
    const is_instant = terms.kind === 'TRANSFER' && terms.instant
    if (!is_instant && !isTargetDay(terms.requested_on)) {
      report('requested_on', 'day_closed', `TARGET is closed on ${terms.requested_on}`)
    }
  }
  if (terms.kind === 'DEBIT') {
    checkCreditorIdentifier(terms.creditor_identifier, report)
  } else if (terms.instant && !profile.offers_instant) {
    report('instant', 'instant', 'the bank offers no instant transfers in files')
  }
}

function checkRequestedDay(terms: Terms, made_on: Day, profile: BankProfile, report: Report): void {
  const { requested_on } = terms
  if (requested_on < made_on) {
    const detail = `${requested_on} is before ${made_on}, when the file is made`
    report('requested_on', 'day_past', detail)
  }
  if (terms.kind === 'TRANSFER') return
  // A bank takes a file of a closed day on the next open one.
  const taken_on = onOrAfterTargetDay(made_on)
  const earliest = addTargetDays(taken_on, profile.debit_lead_days[terms.scheme])
  if (requested_on < earliest) {
    const detail = `a file of ${made_on} can collect from ${earliest}, not on ${requested_on}`
    report('requested_on', 'lead_time', detail)
  }
  if (requested_on > addDays(made_on, EARLIEST_DAYS)) {
    const detail = `${requested_on} is more than ${EARLIEST_DAYS} days after ${made_on}`
    report('requested_on', 'too_early', detail)
  }
}

/** Checks an order of a group with these terms. `made_on` is the file's day. */
export function checkOrderUnder(
  terms: Terms,
  order: Order,
  made_on: Day | null,
  profile: BankProfile,
  report: Report,
): void {
  checkId(order.end_to_end_id, 'end_to_end_id', report)
  checkId(order.instruction_id, 'instruction_id', report)
  if (order.amount < 1n || order.amount > AMOUNT_MAX) {
    report(
      'amount',
      'amount',
      `${toDecimal(order.amount)} EUR is not between 0.01 and 999999999.99`,
    )
  }
  checkParty(order.counterparty, 'counterparty', terms, profile, report)
  checkAddresses(terms, order.counterparty, profile, report)
  if (order.remittance) checkRemittance(order.remittance, profile, report)
  if (order.purpose !== null && !/^[A-Z0-9]{4}$/.test(order.purpose)) {
    report('purpose', 'purpose', `${quote(order.purpose)} is no purpose code`)
  }
  if (terms.kind === 'TRANSFER') return
  if (order.mandate) checkMandate(order.mandate, made_on, report)
  else report('mandate', 'mandate_reference', 'a debit needs a mandate')
}

/** Characters that every bank takes, whatever else its profile allows. */
const ID = /^[A-Za-z0-9/\-?:().,'+ ]+$/

function checkId(id: string, field: string, report: Report): void {
  if (isWrongId(id)) report(field, 'id_form', `${quote(id)} is no id that a bank takes`)
}

function isWrongId(id: string): boolean {
  const has_wrong_slash = id.startsWith('/') || id.endsWith('/') || id.includes('//')
  return !ID.test(id) || id.length > ID_MAX || id.trim() !== id || has_wrong_slash
}

/** Mandates taken over from another lender may have spaces. */
function checkMandate(mandate: DebitOrder['mandate'], made_on: Day | null, report: Report): void {
  const { reference, signed_on } = mandate
  if (isWrongId(reference) || reference.includes('  ')) {
    report('mandate.reference', 'mandate_reference', `${quote(reference)} is no mandate reference`)
  }
  if (!checkDay(signed_on, 'mandate.signed_on', report)) return
  if (made_on !== null && signed_on > made_on) {
    const detail = `the mandate is signed on ${signed_on}, after ${made_on}`
    report('mandate.signed_on', 'mandate_day', detail)
  }
}

function checkDay(day: string, field: string, report: Report): boolean {
  if (readWireDay(day) === day) return true
  report(field, 'day_exists', `${quote(day)} is no day YYYY-MM-DD`)
  return false
}

function checkCreditorIdentifier(id: string, report: Report): void {
  const result = parseCreditorId(id)
  if (!result.ok) report('creditor_identifier', 'creditor_identifier', result.reason)
  else if (result.creditor_id !== id) {
    const detail = `${quote(id)} has spaces or small letters; it is ${result.creditor_id}`
    report('creditor_identifier', 'creditor_identifier', detail)
  }
}

function checkParty(
  party: Party,
  field: string,
  { kind }: Terms,
  profile: BankProfile,
  report: Report,
): void {
  checkName(party.name, `${field}.name`, profile, report)
  const account = parseIban(party.iban)
  if (!account.ok) {
    report(`${field}.iban`, 'iban', `${quote(party.iban)}: ${account.reason}`)
  } else if (account.iban !== party.iban) {
    report(`${field}.iban`, 'iban', `${quote(party.iban)} has spaces, dashes or small letters`)
  } else if (!isSepaCountry(account.country)) {
    report(`${field}.iban`, 'sepa_country', `${account.country} is not in SEPA`)
  } else if (isOutsideEea(party.iban) && party.bic === null) {
    const detail = `${account.country} is outside the EEA, so the BIC is required`
    report(`${field}.bic`, 'bic_missing', detail)
  }
  if (party.bic === null) return
  checkBic(party.bic, `${field}.bic`, report)
  const message = messageOf(profile, kind)
  if (sentBic(party, profile) !== null && NARROW_BICS.has(message) && !NARROW_BIC.test(party.bic)) {
    report(`${field}.bic`, 'bic', `${quote(party.bic)} does not fit into ${message}`)
  }
}

/** The messages of 2009 know fewer characters in the place of the bank. */
const NARROW_BICS: ReadonlySet<string> = new Set(['pain.001.001.03', 'pain.008.001.02'])
const NARROW_BIC = /^[A-Z]{6}[A-Z2-9][A-NP-Z0-9]/

function checkBic(text: string, field: string, report: Report): void {
  const result = parseBic(text)
  if (!result.ok) report(field, 'bic', `${quote(text)}: ${result.reason}`)
  else if (result.bic !== text) report(field, 'bic', `${quote(text)} has spaces or small letters`)
}

/**
 * Checks that the addresses are there which a payment needs if one of its accounts is outside the
 * EEA: the debtor's, which for a transfer is ours.
 */
function checkAddresses(
  { kind, account }: Terms,
  counterparty: Party,
  profile: BankProfile,
  report: Report,
): void {
  const needs_address = needsAddress(account, counterparty)
  const debtor = kind === 'TRANSFER' ? account : counterparty
  if (needs_address && !debtor.address) {
    const field = kind === 'TRANSFER' ? 'account.address' : 'counterparty.address'
    const detail = "one account is outside the EEA, so the debtor's town and country are required"
    report(field, 'address_missing', detail)
  }
  const { address } = counterparty
  if (!address) return
  if (needs_address) checkAddress(address, 'counterparty', profile, report)
  else report('counterparty.address', 'address_superfluous', 'it is not sent within the EEA')
}

/** Whether a payment between these accounts says where the debtor is. */
export function needsAddress(account: Party, counterparty: Party): boolean {
  return isOutsideEea(account.iban) || isOutsideEea(counterparty.iban)
}

function checkAddress(address: Address, field: string, profile: BankProfile, report: Report): void {
  if (!saysSomething(address.town, TOWN_MAX, profile)) {
    report(`${field}.address.town`, 'address', `${quote(address.town)} is no town`)
  }
  if (!isCountry(address.country)) {
    report(`${field}.address.country`, 'address', `${quote(address.country)} is no country code`)
  }
}

function checkName(name: string, field: string, profile: BankProfile, report: Report): void {
  if (saysSomething(name, NAME_MAX, profile)) return
  report(field, 'name', `${quote(name)} has no letter or digit that the bank takes`)
}

function checkRemittance(remittance: Remittance, profile: BankProfile, report: Report): void {
  if ('text' in remittance) {
    if (saysSomething(remittance.text, TEXT_MAX, profile)) return
    const detail = `${quote(remittance.text)} has no letter or digit that the bank takes`
    report('remittance.text', 'text', detail)
    return
  }
  const { reference } = remittance
  if (!/^[A-Z0-9]+$/.test(reference) || !isRfReference(reference)) {
    report('remittance.reference', 'reference', `${quote(reference)} is no creditor reference`)
  }
}

/** Whether a letter or digit is left once the text is converted and cut. */
function saysSomething(text: string, length: number, { characters }: BankProfile): boolean {
  return /[\p{L}\p{N}]/u.test(cutText(text, length, characters))
}
