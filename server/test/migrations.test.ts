/** Migrations: from scratch, repeated, concurrent, and refused. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type pg from 'pg'
import { expect, test } from 'vitest'
import { writeSchemaTypes } from '../../scripts/schema-types.ts'
import { withConnection } from '../src/platform/db/connect.ts'
import { migrate, migrateThrough, pendingMigrations } from '../src/platform/db/migrate.ts'
import { LENDER_ID, newId } from '../src/platform/kit/ids.ts'
import { testDatabase } from './support/database.ts'
import { FIRST_HASHES } from './support/first-hashes.ts'

const folder = fileURLToPath(new URL('../src/platform/db/migrations/', import.meta.url))
const files = readdirSync(folder).sort()

test('an empty database gets all migrations in order, and a second run does nothing', async () => {
  const pool = await testDatabase('empty')
  expect(await migrate(pool)).toEqual(files)
  expect(await migrate(pool)).toEqual([])
  expect(await pendingMigrations(pool)).toEqual([])
})

/** A database with the last schema in which the books' keys did not include the partner. */
async function beforeLedgerKeys(): Promise<pg.Pool> {
  const pool = await testDatabase('empty')
  await withConnection(pool, client => migrateThrough(client, '0030_statistics.sql'))
  return pool
}

/** SQL for that schema: an entry of a partner, with a posting on each of two accounts. */
function entryOf(number: number, partner_id: string, accounts: readonly [number, number]): string {
  const id = (kind: string, n: number) => `01900000-0000-7000-8000-00000000${kind}00${n}`
  const postings = accounts.map(
    (n, line) => `('${id('e', number)}', ${line}, '${id('a', n)}', ${line === 0 ? 100 : -100})`,
  )
  return `insert into ledger_entries (id, partner_id, kind, value_on, booked_at)
      values ('${id('e', number)}', '${partner_id}', 'refund', '2027-02-03', '2027-02-03');
    insert into ledger_postings (entry_id, line, account_id, amount)
      values ${postings.join(', ')};
    insert into ledger_unsealed values ('${id('e', number)}')`
}

const ACCOUNTS = `insert into ledger_accounts (id, code, owner_id) values
  ('01900000-0000-7000-8000-00000000a001', 'bank_cash', null),
  ('01900000-0000-7000-8000-00000000a002', 'suspense', null),
  ('01900000-0000-7000-8000-00000000a003', 'refunds_payable', gen_random_uuid())`

test('an account gets the partner of its entries, and one of the lender the nil id', async () => {
  const pool = await beforeLedgerKeys()
  const partner = newId()
  await pool.query(ACCOUNTS)
  await pool.query(entryOf(1, partner, [1, 3]))
  await pool.query(entryOf(2, LENDER_ID, [1, 2]))
  await migrate(pool)
  const { rows } = await pool.query('select partner_id, code from ledger_accounts order by code')
  expect(rows).toEqual([
    { partner_id: LENDER_ID, code: 'bank_cash' },
    { partner_id: partner, code: 'refunds_payable' },
    { partner_id: LENDER_ID, code: 'suspense' },
  ])
  const postings = await pool.query(
    'select partner_id, count(*)::int as postings from ledger_postings group by 1 order by 1',
  )
  expect(postings.rows).toEqual([
    { partner_id: LENDER_ID, postings: 2 },
    { partner_id: partner, postings: 2 },
  ])
  await expect(pool.query('delete from ledger_postings')).rejects.toThrow('append-only')
})

test('an account with entries of two partners stops the migration, which names it', async () => {
  const pool = await beforeLedgerKeys()
  await pool.query(ACCOUNTS)
  await pool.query(entryOf(1, newId(), [1, 3]))
  await pool.query(entryOf(2, newId(), [1, 3]))
  const account = '01900000-0000-7000-8000-00000000a003'
  await expect(migrate(pool)).rejects.toThrow(`cannot be posted on account ${account}`)
  const { rows } = await pool.query('select count(*)::int as postings from ledger_postings')
  expect(rows).toEqual([{ postings: 4 }])
})

test.each([
  { entries: 'without an entry', of: [] },
  { entries: 'with entries of the lender only', of: [LENDER_ID] },
])('an owned account $entries stops the migration, which names it', async ({ of }) => {
  const pool = await beforeLedgerKeys()
  await pool.query(ACCOUNTS)
  for (const [n, partner] of of.entries()) await pool.query(entryOf(n, partner, [1, 3]))
  const account = '01900000-0000-7000-8000-00000000a003'
  await pool.query('insert into ledger_balances (account_id, amount) values ($1, 100)', [account])
  const named = `account ${account} (refunds_payable of `
  await expect(migrate(pool)).rejects.toThrow(named)
  const { rows } = await pool.query('select account_id from ledger_balances')
  expect(rows).toEqual([{ account_id: account }])
})

test('two servers that start concurrently migrate once', async () => {
  const pool = await testDatabase('empty')
  const applied = await Promise.all([migrate(pool), migrate(pool)])
  expect(applied.toSorted((a, b) => a.length - b.length)).toEqual([[], files])
})

test('a file changed after being applied is refused with its name', async () => {
  const pool = await testDatabase('migrated')
  const [, second] = files
  await pool.query("update migrations set hash = 'another' where name = $1", [second])
  await expect(migrate(pool)).rejects.toThrow(`${second} was changed after it was applied`)
})

test('a database with the first hashes, which also covered comments, is up to date', async () => {
  const pool = await testDatabase('migrated')
  const set = `update migrations m set hash = n.hash
    from jsonb_to_recordset($1) as n (name text, hash text) where m.name = n.name`
  await pool.query(set, [JSON.stringify(FIRST_HASHES)])
  expect(await migrate(pool)).toEqual([])
  const [first] = FIRST_HASHES
  await pool.query("update migrations set hash = 'another' where name = $1", [first!.name])
  await expect(migrate(pool)).rejects.toThrow(`${first!.name} was changed after it was applied`)
})

test('a database newer than the code is refused', async () => {
  const pool = await testDatabase('migrated')
  await pool.query("insert into migrations (name, hash) values ('9999_later.sql', '')")
  await expect(migrate(pool)).rejects.toThrow('newer than this code: 9999_later.sql')
})

test('a database from before the baseline is refused, with instructions to move it', async () => {
  // Two earlier baselines, and the second one with a migration added. Some of its file names are in
  // use again.
  const schemas = [
    ['0001_foundation.sql', '0420_jobs.sql'],
    ['0001_db.sql', '0002_jobs.sql', '0028_walls.sql', '0029_statistics.sql'],
    ['0001_db.sql', '0028_walls.sql', '0029_statistics.sql', '0030_statistics_from_the_start.sql'],
  ]
  for (const names of schemas) {
    const pool = await testDatabase('empty')
    await pool.query(`create table migrations
      (name text primary key, hash text not null, applied_at timestamptz not null default now())`)
    await pool.query("insert into migrations (name, hash) select unnest($1::text[]), ''", [names])
    const refused = `older version (${names.at(-1)}): with the last one that has 0047_keys_of_loans`
    await expect(migrate(pool)).rejects.toThrow(refused)
    const { rows } = await pool.query("select to_regclass('partners') as partners")
    expect(rows).toEqual([{ partners: null }])
  }
})

test('pending migrations are known before they are applied', async () => {
  const pool = await testDatabase('migrated')
  const last = files.at(-1)!
  await pool.query('delete from migrations where name = $1', [last])
  expect(await pendingMigrations(pool)).toEqual([last])
})

test('a failed migration leaves nothing behind, and releases the lock', async () => {
  const pool = await testDatabase('empty')
  // Conflicts with the first migration.
  await pool.query('create table deployment (id int)')
  await expect(migrate(pool)).rejects.toThrow(`${files[0]} failed`)
  const { rows } = await pool.query('select name from migrations')
  expect(rows).toEqual([])
  await pool.query('drop table deployment')
  expect(await migrate(pool)).toEqual(files)
})

test('platform/db/schema.ts matches the output of `npm run generate`', async () => {
  const own = mkdtempSync(join(tmpdir(), 'headroom-types-'))
  try {
    const fresh = join(own, 'schema.ts')
    await writeSchemaTypes(fresh)
    const kept = fileURLToPath(new URL('../src/platform/db/schema.ts', import.meta.url))
    expect(readFileSync(fresh, 'utf8')).toBe(readFileSync(kept, 'utf8'))
  } finally {
    rmSync(own, { recursive: true })
  }
})
