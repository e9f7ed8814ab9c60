/** Counterparties follow what the registry says about their companies. */
import { sql } from 'kysely'
import type { FactOf } from '../../facts.ts'
import { ofEachPartner } from '../../platform/db/of-partner.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { recordEvent } from '../../platform/events/index.ts'
import { enqueue } from '../../platform/jobs/index.ts'
import { awaitAnswer } from '../registry/index.ts'
import { AWAITED, limitOf } from './rules.ts'
import { type CounterpartyRow, saveCounterpartyRegistryStatuses, setLimit } from './store.ts'

/** Enqueues the update of each partner's counterparty. */
export async function followCompanyOfCounterparties(
  tx: Tx,
  { company_key }: FactOf<'company_answered'>,
): Promise<void> {
  const found = await tx.all(sql<{ partner_id: string }>`
    select partner_id from counterparties
    where ${ofEachPartner('counterparties')} and company_key = ${company_key} order by partner_id`)
  for (const { partner_id } of found) enqueueFollowing(tx, { partner_id, company_key })
}

/** Also for a counterparty declared as awaited: the answer may have come meanwhile. */
export function enqueueFollowing(tx: Tx, key: { partner_id: string; company_key: string }): void {
  enqueue(tx, 'follow_counterparty', key, key.partner_id)
}

/**
 * Computes the limit of a counterparty declared before the registry had answered, or before it knew
 * the company, and stores the insolvency date.
 */
export async function followCounterparty(
  tx: Tx,
  { partner_id, company_key }: { partner_id: string; company_key: string },
): Promise<void> {
  const answer = await awaitAnswer(tx, company_key)
  const row = await tx.maybe(sql<CounterpartyRow>`
    select * from counterparties
    where partner_id = ${partner_id} and company_key = ${company_key} for no key update`)
  if (!row || !answer) return
  const { company, country } = answer
  const { is_active } = row.limit_inputs as unknown as { readonly is_active: boolean | null }
  if (company ? is_active === null : row.max_amount_details === AWAITED) {
    const limit = limitOf({ country, company, is_awaited: false, today: tx.today })
    await setLimit(tx, row, { ...limit, name: company?.name ?? row.name })
    recordEvent(tx, 'counterparty', row, 'CounterpartyCreditLimit.UPDATED')
  }
  if (!company) return
  const { insolvent_since } = company
  saveCounterpartyRegistryStatuses(tx, [
    { partner_id, company_key, insolvent_since, is_active: company.is_active },
  ])
}
