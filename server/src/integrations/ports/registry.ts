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

/** A valid company number and the partner it is looked up for. */
export interface CompanyNumber {
  readonly partner_id: string
  readonly identifier: string
  readonly identifier_type: string
  readonly country: CountryCode
  /** Equal for numbers known to belong to one company. */
  readonly company_key: string
}

export interface Registry {
  /** The company's current data, or null if the registry does not know it. */
  find(number: CompanyNumber): Promise<Company | null>
}

export type ComplianceStatus =
  | 'UNKNOWN'
  | 'REVIEWING'
  | 'APPROVED'
  | 'REJECTED'
  | 'PENDING_USER_ACTION'

export interface Compliance {
  /** The known result for a company, without starting a check; null if there is none. */
  known(company: { partner_id: string; company_key: string }): Promise<ComplianceStatus | null>
  /** Checks a company; returns REVIEWING if the result comes later. */
  check(company: {
    partner_id: string
    company_key: string
    name: string
  }): Promise<ComplianceStatus>
}
