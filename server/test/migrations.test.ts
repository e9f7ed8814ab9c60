/** Migrations: from nothing, again, at the same time, and what they refuse. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { writeSchemaTypes } from '../../scripts/schema-types.ts'
import { sandboxLender } from '../src/outside/adapters/sandbox/lender.ts'
import { migrate, pendingMigrations } from '../src/platform/db/migrate.ts'
import { testDatabase } from './support/database.ts'

const folder = fileURLToPath(new URL('../src/platform/db/migrations/', import.meta.url))
const files = readdirSync(folder).sort()

test('an empty database gets them all, in order; a second run has nothing to do', async () => {
  const pool = await testDatabase('empty')
  expect(await migrate(pool)).toEqual(files)
  expect(await migrate(pool)).toEqual([])
  expect(await pendingMigrations(pool)).toEqual([])
})

test('two servers that start at once migrate once', async () => {
  const pool = await testDatabase('empty')
  const applied = await Promise.all([migrate(pool), migrate(pool)])
  expect(applied.toSorted((a, b) => a.length - b.length)).toEqual([[], files])
})

test('a file that was changed after it was applied is refused, and named', async () => {
  const pool = await testDatabase('migrated')
  const [, second] = files
  await pool.query("update migrations set hash = 'another' where name = $1", [second])
  await expect(migrate(pool)).rejects.toThrow(`${second} was changed after it was applied`)
})

test('a database that is newer than the code is refused', async () => {
  const pool = await testDatabase('migrated')
  await pool.query("insert into migrations (name, hash) values ('9999_later.sql', '')")
  await expect(migrate(pool)).rejects.toThrow('newer than this code: 9999_later.sql')
})

test('what is still to come is known before it is applied', async () => {
  const pool = await testDatabase('migrated')
  const last = files.at(-1)!
  await pool.query('delete from migrations where name = $1', [last])
  expect(await pendingMigrations(pool)).toEqual([last])
})

test('one that fails leaves nothing behind, and the lock is free again', async () => {
  const pool = await testDatabase('empty')
  // In the way of the first one.
  await pool.query('create table partners (id int)')
  await expect(migrate(pool)).rejects.toThrow(`${files[0]} failed`)
  const { rows } = await pool.query('select name from migrations')
  expect(rows).toEqual([])
  await pool.query('drop table partners')
  expect(await migrate(pool)).toEqual(files)
})

test('the lender of an older sandbox gets its own account for capital', async () => {
  const pool = await testDatabase('migrated')
  const { capital_ibans, ...older } = sandboxLender()
  const row = "insert into deployment (id, mode, secret, lender) values (1, 'sandbox', '', $1)"
  await pool.query(row, [older])
  await pool.query(readFileSync(join(folder, '0410_capital_accounts.sql'), 'utf8'))
  const { rows } = await pool.query('select lender from deployment')
  expect(rows).toEqual([{ lender: { ...older, capital_ibans } }])
})

test('platform/db/schema.ts is what `npm run generate` writes', async () => {
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
