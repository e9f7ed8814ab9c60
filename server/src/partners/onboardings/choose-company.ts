/** A step of an onboarding: looks the company up by its number. */
import { sql } from 'kysely'
import { prepareTerms } from '../../companies/borrowers/index.ts'
import type { Context } from '../../context.ts'
import { type CountryCode, parseCompanyIdentifier } from '../../countries/index.ts'
import { move } from '../../platform/db/move.ts'
import { transaction } from '../../platform/db/transaction.ts'
import { invalid } from '../../platform/kit/problem.ts'
import { type CompanyData, fetchCompanyData } from '../eligibility/index.ts'
import { scopeOfHolder } from './resume-link.ts'
import { lockOpen, type NamedCompany, setBorrower, setCompany } from './store.ts'

interface CompanyNumber {
  readonly identifier: string
  readonly identifier_type: string
}

/** The company as stored, with its number in canonical form if it could be parsed. */
export function namedCompany(
  given: CompanyNumber,
  { meaning, company, is_awaited, compliance }: CompanyData,
): NamedCompany {
  if (typeof meaning === 'string') {
    return { ...given, company_key: null, company: null, company_awaited: false, compliance: null }
  }
  const { identifier, identifier_type, company_key } = meaning
  return {
    identifier,
    identifier_type,
    company_key,
    company,
    company_awaited: is_awaited,
    compliance,
  }
}

/**
 * Sets the company of an open session, given its country and number. If the company is already a
 * borrower, the session becomes a DUPLICATE. Throws `request_invalid` for a number that is invalid
 * or not in the registry, `state_conflict` if the session is not open.
 */
export async function chooseCompany(
  context: Context,
  { id, partner_id }: { id: string; partner_id: string },
  given: { country: CountryCode; identifier: string },
): Promise<void> {
  const meaning = parseCompanyIdentifier(given.identifier, undefined, given.country)
  if (!meaning.ok) throw invalid({ name: 'identifier', reason: meaning.reason })
  const fetched = await fetchCompanyData(context, partner_id, meaning)
  if (!fetched.company) {
    const reason = fetched.is_awaited
      ? 'is being looked up: try again later'
      : 'names no company that the register knows'
    throw invalid({ name: 'identifier', reason })
  }
  await prepareTerms(context, given.country)
  const named = namedCompany(meaning, fetched)
  await transaction(context.database, scopeOfHolder(partner_id), async tx => {
    const session = await lockOpen(tx, { partner_id, id })
    await setCompany(tx, session, named)
    const borrower = await tx.maybe(sql<{ id: string }>`
      select id from borrowers
      where partner_id = ${partner_id} and company_key = ${named.company_key}`)
    if (!borrower) return
    await setBorrower(tx, [session], borrower.id)
    await move(tx, 'onboarding', [session], 'find_duplicate')
  })
}
