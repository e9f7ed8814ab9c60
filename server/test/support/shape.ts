/** A fingerprint of a database's schema and of the rows its migrations insert. */
import type pg from 'pg'

/** Tables filled by migrations. A database in which a test changes them is not reused. */
export const FILLED = [
  'migrations',
  'products',
  'scorecards',
  'registry_sources',
  'risk_classes',
] as const

/** Differs after any change to a table, trigger, function or migrated row, even a reverted one. */
export async function shapeOf(admin: pg.Client): Promise<string> {
  const own = `relnamespace = 'public'::regnamespace`
  const parts = [
    `select 'classes', count(*), sum(xmin::text::bigint) from pg_class where ${own}`,
    `select 'columns', count(*), sum(a.xmin::text::bigint) from pg_attribute a
       join pg_class c on c.oid = a.attrelid where ${own}`,
    ...['pg_proc', 'pg_trigger', 'pg_constraint', 'pg_policy', 'pg_index', 'pg_type'].map(
      name => `select '${name}', count(*), sum(xmin::text::bigint) from ${name}`,
    ),
    ...FILLED.map(name => `select '${name}', count(*), sum(xmin::text::bigint) from ${name}`),
  ]
  const { rows } = await admin.query({ text: parts.join(' union all '), rowMode: 'array' })
  return JSON.stringify(rows.map(String).sort())
}
