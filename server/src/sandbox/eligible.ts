/** Decides the KYB review of a company by its number, before or after it is a borrower. */
import { sql } from 'kysely'
import { rememberCompliance } from '../adapters/sandbox/compliance.ts'
import { setCompliance } from '../borrowers/index.ts'
import type { Handler } from '../context.ts'
import { parseCompanyIdentifier } from '../kit/identifiers/index.ts'
import { invalid } from '../kit/problem.ts'
import { noteCompliance } from '../onboardings/index.ts'

const NAME = 'business_identifier.identifier'

/** From now on the check says so; a borrower that exists is decided at once. */
export const setSandboxEligibility: Handler<'setSandboxEligibility'> = async (tx, call) => {
  const { partner_id } = call.caller
  const { identifier, identifier_type } = call.body.business_identifier
  if (identifier_type === 'name') {
    throw invalid({ name: 'business_identifier.identifier_type', reason: 'is no company number' })
  }
  const parsed = parseCompanyIdentifier(identifier, identifier_type ?? undefined)
  if (!parsed.ok) throw invalid({ name: NAME, reason: parsed.reason })
  const { company_key } = parsed
  const status = call.body.scenario === 'OK' ? 'APPROVED' : 'REJECTED'
  await rememberCompliance(tx, partner_id, company_key, status)
  await noteCompliance(tx, partner_id, company_key, status)
  const borrower = await tx.maybe(sql<{ id: string }>`
    select id from borrowers
    where partner_id = ${partner_id} and company_key = ${company_key} for no key update`)
  if (borrower) {
    await setCompliance(tx, 'sandbox', { borrower_id: borrower.id, partner_id }, status)
  }
  return null
}
