/** Gathers the data on a company: registry, compliance checks and the partner's own data. */
import type { DenialCode, Status } from '@headroom/contract'
import { sql } from 'kysely'
import { complianceOn, isTooYoung } from '../../companies/borrowers/index.ts'
import { limitOf } from '../../companies/counterparties/index.ts'
import { estimatedLimit } from '../../companies/credit-lines/index.ts'
import { findCompany } from '../../companies/registry/index.ts'
import type { Context } from '../../context.ts'
import {
  foreignVat,
  isPublicBody,
  type ParsedIdentifier,
  parseCompanyIdentifier,
} from '../../countries/index.ts'
import type { Company, ComplianceStatus } from '../../integrations/ports/registry.ts'
import { readForPartner, type Tx } from '../../platform/db/transaction.ts'
import { type InvalidParam, invalid } from '../../platform/kit/problem.ts'
import type { CompanyFacts } from './rules.ts'

export interface CompanyQuery {
  readonly identifier: string
  readonly identifier_type: string
}

/** The company number of a supported country, or why there is none. */
type Meaning = ParsedIdentifier | 'a name' | 'not served'

export interface CompanyData {
  readonly meaning: Meaning
  readonly company: Company | null
  /** Whether the registry has not answered yet. */
  readonly is_awaited: boolean
  readonly compliance: ComplianceStatus | null
}

/**
 * Reads a company number. Throws `request_invalid` for an invalid one; `name` is its path in the
 * request.
 */
export function readCompanyNumber(query: CompanyQuery, name: string): Meaning {
  const read = meaningOf(query)
  if (typeof read === 'object' && !read.ok) throw invalid({ name, reason: read.reason })
  return read
}

function meaningOf({ identifier, identifier_type }: CompanyQuery) {
  if (identifier_type === 'name') return 'a name'
  if (identifier_type === 'vat_number' && foreignVat(identifier)) return 'not served'
  const type = identifier_type as ParsedIdentifier['identifier_type']
  return parseCompanyIdentifier(identifier, type)
}

/** Faults of a number, if given with its type. */
export function numberFaults(
  query: Partial<CompanyQuery> | undefined,
  name: string,
): InvalidParam[] {
  const { identifier, identifier_type } = query ?? {}
  if (!identifier || !identifier_type) return []
  const read = meaningOf({ identifier, identifier_type })
  return typeof read === 'object' && !read.ok ? [{ name, reason: read.reason }] : []
}

/** Reads the registry and the result of earlier compliance checks; does not start a new one. */
export async function fetchCompanyData(
  context: Context,
  partner_id: string,
  meaning: Meaning,
): Promise<CompanyData> {
  const nothing = { company: null, is_awaited: false, compliance: null }
  if (typeof meaning === 'string') return { meaning, ...nothing }
  const { company_key } = meaning
  const found = await findCompany(context, { ...meaning, partner_id })
  const compliance = await context.ports.compliance.known({ partner_id, company_key })
  const company = found.result === 'found' ? found.company : null
  return { meaning, company, is_awaited: found.result === 'unavailable', compliance }
}

interface ExistingBorrower {
  status: Status<'borrower'>
  status_reason: DenialCode | null
  compliance: ComplianceStatus
  line_expired: boolean
  /** The limit less outstanding and reserved, in cents; null without a line. */
  available: bigint | null
}

/**
 * Inputs of the rules, and the most in cents that may be lent to the company or on invoices to it.
 */
export interface EligibilityFacts {
  readonly known: CompanyFacts
  readonly max_amount: bigint
  readonly buyer_max_amount: bigint
}

export async function readEligibilityFacts(
  tx: Tx,
  partner_id: string,
  fetched: CompanyData,
): Promise<EligibilityFacts> {
  const { meaning, company, is_awaited } = fetched
  const own =
    typeof meaning === 'string' ? undefined : await readExistingBorrower(tx, partner_id, meaning)
  const decided = own && own.compliance !== 'UNKNOWN' ? own.compliance : fetched.compliance
  const limit = own?.available ?? (company ? await estimatedLimit(tx, company) : 0n)
  const { today } = tx
  return {
    max_amount: limit,
    buyer_max_amount: limitOf({
      country: company?.country ?? null,
      company,
      is_awaited,
      today,
    }).max_amount,
    known: {
      served: meaning !== 'not served',
      is_awaited,
      company: company && {
        is_active: company.is_active,
        is_public_body: isPublicBody(company),
        is_insolvent: company.insolvent_since !== null,
        too_young: await tooYoung(tx, company),
      },
      compliance: decided,
      borrower: own ?? null,
    },
  }
}

/**
 * Compares the company's age with the lowest minimum of all offered products, and of invoice
 * financing.
 */
async function tooYoung(tx: Tx, { creation_date }: Company) {
  const months = await tx.one(sql<{ least: number; on_invoices: number }>`
    select coalesce(min(p.company_age_months_min), 0) as least,
      coalesce(min(p.company_age_months_min)
        filter (where p.product_type = 'INVOICE_BASED_FINANCING'), 0) as on_invoices
    from products p where p.offered`)
  const isYoung = (months: number) => isTooYoung(creation_date, months, tx.today)
  return { to_borrow: isYoung(months.least), to_sell: isYoung(months.on_invoices) }
}

function readExistingBorrower(
  tx: Tx,
  partner_id: string,
  { company_key }: ParsedIdentifier,
): Promise<ExistingBorrower | undefined> {
  return tx.maybe(sql<ExistingBorrower>`
    select b.status, b.status_reason, ${complianceOn('c', tx.today)} as compliance,
      coalesce(l.ends_on < ${tx.today}, false) as line_expired,
      case when l.id is not null
        then greatest(l.pool_amount - l.outstanding - l.reserved, 0) end as available
    from borrowers b
    join compliance_checks c on c.partner_id = b.partner_id and c.borrower_id = b.id
    left join credit_lines l on l.partner_id = b.partner_id and l.borrower_id = b.id
    where b.partner_id = ${partner_id} and b.company_key = ${company_key}`)
}

/** Runs `fetchCompanyData`, then `readEligibilityFacts` in a separate read-only transaction. */
export async function checkCompany(
  context: Context,
  partner_id: string,
  query: CompanyQuery,
  name: string,
): Promise<EligibilityFacts> {
  const fetched = await fetchCompanyData(context, partner_id, readCompanyNumber(query, name))
  return readForPartner(context, partner_id, tx => readEligibilityFacts(tx, partner_id, fetched))
}
