/** What a country brings along. Its folder holds one value of this shape, its `index.ts`. */
import type { Language } from '@headroom/contract'
import type { IdentifierResult, IdentifierType } from './identifier.ts'

export type ByLanguage = Readonly<Record<Language, string>>

export interface Country {
  /** ISO 3166-1 alpha-2 codes of its territories overseas, whose companies its registers keep. */
  readonly territories: readonly string[]
  /** The languages in which its borrowers can accept the terms; the first unless they choose. */
  readonly languages: readonly [Language, ...Language[]]
  readonly numbers: CompanyNumbers
  readonly law: CountryLaw
  /** The whole lengths of creditor identifiers that its banking community gives out. */
  readonly creditor_id_lengths: readonly number[]
  readonly sandbox: SandboxCountry
}

export type ParseNumber = (text: string) => IdentifierResult

/** The numbers by which the country's registers and tax offices know companies. */
export interface CompanyNumbers {
  /** By the interface's names; VAT numbers stand apart, for each country has one. */
  readonly types: Readonly<Partial<Record<IdentifierType, CompanyNumber>>>
  readonly parseVat: ParseNumber
  /** A VAT number whose prefix was forgotten, where it looks like nothing else. */
  readonly vat_without_prefix?: RegExp
  /** Whether a VAT number has the same `company_key` as the company's other numbers. */
  readonly vat_names_company: boolean
  /** Whether the number is that of a public body, as far as numbers tell. */
  readonly isPublicBody: (identifier: string) => boolean
}

export interface CompanyNumber {
  readonly parse: ParseNumber
  /** How it stands on documents. */
  readonly printed: string | ByLanguage
  /** How invoices announce it, and what finds it on one; null where nothing does for certain. */
  readonly on_invoices: { readonly label: string; readonly pattern: RegExp } | null
  /**
   * Whether a number without a type may be of this one. It gets the text in capitals without
   * separators, and as it was written. Left out where another type of the country is inferred.
   */
  readonly looks_like?: (value: string, text: string) => boolean
  /** Its digits say too little: a refusal suggests the type, which is never inferred. */
  readonly must_be_named?: boolean
}

/** The law of loans to companies of the country, as contracts, terms and bills cite it. */
export interface CountryLaw {
  /** Follows "governed by" in each language. */
  readonly name: ByLanguage
  /** The city whose commercial courts decide. */
  readonly court_seat: ByLanguage
  /** The data protection authority, under its own name. */
  readonly authority: string
  /**
   * The article that exempts the granting of credit from VAT, as lawyers of the country cite it:
   * how it carries out article 135(1)(b) of Directive 2006/112/EC.
   */
  readonly vat_article: string | ByLanguage
  /** The standard rate of VAT. */
  readonly vat_percent: number
}

/** The languages of places in the sandbox. Iceland stands for the countries that are not served. */
export type SandboxLanguage = Exclude<Language, 'en'> | 'is'

export interface Place {
  readonly city: string
  readonly postal_code: string
  readonly language: SandboxLanguage
}

/** What the sandbox makes up companies and accounts of the country from. */
export interface SandboxCountry {
  /** The sandbox bank's. */
  readonly bic: string
  readonly iban: IbanLayout
  readonly places: readonly Place[]
  readonly legal_forms: readonly string[]
  /** The form that a company's number or place tells; `chosen` is one of those above. */
  readonly legalFormOf?: (company: {
    readonly identifier: string
    readonly place: Place
    readonly chosen: string
  }) => string
  /** The town in which a company with this number must sit, where it tells. */
  readonly seatOf?: (identifier: string) => Place | undefined
  /**
   * A valid company number. Seeds are whole numbers from 0; each below 3,000,000 gives another
   * company. A `series` keeps apart the companies of places that share a register.
   */
  readonly companyNumber: (seed: number, series: number) => string
  /** The VAT number of a company; `digits()` are nine that are always the same for it. */
  readonly vatNumber: (
    company: { readonly identifier: string; readonly company_key: string },
    digits: () => string,
  ) => string
}

/** How the IBANs of the sandbox bank are made up in a country. */
export interface IbanLayout {
  /** The bank's code up to the digit of the scenario. */
  readonly bank: string
  readonly seedLength: number
  readonly sealLength: number
  /** The national account number from bank with scenario, seed and seal. */
  readonly compose: (bank: string, seed: string, seal: string) => string
  /** Where the seed stands in the IBAN. */
  readonly seedAt: number
}
