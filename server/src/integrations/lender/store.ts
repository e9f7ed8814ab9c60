/** The only SQL that writes the versions of the lender. Rows are never changed. */
import { sql } from 'kysely'
import type { ConnectionPool } from '../../platform/db/connect.ts'
import { READ_VERSIONS, type VersionRow } from '../../platform/db/lenders.ts'
import type { AdapterNames, LenderVersion } from '../../platform/db/settings.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { sha256 } from '../../platform/kit/crypto.ts'
import type { Day } from '../../platform/kit/dates.ts'
import type { FileVersion } from './lender-file.ts'
import type { StoredVersion } from './rules.ts'

/** Waits for another process that stores versions. Reads go on. */
export async function lockVersions(tx: Tx): Promise<void> {
  await tx.run(sql`lock table lender_versions in share row exclusive mode`)
}

export function readStored(tx: Tx): Promise<StoredVersion[]> {
  return tx.all(sql<StoredVersion>`
    select in_force_from, hash, version -> 'adapters' as adapters, version -> 'lender' as lender
    from (
      select distinct on (in_force_from) in_force_from, hash, version from lender_versions
      order by in_force_from, revision desc) newest
    where version is not null order by in_force_from`)
}

/** The highest revision, 0 without any, and the versions in the order of their days. */
export async function readVersions(
  tx: Tx,
): Promise<{ revision: bigint; versions: LenderVersion[] }> {
  const { revision } = await tx.one(sql<{ revision: bigint }>`
    select coalesce(max(revision), 0)::bigint as revision from lender_versions`)
  const { rows } = await tx.raw(READ_VERSIONS)
  return { revision, versions: (rows as VersionRow[]).map(row => row.version) }
}

/** The adapters of the stored version in force on a day; null without one, or without the table. */
export async function readStoredAdapters(
  pool: ConnectionPool,
  on: Day,
): Promise<AdapterNames | null> {
  const { rows: tables } = await pool.query(
    "select to_regclass('lender_versions') is not null as is_there",
  )
  if (!tables[0].is_there) return null
  const { rows } = await pool.query<VersionRow>(READ_VERSIONS)
  return rows.findLast(row => row.version.in_force_from <= on)?.version.adapters ?? null
}

/** Stores new and withdrawn versions under the next revision. */
export async function storeVersions(
  tx: Tx,
  store: readonly FileVersion[],
  withdraw: readonly Day[],
): Promise<void> {
  const rows = [
    ...store.map(({ in_force_from, content, hash, lender, adapters }) => ({
      in_force_from,
      content,
      hash,
      version: { in_force_from, lender, adapters },
    })),
    ...withdraw.map(in_force_from => ({
      in_force_from,
      content: null,
      hash: sha256(''),
      version: null,
    })),
  ]
  await tx.run(sql`
    insert into lender_versions (in_force_from, revision, content, hash, version, stored_at)
    select r.in_force_from, (select coalesce(max(revision), 0) + 1 from lender_versions),
      r.content, r.hash, r.version, ${tx.now}
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as r(in_force_from date, content text, hash text, version jsonb)`)
}
