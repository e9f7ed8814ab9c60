/** Reads what a live deployment needs to find in its database. */
import { sql } from 'kysely'
import type { Config } from '../../config.ts'
import { lenderFaults } from '../../integrations/lender/index.ts'
import { openAtBank } from '../../money/payments/index.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import type { DatabaseFacts, Person } from './rules.ts'

/** The facts of a database with the newest schema. */
export async function readDatabaseFacts(tx: Tx, config: Config): Promise<DatabaseFacts> {
  const { mode } = tx.settings
  const people = await tx.all(sql<Person>`
    select o.role, s.totp_confirmed_at is not null as has_totp
    from operators o left join operator_secrets s on s.operator_id = o.id
    where o.partner_id is null and o.disabled_at is null`)
  const { ignores_walls } = await tx.one(sql<{ ignores_walls: boolean }>`
    select rolsuper or rolbypassrls as ignores_walls from pg_roles where rolname = current_user`)
  const versions = config.lender?.versions ?? []
  const isComparable = mode === 'live' && versions.length > 0
  return {
    mode,
    pending_migrations: 0,
    ignores_walls,
    people,
    lender_faults: isComparable ? await lenderFaults(tx, versions, openAtBank) : [],
  }
}
