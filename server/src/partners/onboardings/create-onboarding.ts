/** Creates an onboarding session. */
import type { CreateOnboardingBody } from '@headroom/contract'
import { sql } from 'kysely'
import { readPartnerName } from '../../platform/access/index.ts'
import { initialStatus, recordCreation } from '../../platform/db/move.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import type { CompanyData } from '../eligibility/index.ts'
import { namedCompany } from './choose-company.ts'
import { insertOnboarding } from './store.ts'
import { answersOf } from './user-input.ts'

const RESUMABLE_MS = 24 * 3_600_000

/**
 * Inserts the session and returns its id. `fetched` is the external data on the company, null if
 * the request has none. If the company is already a borrower of the partner, the session is a
 * DUPLICATE.
 */
export async function createOnboarding(
  tx: Tx,
  partner_id: string,
  body: CreateOnboardingBody,
  fetched: CompanyData | null,
): Promise<string> {
  const id = tx.newId()
  const named = body.business && fetched ? namedCompany(body.business, fetched) : null
  const borrower_id = await borrowerOf(tx, partner_id, named?.company_key ?? null)
  const initial = initialStatus('onboarding', borrower_id ? ['find_duplicate'] : [])
  await insertOnboarding(tx, {
    id,
    partner_id,
    status: initial.status,
    company_key: named?.company_key ?? null,
    identifier: named?.identifier ?? null,
    identifier_type: named?.identifier_type ?? null,
    company: named?.company ? { ...named.company } : null,
    company_awaited: named?.company_awaited ?? false,
    compliance: named?.compliance ?? null,
    email: body.email ?? null,
    phone_number: body.phone_number ?? null,
    preferred_language: body.preferred_language.slice(0, 2).toLowerCase(),
    redirect_url: body.redirect_url ?? null,
    referral: body.referral ?? (await readPartnerName(tx, partner_id)),
    step: body.step ?? null,
    traceability_payload: (body.traceability_payload ?? null) as Record<string, string> | null,
    user_input: (body.user_input ? answersOf(body.user_input) : null) as never,
    borrower_id,
    expires_at: new Date(tx.now.getTime() + RESUMABLE_MS),
    created_at: tx.now,
  })
  recordCreation(tx, [{ id, partner_id, initial }])
  return id
}

async function borrowerOf(
  tx: Tx,
  partner_id: string,
  company_key: string | null,
): Promise<string | null> {
  if (company_key === null) return null
  const found = await tx.maybe(sql<{ id: string }>`
    select id from borrowers where partner_id = ${partner_id} and company_key = ${company_key}`)
  return found?.id ?? null
}
