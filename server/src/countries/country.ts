/** What each country defines. Its folder exports one value of this type from `index.ts`. */
import type { Language } from '@headroom/contract'
import type { IdentifierResult, IdentifierType } from './identifier.ts'

export type ByLanguage = Readonly<Record<Language, string>>

export interface Country {
  /** ISO 3166-1 alpha-2 codes of overseas territories whose companies are in its registries. */
  readonly territories: readonly string[]
  /** The languages in which its borrowers can accept the terms; the first is the default. */
  readonly languages: readonly [Language, ...Language[]]
  readonly numbers: CompanyNumbers
  readonly law: CountryLaw
  /** The valid total lengths of creditor identifiers issued in the country. */
  readonly creditor_id_lengths: readonly number[]
  readonly sandbox: SandboxCountry
}

export type ParseNumber = (text: string) => IdentifierResult

/** The numbers that identify companies in the country's registries and tax offices. */
export interface CompanyNumbers {
  /** By API name, without VAT numbers, which every country has. */
  readonly types: Readonly<Partial<Record<IdentifierType, CompanyNumber>>>
  readonly parseVat: ParseNumber
  /**
   * Recognizes VAT numbers without the country prefix, so that a refusal can ask for the prefix.
   * Omitted where they could be mistaken for another number.
   */
  readonly vat_without_prefix?: RegExp
  /** Whether a VAT number has the same `company_key` as the company's other numbers. */
  readonly vat_names_company: boolean
  readonly isPublicBody: (identifier: string) => boolean
}

export interface CompanyNumber {
  readonly parse: ParseNumber
  readonly printed: string | ByLanguage
  /**
   * The number's label on invoices and the pattern that finds the number; null if no pattern is
   * reliable.
   */
  readonly on_invoices: { readonly label: string; readonly pattern: RegExp } | null
  /**
   * Whether a number given without a type may be of this type. `value` is in capitals without
   * separators, `text` as written. Omitted if another type of the country is inferred instead.
   */
  readonly looks_like?: (value: string, text: string) => boolean
  /** Set if the number is too ambiguous to be inferred; a refusal then suggests naming its type. */
  readonly must_be_named?: boolean
}

/** The law on loans to the country's companies, as contracts, terms and bills cite it. */
export interface CountryLaw {
  /** Follows "governed by" in each language. */
  readonly name: ByLanguage
  /** The city whose commercial courts have jurisdiction. */
  readonly court_seat: ByLanguage
  /** The data protection authority, under its own name. */
  readonly authority: string
  /**
   * The national provision that exempts the granting of credit from VAT (article 135(1)(b) of
   * Directive 2006/112/EC), as cited in the country.
   */
  readonly vat_article: string | ByLanguage
  /** The standard VAT rate in percent. */
  readonly vat_percent: number
}

/** Languages of places in the sandbox. Icelandic represents the countries we do not serve. */
export type SandboxLanguage = Exclude<Language, 'en'> | 'is'

export interface SandboxPlace {
  readonly city: string
  readonly postal_code: string
  readonly language: SandboxLanguage
}

/** The data from which the sandbox generates the country's companies and accounts. */
export interface SandboxCountry {
  readonly bic: string
  readonly iban: IbanLayout
  readonly places: readonly SandboxPlace[]
  readonly legal_forms: readonly string[]
  /** The legal form implied by a company's number or place; `chosen` is one of `legal_forms`. */
  readonly legalFormOf?: (company: {
    readonly identifier: string
    readonly place: SandboxPlace
    readonly chosen: string
  }) => string
  /** The town of a company's seat, where its number determines one. */
  readonly seatOf?: (identifier: string) => SandboxPlace | undefined
  /**
   * A valid company number. Seeds are integers from 0; each below 3,000,000 gives a different
   * company. A `series` separates the companies of places that share a registry.
   */
  readonly companyNumber: (seed: number, series: number) => string
  /** A company's VAT number; `digits()` returns nine digits that are constant for the company. */
  readonly vatNumber: (
    company: { readonly identifier: string; readonly company_key: string },
    digits: () => string,
  ) => string
}

export interface IbanLayout {
  /** The bank code without its last digit, which is the scenario's. */
  readonly bank: string
  readonly seedLength: number
  readonly sealLength: number
  /** Joins the full bank code, the seed and the seal to the national account number. */
  readonly compose: (bank: string, seed: string, seal: string) => string
  readonly seedAt: number
}
