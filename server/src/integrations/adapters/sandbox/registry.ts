/** The sandbox company registry, which derives a company's data from its number. */
import { sql } from 'kysely'
import { type Database, type Tx, transaction } from '../../../platform/db/transaction.ts'
import { coalesceLookups } from '../../../platform/kit/coalesce-lookups.ts'
import type { Day } from '../../../platform/kit/dates.ts'
import { toWire } from '../../../platform/kit/money.ts'
import type { LocalRegistry } from '../../ports/registry.ts'
import { companyProfile } from './company-profile.ts'

/** Registry data that overrides a company's profile; null where nothing is overridden. */
interface RegistryOverride {
  readonly insolvent_since: Day | null
  readonly creation_date: Day | null
  readonly is_active: boolean | null
}

/** Finds a company for every number: active and always the same, unless data was set for it. */
export function sandboxRegistry(options: { database: Database }): LocalRegistry {
  const overrides = coalesceLookups(names => readOverrides(options.database, names))
  return {
    answers_at_once: true,
    async find({ partner_id, identifier, identifier_type, country, company_key }) {
      const profile = companyProfile(identifier, country)
      const more = await overrides(nameOf({ partner_id, company_key }))
      return {
        identifier,
        identifier_type,
        country,
        name: profile.name,
        legal_form: profile.legal_form,
        vat_number: profile.vat_number,
        address: { ...profile.address },
        activity_description: profile.activity_description,
        nace_code: profile.nace_code,
        creation_date: more?.creation_date ?? profile.creation_date,
        share_capital: toWire(profile.share_capital),
        is_active: more?.is_active ?? profile.is_active,
        insolvent_since: more?.insolvent_since ?? null,
      }
    },
  }
}

interface Key {
  readonly partner_id: string
  readonly company_key: string
}

function nameOf({ partner_id, company_key }: Key): string {
  return `${partner_id} ${company_key}`
}

/** A single query for all concurrent lookups. */
async function readOverrides(
  database: Database,
  names: readonly string[],
): Promise<Map<string, RegistryOverride>> {
  const rows = await transaction(database, { partners: '*', read_only: true }, tx =>
    tx.all(sql<Key & RegistryOverride>`
      select partner_id, company_key, insolvent_since, creation_date, is_active
      from sandbox_companies
      where (partner_id, company_key) in (
        select left(name, 36)::uuid, substr(name, 38) from unnest(${names}::text[]) as name)`),
  )
  return new Map(rows.map(row => [nameOf(row), row]))
}

/** Sets registry data of a company; undefined fields keep their value. */
export async function setRegistryEntry(
  tx: Tx,
  { partner_id, company_key }: Key,
  overrides: { readonly [K in keyof RegistryOverride]?: RegistryOverride[K] | undefined },
): Promise<void> {
  const { insolvent_since: since, creation_date: created, is_active: active } = overrides
  await tx.run(sql`
    insert into sandbox_companies as c
      (partner_id, company_key, insolvent_since, creation_date, is_active, updated_at)
    values (${partner_id}, ${company_key}, ${since ?? null}, ${created ?? null}, ${active ?? null},
      ${tx.now})
    on conflict (partner_id, company_key) do update set updated_at = excluded.updated_at,
      insolvent_since = case when ${since === undefined} then c.insolvent_since
        else excluded.insolvent_since end,
      creation_date = case when ${created === undefined} then c.creation_date
        else excluded.creation_date end,
      is_active = case when ${active === undefined} then c.is_active else excluded.is_active end`)
}
