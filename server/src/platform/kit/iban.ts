/** IBAN and BIC: format, length by country, check digits, and national check digits. */
import {
  composeIBAN,
  countrySpecs,
  ValidationErrorsIBAN,
  validateBIC,
  validateIBAN,
} from 'ibantools'
import { checkDigits } from './mod97.ts'

export type IbanResult = { ok: true; iban: string; country: string } | { ok: false; reason: string }

export type BicResult = { ok: true; bic: string; country: string } | { ok: false; reason: string }

const NATIONAL_KEYS: Record<string, string> = {
  FR: 'the RIB key (its last two digits)',
  ES: 'the pair of control digits after bank and branch',
  BE: 'the pair of digits at the end (mod 97)',
}

/**
 * Reads an IBAN (ISO 13616), ignoring spaces and dashes. Checks the country, its length, mod 97 and
 * the national check digits where the country has them (FR, ES, BE and more). `country` is ISO
 * 3166-1 alpha-2.
 */
export function parseIban(text: string): IbanResult {
  const iban = text.replace(/[\s-]/g, '').toUpperCase()
  const form = /^([A-Z]{2})([0-9]{2})([A-Z0-9]{1,30})$/.exec(iban)
  if (!form) return no('an IBAN is two letters, two check digits and up to 30 letters or digits')
  const [, country = '', digits = '', body = ''] = form
  const length = Object.hasOwn(countrySpecs, country) ? countrySpecs[country]?.chars : undefined
  if (!length) return no(`no country with IBANs has the code ${country}`)
  if (iban.length !== length) {
    return no(`an IBAN of ${country} has ${length} characters, this has ${iban.length}`)
  }
  const { errorCodes } = validateIBAN(iban)
  if (errorCodes.includes(ValidationErrorsIBAN.WrongBBANFormat)) {
    return no(`an IBAN of ${country} has letters or digits where they do not belong`)
  }
  const right = checkDigits(country, body)
  if (digits !== right) {
    return no(`the check digits ${digits} of this IBAN do not fit the rest (mod 97)`)
  }
  if (errorCodes.includes(ValidationErrorsIBAN.WrongAccountBankBranchChecksum)) {
    const key = NATIONAL_KEYS[country] ?? 'the national check digit'
    return no(`inside this IBAN of ${country} ${key} is wrong`)
  }
  return errorCodes.length === 0 ? { ok: true, iban, country } : no('this is not an IBAN')
}

/**
 * Countries whose IBANs are in SEPA (EPC409-09 of 2026), by the codes of their IBANs. Accounts in
 * Guernsey, Jersey and the Isle of Man have British ones.
 */
const SEPA_COUNTRIES = new Set(
  (
    'AD AL AT BE BG CH CY CZ DE DK EE ES FI FR GB GI GR HR HU IE IS IT LI LT LU LV MC MD ME MK ' +
    'MT NL NO PL PT RO RS SE SI SK SM VA'
  ).split(' '),
)

/** True when accounts in the country (ISO 3166-1 alpha-2) are reachable through SEPA. */
export function isSepaCountry(country: string): boolean {
  return SEPA_COUNTRIES.has(country)
}

/** True for the code of a country (ISO 3166-1 alpha-2), and for XK. */
export function isCountry(code: string): boolean {
  return Object.hasOwn(countrySpecs, code)
}

/**
 * The IBAN for a national account number whose national check digits are already correct. Null if
 * the country or the number's form is invalid.
 */
export function ibanOf(country: string, accountNumber: string): string | null {
  return composeIBAN({ countryCode: country, bban: accountNumber })
}

/** An IBAN without spaces, as stored and compared. */
export function compactIban(iban: string): string {
  return iban.replace(/\s/g, '')
}

/** An IBAN in groups of four, as printed. */
export function printIban(iban: string): string {
  return iban.replace(/(.{4})(?=.)/g, '$1 ')
}

/** Reads a BIC (ISO 9362): 8 or 11 characters, with a country code in positions 5 and 6. */
export function parseBic(text: string): BicResult {
  const bic = text.replace(/\s/g, '').toUpperCase()
  if (!/^[A-Z]{6}[A-Z0-9]{2}([A-Z0-9]{3})?$/.test(bic)) {
    return no('a BIC is 4 letters of the bank, 2 of the country, 2 of the place and 3 if a branch')
  }
  const country = bic.slice(4, 6)
  return validateBIC(bic).valid ? { ok: true, bic, country } : no(`no country has code ${country}`)
}

function no(reason: string): { ok: false; reason: string } {
  return { ok: false, reason }
}
