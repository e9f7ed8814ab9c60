/** Borrowers follow what the registry says about their companies. */
import { sql } from 'kysely'
import { type FactOf, publishFact } from '../../facts.ts'
import { ofEachPartner, type RowKey } from '../../platform/db/of-partner.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { recordEvent } from '../../platform/events/index.ts'
import { enqueue } from '../../platform/jobs/index.ts'
import { readAnswer } from '../registry/index.ts'
import { recordProductEvents } from './record-product-events.ts'
import { lockBorrowers, saveBorrowerRegistryStatuses, setCompany } from './store.ts'

/** Enqueues the update of each partner's borrower, so that one transaction locks one borrower. */
export async function followAnswer(
  tx: Tx,
  { company_key, company }: FactOf<'company_answered'>,
): Promise<void> {
  if (!company) return
  const borrowers = await tx.all(sql<{ partner_id: string }>`
    select partner_id from borrowers
    where ${ofEachPartner('borrowers')} and company_key = ${company_key} order by partner_id`)
  for (const { partner_id } of borrowers) {
    enqueue(tx, 'follow_company', { partner_id, company_key }, partner_id)
  }
}

/**
 * Stores the registry's answer with the borrower. If it was awaited, publishes `company_found`, and
 * the partner receives the borrower's current data.
 */
export async function followCompany(
  tx: Tx,
  { partner_id, company_key }: { partner_id: string; company_key: string },
): Promise<void> {
  const company = (await readAnswer(tx, company_key))?.company
  const key = await tx.maybe(sql<RowKey>`
    select partner_id, id from borrowers
    where partner_id = ${partner_id} and company_key = ${company_key}`)
  const [borrower] = key && company ? await lockBorrowers(tx, [key]) : []
  if (!borrower || !company) return
  if (borrower.company.is_active !== null) {
    saveBorrowerRegistryStatuses(tx, [{ ...company, partner_id, company_key }])
    return
  }
  await setCompany(tx, borrower, company)
  recordEvent(tx, 'borrower', borrower, 'Borrower.COMPLIANCE_UPDATED')
  await recordProductEvents(tx, [borrower])
  await publishFact(tx, 'company_found', { partner_id, borrower_id: borrower.id, company_key })
}
