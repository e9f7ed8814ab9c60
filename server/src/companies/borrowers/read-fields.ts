/** Parses single fields of requests about borrowers, and reports their faults. */
import { type CreateBorrowerBody, LANGUAGES, type Language } from '@headroom/contract'
import {
  COUNTRY,
  countryCode,
  type ParsedIdentifier,
  parseCompanyIdentifier,
  registerCountry,
  vatCountry,
} from '../../countries/index.ts'
import { isInFuture, readWireMoment } from '../../platform/kit/dates.ts'
import { isSepaCountry, parseBic, parseIban } from '../../platform/kit/iban.ts'
import type { WellFormed } from '../../platform/kit/well-formed.ts'
import type { FaultCollector } from './faults.ts'

/**
 * Parses the company number. Without a type, infers one that fits the country of the address: nine
 * digits are a SIREN in France, but not in the Netherlands.
 */
export function readIdentifier(
  body: WellFormed<CreateBorrowerBody> & { readonly identifier: string },
  faults: FaultCollector,
): ParsedIdentifier | null {
  const { identifier, identifier_type, address } = body
  const country = identifier_type || !address?.country ? null : registerCountry(address.country)
  const result = parseCompanyIdentifier(
    identifier,
    identifier_type ?? undefined,
    country ?? undefined,
  )
  if (result.ok) return result
  const types = result.ambiguous?.join(', ')
  const advice = types ? ` (identifier_type could be ${types})` : ''
  return faults.add('identifier', `${result.reason}${advice}`)
}

/**
 * Parses a VAT number. Returns one of an unsupported country unchecked. Where a VAT number contains
 * the company number, both must identify the same company.
 */
export function readVatNumber(
  vat: string | null | undefined,
  company: ParsedIdentifier | null,
  faults: FaultCollector,
): string | null {
  if (!vat) return null
  if (vatCountry(vat) === null) return vat
  const result = parseCompanyIdentifier(vat, 'vat_number')
  if (!result.ok) return faults.add('vat_number', result.reason)
  const { vat_names_company } = COUNTRY[result.country].numbers
  if (vat_names_company && company?.country === result.country) {
    if (company.company_key !== result.company_key) {
      return faults.add('vat_number', 'belongs to another company than identifier')
    }
  }
  return result.identifier
}

export interface BankAccount {
  readonly iban: string
  readonly bic: string | null
}

/** Parses an IBAN with its optional BIC. `names` are the field names of the two in the request. */
export function readAccount(
  given: { iban?: string | null | undefined; bic?: string | null | undefined },
  names: { iban: string; bic: string },
  faults: FaultCollector,
): BankAccount | null {
  const bic = readBic(given.bic, names.bic, faults)
  if (!given.iban) {
    return given.bic ? faults.add(names.iban, `is required with ${names.bic}`) : null
  }
  const iban = parseIban(given.iban)
  if (!iban.ok) return faults.add(names.iban, iban.reason)
  if (isSepaCountry(iban.country)) return { iban: iban.iban, bic }
  return faults.add(names.iban, `is an account in ${iban.country}, which is not part of SEPA`)
}

export function readBic(
  bic: string | null | undefined,
  name: string,
  faults: FaultCollector,
): string | null {
  if (!bic) return null
  const result = parseBic(bic)
  return result.ok ? result.bic : faults.add(name, result.reason)
}

/** Reduces a language tag to a supported language: fr-BE becomes fr. */
export function readLanguage(
  tag: string | null | undefined,
  faults: FaultCollector,
): Language | null {
  if (!tag) return null
  const language = LANGUAGES.find(known => known === tag.slice(0, 2).toLowerCase())
  return language ?? faults.add('preferred_language', `is none of ${LANGUAGES.join(', ')}`)
}

/** Validates a country code of two or three letters and returns it in capitals. */
export function readCountry(
  text: string | null | undefined,
  name: string,
  faults: FaultCollector,
): string | null {
  if (!text) return null
  if (countryCode(text) !== null) return text.trim().toUpperCase()
  return faults.add(name, 'is no ISO 3166-1 country code such as FR or FRA')
}

/** Reads a moment that must not be in the future, by business time. */
export function readPastMoment(
  text: string,
  name: string,
  business_now: Date,
  faults: FaultCollector,
): Date | null {
  const moment = readWireMoment(text)
  if (!moment) return faults.add(name, 'is no moment')
  return isInFuture(moment, business_now) ? faults.add(name, 'is in the future') : moment
}

export interface PostalAddress {
  address_line_1: string | null
  address_line_2: string | null
  city: string | null
  country: string | null
  postal_code: string | null
  state: string | null
}

type GivenAddress = { [K in keyof PostalAddress]?: string | null | undefined }

/** Reads an address into the form with all fields; empty ones are null. */
export function readAddress(
  given: GivenAddress | null | undefined,
  name: string,
  faults: FaultCollector,
): PostalAddress | null {
  if (!given) return null
  return { ...fullAddress(given), country: readCountry(given.country, `${name}.country`, faults) }
}

export function fullAddress(given: GivenAddress): PostalAddress {
  return {
    address_line_1: given.address_line_1 || null,
    address_line_2: given.address_line_2 || null,
    city: given.city || null,
    country: given.country || null,
    postal_code: given.postal_code || null,
    state: given.state || null,
  }
}
