/** What a database is made of, apart from the rows of anybody. */
import type pg from 'pg'

/** Tables that migrations fill: a file that writes to them takes its database with it. */
export const FILLED = ['migrations', 'products', 'scorecards'] as const

/** Changes with every table, trigger and function, and with every row that migrations wrote. */
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
