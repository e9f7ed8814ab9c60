/** Sets the result of a borrower's KYB review, before or after it signs. */
import { sql } from 'kysely'
import { setCompliance } from '../companies/borrowers/index.ts'
import type { Call, PreparedHandler } from '../context.ts'
import { refreshRegistryStatuses, saveRegistryStatuses } from '../credit/loans/index.ts'
import { setCompanyCompliance } from '../integrations/adapters/sandbox/compliance.ts'
import type { Tx } from '../platform/db/transaction.ts'
import { problem } from '../platform/kit/problem.ts'

type FetchedStatuses = Awaited<ReturnType<typeof refreshRegistryStatuses>>

/** Looks up registry data first, because waiting loans are decided with it. */
export const setSandboxKyb: PreparedHandler<'setSandboxKyb', FetchedStatuses> = {
  prepare: (context, { body, caller }) =>
    refreshRegistryStatuses(context, caller.partner_id, { borrower_id: body.borrower_id }),
  handle: (tx, call, _context, fetched) => decide(tx, call, fetched),
}

/** Changes the status at once, and the result of later compliance checks. */
async function decide(tx: Tx, { body, caller }: Call<'setSandboxKyb'>, fetched: FetchedStatuses) {
  const { borrower_id, status } = body
  const { partner_id } = caller
  saveRegistryStatuses(tx, fetched)
  const borrower = await tx.maybe(sql<{ company_key: string }>`
    select company_key from borrowers
    where id = ${borrower_id} and partner_id = ${partner_id} for no key update`)
  if (!borrower) throw problem('resource_unknown', `no borrower ${borrower_id}`)
  await setCompanyCompliance(tx, partner_id, borrower.company_key, status)
  await setCompliance(tx.as('sandbox'), { borrower_id, partner_id }, status)
  return { borrower_id, status }
}
