/** The only SQL that writes counterparties. */
import { type Insertable, type Selectable, sql } from 'kysely'
import type { DB } from '../db/schema.ts'
import { build, type Tx } from '../db/transaction.ts'
import type { Party } from './read-party.ts'

export type CounterpartyRow = Omit<Selectable<DB['counterparties']>, 'address' | 'contact'> & {
  address: Party['address']
  contact: Party['contact']
}

/** Inserts a counterparty; false when the partner has that company already. */
export async function insertCounterparty(
  tx: Tx,
  row: Insertable<DB['counterparties']>,
): Promise<boolean> {
  const insert = build
    .insertInto('counterparties')
    .values(row)
    .onConflict(known => known.columns(['partner_id', 'company_key']).doNothing())
  return (await tx.run(insert)) === 1
}

/** Adds what a later request says of a known company: its relations, and what was not known. */
export async function enrichCounterparty(
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
