/** The only SQL that writes counterparties. */
import { type Insertable, type Selectable, sql } from 'kysely'
import type { DB } from '../../platform/db/schema.ts'
import { queryBuilder, type Tx } from '../../platform/db/transaction.ts'
import type { Party } from './read-party.ts'
import type { Limit } from './rules.ts'

export type CounterpartyRow = Omit<Selectable<DB['counterparties']>, 'address' | 'contact'> & {
  address: Party['address']
  contact: Party['contact']
}

/** Inserts a counterparty; returns false if the partner already has that company. */
export async function insertCounterparty(
  tx: Tx,
  row: Insertable<DB['counterparties']>,
): Promise<boolean> {
  const insert = queryBuilder
    .insertInto('counterparties')
    .values(row)
    .onConflict(known => known.columns(['partner_id', 'company_key']).doNothing())
  return (await tx.run(insert)) === 1
}

/**
 * Merges a later request: adds relation types, replaces address and contact if given, and sets a
 * missing VAT number.
 */
export async function mergeCounterparty(
  tx: Tx,
  partner_id: string,
  party: Party,
  relation_types: readonly string[],
): Promise<CounterpartyRow> {
  return tx.one(sql<CounterpartyRow>`
    update counterparties set
      relation_types = array(select distinct r from
        unnest(relation_types || ${relation_types}::text[]) as r order by r),
      vat_number = coalesce(vat_number, ${party.vat_number}),
      address = coalesce(${json(party.address)}::jsonb, address),
      contact = coalesce(${json(party.contact)}::jsonb, contact)
    where partner_id = ${partner_id} and company_key = ${party.company_key}
    returning *`)
}

export function json(value: object | null | undefined): string | null {
  return value ? JSON.stringify(value) : null
}

/**
 * Stores a limit computed again. A counterparty declared by its number alone also gets the name of
 * the company.
 */
export async function setLimit(
  tx: Tx,
  { partner_id, id }: CounterpartyRow,
  { name, ...limit }: Limit & { readonly name: string },
): Promise<void> {
  await tx.run(sql`
    update counterparties set max_amount = ${limit.max_amount},
      max_amount_details = ${limit.max_amount_details}, limit_version = ${limit.limit_version},
      limit_inputs = ${json(limit.limit_inputs)}::jsonb,
      selected_for_financing = ${limit.max_amount > 0n},
      name = case when name = identifier then ${name} else name end
    where partner_id = ${partner_id} and id = ${id}`)
}

/** Updates counterparties whose insolvency date has changed in the registry. */
export function saveCounterpartyRegistryStatuses(
  tx: Tx,
  statuses: readonly {
    partner_id: string
    company_key: string
    insolvent_since: string | null
    /** Null without a registry's answer, which leaves the stored date as it is. */
    is_active: boolean | null
  }[],
): void {
  tx.send(sql`
    update counterparties c set insolvent_since = s.insolvent_since
    from unnest(${statuses.map(s => s.partner_id)}::uuid[],
      ${statuses.map(s => s.company_key)}::text[],
      ${statuses.map(s => s.insolvent_since)}::date[],
      ${statuses.map(s => s.is_active)}::boolean[])
      as s (partner_id, company_key, insolvent_since, is_active)
    where ${COUNTERPARTY_REGISTRY_CHANGED}`)
}

/** Whether `s` has counterparty `c`'s insolvency date, and the stored date differs from it. */
export const COUNTERPARTY_REGISTRY_CHANGED = sql`c.partner_id = s.partner_id
  and c.company_key = s.company_key and s.is_active is not null
  and c.insolvent_since is distinct from s.insolvent_since::date`
