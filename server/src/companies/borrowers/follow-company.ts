/** Borrowers follow what the registry says about their companies. */
import { sql } from 'kysely'
import { type FactOf, publishFact } from '../../facts.ts'
import { ofEachPartner, type RowKey } from '../../platform/db/of-partner.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { recordEvent } from '../../platform/events/index.ts'
import { enqueue } from '../../platform/jobs/index.ts'
import { awaitAnswer } from '../registry/index.ts'
import { isAwaited } from './awaited-company.ts'
import { recordProductEvents } from './record-product-events.ts'
import { lockBorrowers, saveBorrowerRegistryStatuses, setCompany } from './store.ts'

/** Enqueues the update of each partner's borrower, so that one transaction locks one borrower. */
export async function followCompanyOfBorrowers(
  tx: Tx,
  { company_key, company }: FactOf<'company_answered'>,
): Promise<void> {
  if (!company) return
  const borrowers = await tx.all(sql<{ partner_id: string }>`
    select partner_id from borrowers
    where ${ofEachPartner('borrowers')} and company_key = ${company_key} order by partner_id`)
  for (const { partner_id } of borrowers) enqueueFollowing(tx, { partner_id, company_key })
}

/** Also for a company that a request has found unknown: the answer may have come meanwhile. */
export function enqueueFollowing(tx: Tx, key: { partner_id: string; company_key: string }): void {
  enqueue(tx, 'follow_company', key, key.partner_id)
}

/**
 * Stores the registry's answer with the borrower and publishes `company_found`: whatever waits for
 * the company goes on. The partner of a borrower without data receives the borrower's new data.
 */
export async function followCompany(
  tx: Tx,
  { partner_id, company_key }: { partner_id: string; company_key: string },
): Promise<void> {
  const company = (await awaitAnswer(tx, company_key))?.company
  const key = await tx.maybe(sql<RowKey>`
    select partner_id, id from borrowers
    where partner_id = ${partner_id} and company_key = ${company_key}`)
  const [borrower] = key && company ? await lockBorrowers(tx, [key]) : []
  if (!borrower || !company) return
  if (isAwaited(borrower.company)) {
    await setCompany(tx, borrower, company)
    recordEvent(tx, 'borrower', borrower, 'Borrower.COMPLIANCE_UPDATED')
    await recordProductEvents(tx, [borrower])
  } else {
    saveBorrowerRegistryStatuses(tx, [{ ...company, partner_id, company_key }])
  }
  await publishFact(tx, 'company_found', { partner_id, borrower_id: borrower.id, company_key })
}
