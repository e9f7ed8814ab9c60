/**
 * Updates onboardings when their company becomes a borrower, on the hosted page or through the API.
 */
import { sql } from 'kysely'
import { move, type StatusHolder } from '../../platform/db/move.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { lockOpenOf, type OnboardingRow, setBorrower } from './store.ts'

/**
 * Links a new borrower to its company's open sessions, and closes all but the newest as duplicates.
 */
export async function joinOnboarding(
  tx: Tx,
  fact: { borrower_id: string; partner_id: string; company_key: string },
): Promise<void> {
  const open = await lockOpenOf(tx, fact.partner_id, fact.company_key)
  if (open.length === 0) return
  await setBorrower(tx, open, fact.borrower_id)
  await move(tx, 'onboarding', open.slice(1), 'find_duplicate')
}

/** Completes the borrower's open session if the borrower has signed. */
export async function completeOnboarding(
  tx: Tx,
  { borrower_id, partner_id }: { borrower_id: string; partner_id: string },
): Promise<void> {
  const signed = await tx.all(sql<StatusHolder<'onboarding'>>`
    select o.id, o.partner_id, o.status from onboardings o
    join borrowers b on b.partner_id = o.partner_id and b.id = o.borrower_id
      and b.signed_at is not null
    where o.borrower_id = ${borrower_id} and o.partner_id = ${partner_id}
      and o.status = 'CREATED' for no key update of o`)
  await move(tx, 'onboarding', signed, 'complete')
}

/** Marks the company's other open sessions as duplicates of this one. */
export async function closeDuplicateSessions(tx: Tx, session: OnboardingRow): Promise<void> {
  const open = await lockOpenOf(tx, session.partner_id, session.company_key ?? '')
  const others = open.filter(other => other.id !== session.id)
  await move(tx, 'onboarding', others, 'find_duplicate')
}
