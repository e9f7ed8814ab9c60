/** Computes the limits of counterparties that were declared before the registry had answered. */
import { sql } from 'kysely'
import type { FactOf } from '../../facts.ts'
import { ofEachPartner } from '../../platform/db/of-partner.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { recordEvent } from '../../platform/events/index.ts'
import { limitOf } from './rules.ts'
import { type CounterpartyRow, saveCounterpartyRegistryStatuses, setLimit } from './store.ts'

export async function followAnswer(
  tx: Tx,
  { company_key, company }: FactOf<'company_answered'>,
): Promise<void> {
  if (!company) return
  const found = await tx.all(sql<CounterpartyRow>`
    select * from counterparties
    where ${ofEachPartner('counterparties')} and company_key = ${company_key}
    order by partner_id for no key update`)
  const { is_active, insolvent_since, country } = company
  const awaiting = found.filter(
    row => (row.limit_inputs as unknown as LimitInputs).is_active === null,
  )
  const limit = limitOf({ country, company, is_awaited: false, today: tx.today })
  for (const row of awaiting) {
    await setLimit(tx, row, { ...limit, name: company.name })
    recordEvent(tx, 'counterparty', row, 'CounterpartyCreditLimit.UPDATED')
  }
  const keys = found.map(({ partner_id }) => ({ partner_id, company_key }))
  const statuses = keys.map(key => ({ ...key, is_active, insolvent_since }))
  saveCounterpartyRegistryStatuses(tx, statuses)
}

interface LimitInputs {
  readonly is_active: boolean | null
}
