/** The database accepts the contract's languages, in every column that checks them. */
import { LANGUAGES } from '@headroom/contract'
import { expect, test } from 'vitest'
import { testDatabase } from '../support/database.ts'

test('checks of languages list those of the contract', async () => {
  const pool = await testDatabase('migrated')
  const { rows } = await pool.query<{ column: string; rule: string }>(`
    select c.conrelid::regclass || '.' || a.attname as column, pg_get_constraintdef(c.oid) as rule
    from pg_constraint c
    join pg_attribute a on a.attrelid = c.conrelid and a.attnum = any(c.conkey)
    where c.contype = 'c' and a.attname like '%language%' order by 1`)
  expect(rows.map(row => row.column)).toEqual([
    'borrowers.preferred_language',
    'partner_companies.language',
  ])
  for (const { column, rule } of rows) {
    const listed = [...rule.matchAll(/'(\w+)'/g)].map(([, code]) => code)
    expect(listed.sort(), column).toEqual([...LANGUAGES].sort())
  }
})
