/** Builds the content of the hosted onboarding page. */
import type { OnboardingPage } from '@headroom/contract'
import { termsToSign } from '../../companies/borrowers/index.ts'
import { type Language, lenderOf, mandateWords } from '../../integrations/documents/index.ts'
import { readPartnerName } from '../../platform/access/index.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import {
  denialReasons,
  readCompanyNumber,
  readEligibilityFacts,
  translationOf,
} from '../eligibility/index.ts'
import type { OnboardingRow } from './store.ts'

/** Returns only what a visitor needs to continue, and no company data once the session is over. */
export async function pageOf(tx: Tx, row: OnboardingRow): Promise<OnboardingPage> {
  const language = row.preferred_language
  const is_expired = row.status === 'CREATED' && row.expires_at <= tx.now
  const lender = lenderOf(tx.settings.lender)
  const frame = {
    status: row.status,
    is_expired,
    language,
    partner: await readPartnerName(tx, row.partner_id),
    lender: lender.name,
    redirect_url: row.redirect_url,
    documents_mailed: row.documents_mailed,
    mandate: mandateWords(lender, 'CORE', language),
  }
  const { company, email, representative, repayment } = row
  if (is_expired || row.status !== 'CREATED') {
    const nothing = { company: null, representative: null, repayment: null, terms: null }
    return { ...frame, ...nothing, email: null, refused_because: [] }
  }
  const terms = company && (await termsToSign(tx, company.country, language))
  return {
    ...frame,
    email,
    representative,
    refused_because: await refusals(tx, row, language),
    company: company && {
      name: company.name,
      identifier: row.identifier!,
      country: company.country,
      address: addressLines(company.address),
    },
    repayment: repayment && {
      method: repayment.method,
      account_end: repayment.method === 'SCT' ? null : repayment.account_number.slice(-4),
    },
    terms: terms ?? null,
  }
}

function addressLines(address: Record<string, string | null>): string[] {
  const { address_line_1, address_line_2, postal_code, city } = address
  const place = [postal_code, city].filter(Boolean).join(' ')
  return [address_line_1, address_line_2, place].filter(line => !!line) as string[]
}

/** The denial reasons of `POST /eligibility/borrower`, as texts. */
async function refusals(tx: Tx, row: OnboardingRow, language: Language): Promise<string[]> {
  const { identifier, identifier_type, company, compliance } = row
  if (!company || !identifier || !identifier_type) return []
  const meaning = readCompanyNumber({ identifier, identifier_type }, 'identifier')
  const fetched = { meaning, company, is_awaited: false, compliance }
  const { known } = await readEligibilityFacts(tx, row.partner_id, fetched)
  return denialReasons('borrower', known).map(code => translationOf(code)[language])
}
