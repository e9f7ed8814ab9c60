/** The interfaces to company registries and compliance checks. */
import type { CountryCode } from '../../countries/index.ts'
import type { Day } from '../../platform/kit/dates.ts'

export interface Company {
  readonly identifier: string
  readonly identifier_type: string
  readonly country: CountryCode
  readonly name: string
  readonly legal_form: string | null
  readonly vat_number: string | null
  readonly address: Record<string, string | null>
  readonly activity_description: string | null
  readonly nace_code: string | null
  readonly creation_date: string | null
  /** In cents. */
  readonly share_capital: number | null
  readonly is_active: boolean
  /** The opening day of a current insolvency procedure; null without one. */
  readonly insolvent_since: Day | null
}

/** A company's data as far as it is known: without a registry's answer, only its number. */
export type KnownCompany = Omit<Company, 'name' | 'is_active'> & {
  readonly name: string | null
  /** Null while the registry's answer is awaited. */
  readonly is_active: boolean | null
}

/** A valid company number and the partner it is looked up for. */
export interface CompanyNumber {
  readonly partner_id: string
  readonly identifier: string
  readonly identifier_type: string
  readonly country: CountryCode
  /** Equal for numbers known to belong to one company. */
  readonly company_key: string
}

/** What a source says about a company, when it said so, and the bytes of its answer. */
export type RegistryAnswer =
  | (AnswerOrigin & { readonly result: 'found'; readonly company: Company })
  | (AnswerOrigin & { readonly result: 'unknown' })
  | { readonly result: 'unavailable' }

interface AnswerOrigin {
  /** A source in `registry_sources`, which says how long its answers hold. */
  readonly source: string
  readonly fetched_at: Date
  readonly raw: Buffer
}

/** A registry outside: asked by a job, and its answers are stored. */
export interface RemoteRegistry {
  readonly answers_at_once: false
  /** Never throws for a registry that does not answer: that is `unavailable`. */
  find(number: CompanyNumber): Promise<RegistryAnswer>
}

/** A registry inside this process: asked while a request waits, and nothing is stored. */
export interface LocalRegistry {
  readonly answers_at_once: true
  /** The company's current data, or null if the registry does not know it. */
  find(number: CompanyNumber): Promise<Company | null>
}

export type Registry = RemoteRegistry | LocalRegistry

export type ComplianceStatus =
  | 'UNKNOWN'
  | 'REVIEWING'
  | 'APPROVED'
  | 'REJECTED'
  | 'PENDING_USER_ACTION'

export interface Compliance {
  /** Whether only two operators together can decide, in the company's file. */
  readonly is_decided_in_files: boolean
  /** The known result for a company, without starting a check; null if there is none. */
  known(company: { partner_id: string; company_key: string }): Promise<ComplianceStatus | null>
  /** Checks a company; returns REVIEWING if the result comes later. */
  check(company: {
    partner_id: string
    company_key: string
    name: string
  }): Promise<ComplianceStatus>
}
