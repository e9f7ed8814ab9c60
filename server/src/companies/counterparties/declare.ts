/** Declares counterparties: computes the limit of a new one, merges data into an existing one. */
import type { Context } from '../../context.ts'
import { isServed } from '../../countries/index.ts'
import type { Company } from '../../integrations/ports/registry.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { recordEvent } from '../../platform/events/index.ts'
import { findCompany } from '../registry/index.ts'
import { enqueueFollowing } from './follow-answer.ts'
import type { Party } from './read-party.ts'
import { AWAITED, limitOf } from './rules.ts'
import {
  type CounterpartyRow,
  insertCounterparty,
  json,
  mergeCounterparty,
  saveCounterpartyRegistryStatuses,
} from './store.ts'

export interface PartyWithRegistryData {
  readonly party: Party
  readonly company: Company | null
  /** Whether the registry has not answered yet. */
  readonly is_awaited: boolean
}

/**
 * Looks the company up in its registry, unless only its name is known or its country is not
 * supported.
 */
export async function lookUpParty(
  context: Context,
  partner_id: string,
  party: Party,
): Promise<PartyWithRegistryData> {
  const { identifier_type, country } = party
  if (identifier_type === 'name' || !isServed(country)) {
    return { party, company: null, is_awaited: false }
  }
  const found = await findCompany(context, { ...party, country, partner_id })
  const company = found.result === 'found' ? found.company : null
  return { party, company, is_awaited: found.result === 'unavailable' }
}

/**
 * Returns the partner's counterparty for this company, creating it if necessary. An existing one
 * keeps its number, name and computed limit. The request is merged into it (`mergeCounterparty`),
 * and the registry's insolvency date is updated.
 */
export async function declareCounterparty(
  tx: Tx,
  partner_id: string,
  { party, company, is_awaited }: PartyWithRegistryData,
  relation_types: readonly string[],
): Promise<{ row: CounterpartyRow; created: boolean }> {
  const { company_key, identifier, identifier_type, country } = party
  const limit = limitOf({ country, company, is_awaited, today: tx.today })
  const id = tx.newId()
  const created = await insertCounterparty(tx, {
    id,
    partner_id,
    company_key,
    identifier,
    identifier_type,
    country,
    name: party.name ?? company?.name ?? identifier,
    vat_number: party.vat_number ?? company?.vat_number ?? null,
    address: json(party.address ?? company?.address),
    contact: json(party.contact),
    relation_types: [...new Set(relation_types)].sort(),
    selected_for_financing: limit.max_amount > 0n,
    insolvent_since: company?.insolvent_since ?? null,
    ...limit,
    limit_inputs: JSON.stringify(limit.limit_inputs),
    created_at: tx.now,
  })
  if (created)
    recordEvent(tx, 'counterparty', { partner_id, id }, 'CounterpartyCreditLimit.CREATED')
  if (company && !created) {
    const { insolvent_since, is_active } = company
    saveCounterpartyRegistryStatuses(tx, [{ partner_id, company_key, insolvent_since, is_active }])
  }
  const row = await mergeCounterparty(tx, partner_id, party, relation_types)
  if (row.max_amount_details === AWAITED) enqueueFollowing(tx, { partner_id, company_key })
  return { row, created }
}
