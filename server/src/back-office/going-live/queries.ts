/** Reads what a live deployment needs to find in its database. */
import { sql } from 'kysely'
import type { Config } from '../../config.ts'
import { firstFaults, lenderFaults } from '../../integrations/lender/index.ts'
import { openAtBank } from '../../money/payments/index.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import type { Day } from '../../platform/kit/dates.ts'
import type { DatabaseFacts, Person } from './rules.ts'

/** Needs no schema, so it can be asked as soon as the server answers. */
export const READ_ROLE = `
  select rolsuper or rolbypassrls as ignores_walls from pg_roles where rolname = current_user`

/** The facts of a database with the newest schema. */
export async function readDatabaseFacts(tx: Tx, config: Config): Promise<DatabaseFacts> {
  const { mode } = tx.settings
  const people = await tx.all(sql<Person>`
    select o.role, s.totp_confirmed_at is not null as has_totp
    from operators o left join operator_secrets s on s.operator_id = o.id
    where o.partner_id is null and o.disabled_at is null`)
  const { ignores_walls } = await tx.one(sql<{ ignores_walls: boolean }>`${sql.raw(READ_ROLE)}`)
  return {
    mode,
    pending_migrations: 0,
    ignores_walls,
    people,
    lender_faults: await faultsOf(tx, config),
  }
}

async function faultsOf(tx: Tx, { lender }: Config): Promise<readonly string[]> {
  // Without a version, the faults of the file itself say what is missing.
  if (!lender?.versions.length) return []
  if (tx.settings.mode === 'sandbox') return firstFaults(lender, tx.today)
  return lenderFaults(tx, lender, openAtBank)
}

/** The facts of a database that nothing was served from yet. */
export function emptyDatabase({ lender }: Config, today: Day): DatabaseFacts {
  return {
    mode: 'none',
    pending_migrations: 0,
    ignores_walls: null,
    people: [],
    lender_faults: lender?.versions.length ? firstFaults(lender, today) : [],
  }
}
