/** Sets a company's KYB result and registry data, by its number. */
import { sql } from 'kysely'
import { setCompliance } from '../companies/borrowers/index.ts'
import type { Call, PreparedHandler, Validation } from '../context.ts'
import { parseCompanyIdentifier } from '../countries/index.ts'
import { refreshRegistryStatuses, saveRegistryStatuses } from '../credit/loans/index.ts'
import { setCompanyCompliance } from '../integrations/adapters/sandbox/compliance.ts'
import { setRegistryEntry } from '../integrations/adapters/sandbox/registry.ts'
import { noteCompliance } from '../partners/onboardings/index.ts'
import { readForPartner, type Tx, transaction } from '../platform/db/transaction.ts'
import { type Day, readWireDay } from '../platform/kit/dates.ts'
import type { InvalidParam } from '../platform/kit/problem.ts'
import type { WellFormed } from '../platform/kit/well-formed.ts'

/** The borrower with that number, if any, and current registry data for its waiting loans. */
interface BorrowerToUpdate {
  readonly borrower_id: string | null
  readonly statuses: Awaited<ReturnType<typeof refreshRegistryStatuses>>
}

/**
 * Sets the results of later compliance checks and registry lookups. The KYB review of an existing
 * borrower is decided at once, but after its registry data is set, so that waiting loans are
 * decided with that data.
 */
export const setSandboxEligibility: PreparedHandler<
  'setSandboxEligibility',
  BorrowerToUpdate,
  CompanyRequest
> = {
  read: async (context, { body, caller }) =>
    readCompanyRequest(body, await readForPartner(context, caller.partner_id, tx => tx.today)),
  prepare: async (context, call) => {
    const { partner_id } = call.caller
    const borrower_id = await transaction(
      context.database,
      { partners: [partner_id], actor: 'sandbox' },
      tx => setRegistryData(tx, call, call.meaning),
    )
    if (!borrower_id) return { borrower_id, statuses: [] }
    const statuses = await refreshRegistryStatuses(context, partner_id, { borrower_id })
    return { borrower_id, statuses }
  },
  handle: async (tx, { body, caller: { partner_id } }, _context, { borrower_id, statuses }) => {
    if (!borrower_id) return null
    saveRegistryStatuses(tx, statuses)
    await setCompliance(tx.as('sandbox'), { borrower_id, partner_id }, statusOf(body.scenario))
    return null
  },
}

async function setRegistryData(
  tx: Tx,
  { body, caller: { partner_id } }: Call<'setSandboxEligibility'>,
  { entry, company_key }: CompanyRequest,
): Promise<string | null> {
  const status = statusOf(body.scenario)
  await setRegistryEntry(tx, { partner_id, company_key }, entry)
  await setCompanyCompliance(tx, partner_id, company_key, status)
  await noteCompliance(tx, partner_id, company_key, status)
  const borrower = await tx.maybe(sql<{ id: string }>`
    select id from borrowers where partner_id = ${partner_id} and company_key = ${company_key}`)
  return borrower?.id ?? null
}

function statusOf(scenario: 'OK' | 'NOT_ELIGIBLE') {
  return scenario === 'OK' ? 'APPROVED' : 'REJECTED'
}

type EligibilityRequest = WellFormed<Call<'setSandboxEligibility'>['body']>

interface CompanyRequest {
  readonly company_key: string
  readonly entry: Parameters<typeof setRegistryEntry>[2]
}

/** Validates the given data; neither day may be in the future. */
function readCompanyRequest(body: EligibilityRequest, today: Day): Validation<CompanyRequest> {
  const faults: InvalidParam[] = []
  const dayOf = (name: 'insolvent_since' | 'creation_date') => {
    const given = body[name]
    const found = given ? readWireDay(given) : null
    if (given && !found) faults.push({ name, reason: 'is no day' })
    if (found && found > today) faults.push({ name, reason: 'is in the future' })
    return given === undefined ? undefined : found
  }
  const entry = {
    insolvent_since: dayOf('insolvent_since'),
    creation_date: dayOf('creation_date'),
    is_active: body.is_active,
  }
  const company_key = companyIn(body, faults)
  return { faults, meaning: company_key === null ? null : { company_key, entry } }
}

function companyIn(
  { business_identifier }: EligibilityRequest,
  faults: InvalidParam[],
): string | null {
  const { identifier, identifier_type } = business_identifier ?? {}
  if (identifier_type === 'name') {
    const name = 'business_identifier.identifier_type'
    faults.push({ name, reason: 'is no company number' })
    return null
  }
  if (!identifier) return null
  const parsed = parseCompanyIdentifier(identifier, identifier_type ?? undefined)
  if (parsed.ok) return parsed.company_key
  faults.push({ name: 'business_identifier.identifier', reason: parsed.reason })
  return null
}
