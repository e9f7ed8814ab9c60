/** Decides the KYB review of a borrower, before or after it signs. */
import { sql } from 'kysely'
import { rememberCompliance } from '../adapters/sandbox/compliance.ts'
import { setCompliance } from '../borrowers/index.ts'
import type { Handler } from '../context.ts'
import { problem } from '../kit/problem.ts'

/** The status changes at once; before the signature it is also what the check then says. */
export const setSandboxKyb: Handler<'setSandboxKyb'> = async (tx, { body, caller }) => {
  const { borrower_id, status } = body
  const { partner_id } = caller
  const borrower = await tx.maybe(sql<{ company_key: string }>`
    select company_key from borrowers
    where id = ${borrower_id} and partner_id = ${partner_id} for no key update`)
  if (!borrower) throw problem('resource_unknown', `no borrower ${borrower_id}`)
  await rememberCompliance(tx, partner_id, borrower.company_key, status)
  await setCompliance(tx, 'sandbox', { borrower_id, partner_id }, status)
  return { borrower_id, status }
}
