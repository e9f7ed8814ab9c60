/** Migrations: from scratch, repeated, concurrent, and refused. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { writeSchemaTypes } from '../../scripts/schema-types.ts'
import { sandboxLender } from '../src/integrations/adapters/sandbox/lender.ts'
import { migrate, pendingMigrations } from '../src/platform/db/migrate.ts'
import { newId } from '../src/platform/kit/ids.ts'
import { testDatabase } from './support/database.ts'

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

test('a database newer than the code is refused', async () => {
  const pool = await testDatabase('migrated')
  await pool.query("insert into migrations (name, hash) values ('9999_later.sql', '')")
  await expect(migrate(pool)).rejects.toThrow('newer than this code: 9999_later.sql')
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
  await pool.query('create table partners (id int)')
  await expect(migrate(pool)).rejects.toThrow(`${files[0]} failed`)
  const { rows } = await pool.query('select name from migrations')
  expect(rows).toEqual([])
  await pool.query('drop table partners')
  expect(await migrate(pool)).toEqual(files)
})

test('the lender of an older sandbox gets its own capital account', async () => {
  const pool = await testDatabase('migrated')
  const { capital_ibans, ...older } = sandboxLender()
  const row = "insert into deployment (id, mode, secret, lender) values (1, 'sandbox', '', $1)"
  await pool.query(row, [older])
  await pool.query(readFileSync(join(folder, '0410_capital_accounts.sql'), 'utf8'))
  const { rows } = await pool.query('select lender from deployment')
  expect(rows).toEqual([{ lender: { ...older, capital_ibans } }])
})

test('unfinished jobs of the previous library are carried over', async () => {
  const pool = await testDatabase('migrated')
  await pool.query(`drop table jobs;
    create schema pgboss;
    create table pgboss.job (id uuid, name text, data jsonb, state text, group_id text,
      created_on timestamptz, retry_count int, output jsonb)`)
  const [partner_id, none] = [newId(), '00000000-0000-0000-0000-000000000000']
  const [waiting, failing, running, done] = [newId(), newId(), newId(), newId()]
  await pool.query(
    `insert into pgboss.job values
      ($1, 'send_mail', '{"mail_id": "a"}', 'created', $5, '2026-01-01', 0, null),
      ($2, 'submit_payment', '{}', 'retry', null, '2026-01-02', 3, '{"message": "no answer"}'),
      ($3, 'send_bill', '{}', 'active', null, '2026-01-03T00:00:00Z', 0, null),
      ($4, 'send_mail', '{}', 'completed', null, '2026-01-04', 0, null)`,
    [waiting, failing, running, done, partner_id],
  )
  await pool.query(readFileSync(join(folder, '0420_jobs.sql'), 'utf8'))
  const { rows } = await pool.query('select * from jobs order by id')
  const ready = { held_until: null, is_leased: false }
  expect(rows).toMatchObject([
    {
      ...ready,
      id: waiting,
      name: 'send_mail',
      data: { mail_id: 'a' },
      turn_of: partner_id,
      failures: 0,
    },
    { ...ready, id: failing, turn_of: none, failures: 3, last_error: 'no answer' },
    { ...ready, id: running, name: 'send_bill', created_at: new Date('2026-01-03T00:00:00Z') },
  ])
  const { rows: left } = await pool.query(`select to_regnamespace('pgboss') as pgboss`)
  expect(left).toEqual([{ pgboss: null }])
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
