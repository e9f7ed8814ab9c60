/** Migrations: from scratch, repeated, concurrent, and refused. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { writeSchemaTypes } from '../../scripts/schema-types.ts'
import { migrate, pendingMigrations } from '../src/platform/db/migrate.ts'
import { testDatabase } from './support/database.ts'
import { FIRST_HASHES } from './support/first-hashes.ts'

const folder = fileURLToPath(new URL('../src/platform/db/migrations/', import.meta.url))
const files = readdirSync(folder).sort()

test('an empty database gets them all in order, and a second run does nothing', async () => {
  const pool = await testDatabase('empty')
  expect(await migrate(pool)).toEqual(files)
  expect(await migrate(pool)).toEqual([])
  expect(await pendingMigrations(pool)).toEqual([])
})

test('two servers that start concurrently migrate once', async () => {
  const pool = await testDatabase('empty')
  const applied = await Promise.all([migrate(pool), migrate(pool)])
  expect(applied.toSorted((a, b) => a.length - b.length)).toEqual([[], files])
})

test('a file changed after it was applied is refused by name', async () => {
  const pool = await testDatabase('migrated')
  const [, second] = files
  await pool.query("update migrations set hash = 'another' where name = $1", [second])
  await expect(migrate(pool)).rejects.toThrow(`${second} was changed after it was applied`)
})

test('a database with the hashes of before, which covered comments, is current', async () => {
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

test('a database from before the baseline is refused, with the way to carry it over', async () => {
  // Two earlier baselines, the later one also with a migration added to it. Some of its names are
  // still in use.
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
