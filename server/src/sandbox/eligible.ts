/** Decides the KYB review of a company by its number, and what the register says of it. */
import { sql } from 'kysely'
import { rememberCompliance } from '../adapters/sandbox/compliance.ts'
import { rememberCompany } from '../adapters/sandbox/registry.ts'
import { setCompliance } from '../borrowers/index.ts'
import type { Call, Handler, Inspected } from '../context.ts'
import { readAs } from '../db/transaction.ts'
import { type Day, readWireDay } from '../kit/dates.ts'
import { parseCompanyIdentifier } from '../kit/identifiers/index.ts'
import { type InvalidParam, invalid } from '../kit/problem.ts'
import type { WellFormed } from '../kit/well-formed.ts'
import { noteCompliance } from '../onboardings/index.ts'

/**
 * From now on the check and the register say so. A borrower that exists is decided at once; what
 * the register says of it is asked for by its next loan.
 */
const decide: Handler<'setSandboxEligibility'> = async (tx, call) => {
  const { partner_id } = call.caller
  const { faults, told, company_key } = read(call.body, tx.today)
  if (faults.length > 0 || !company_key) throw invalid(...faults)
  const status = call.body.scenario === 'OK' ? 'APPROVED' : 'REJECTED'
  await rememberCompany(tx, { partner_id, company_key }, told)
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

export const setSandboxEligibility: Inspected<'setSandboxEligibility'> = {
  inspect: (context, { body, caller }) =>
    readAs(context, caller.partner_id, tx => read(body, tx.today).faults),
  handle: decide,
}

type Asked = WellFormed<Call<'setSandboxEligibility'>['body']>

/** Reads what is told, with its faults. What happened has happened: neither day is to come. */
function read(body: Asked, today: Day) {
  const faults: InvalidParam[] = []
  const dayOf = (name: 'insolvent_since' | 'creation_date') => {
    const given = body[name]
    const found = given ? readWireDay(given) : null
    if (given && !found) faults.push({ name, reason: 'is no day' })
    if (found && found > today) faults.push({ name, reason: 'is in the future' })
    return given === undefined ? undefined : found
  }
  const told = { insolvent_since: dayOf('insolvent_since'), creation_date: dayOf('creation_date') }
  return { told, company_key: companyIn(body, faults), faults }
}

function companyIn({ business_identifier }: Asked, faults: InvalidParam[]): string | null {
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
