/** What we ask of company registers and of whoever checks companies. */
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
  /** Cents. */
  readonly share_capital: number | null
  readonly is_active: boolean
  /** The day on which the insolvency procedure that is open was opened; null without one. */
  readonly insolvent_since: Day | null
}

/** A valid company number, and the partner for whom it is looked up. */
export interface CompanyNumber {
  readonly partner_id: string
  readonly identifier: string
  readonly identifier_type: string
  readonly country: CountryCode
  /** The same for all numbers of one company. */
  readonly company_key: string
}

export interface Registry {
  /** The company as it is at this moment, or null when the register does not know it. */
  find(number: CompanyNumber): Promise<Company | null>
}

export type ComplianceStatus =
  | 'UNKNOWN'
  | 'REVIEWING'
  | 'APPROVED'
  | 'REJECTED'
  | 'PENDING_USER_ACTION'

export interface Compliance {
  /** What is known of a company without starting a check; null when nothing is. */
  known(company: { partner_id: string; company_key: string }): Promise<ComplianceStatus | null>
  /** Starts the check of a company; REVIEWING when the answer comes later. */
  check(company: {
    partner_id: string
    company_key: string
    name: string
  }): Promise<ComplianceStatus>
}
