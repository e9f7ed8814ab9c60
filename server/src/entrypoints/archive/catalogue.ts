/** Lists the contents of an export: this database's own tables, migrations and sequences. */
import type pg from 'pg'
import { EMPTIED_TABLES, KEPT_TABLES, TABLES_DELETED_BY_ROW } from '../../platform/db/tables.ts'
import { assert } from '../../platform/kit/assert.ts'
import type { Header } from './format.ts'

export type Table = Header['tables'][number]

/** All our tables except the list of migrations, which is part of the header. */
const NAMES = [...EMPTIED_TABLES, ...TABLES_DELETED_BY_ROW, ...KEPT_TABLES].filter(
  name => name !== 'migrations',
)

/** Tables that may have rows before an import, which replaces them. */
export const REPLACED_TABLES = [
  'deployment',
  'products',
  'scorecards',
  'registry_sources',
  'risk_classes',
]

/** References kept without foreign keys: enforced when rows are written, or checked by `verify`. */
const CHECKED: Readonly<Record<string, readonly string[]>> = {
  bill_lines: ['bills', 'loans'],
  ledger_postings: ['ledger_accounts', 'ledger_entries'],
  suspense_items: ['payments'],
}

/** Our tables with their columns, each after the tables it references. Asserts that all exist. */
export async function readTables(client: pg.ClientBase): Promise<Table[]> {
  const tables = await readExistingTables(client)
  assert(tables.length === NAMES.length, 'every table of ours is there')
  return tables
}

/** Like `readTables`, but only the tables that exist: an older schema may lack some. */
export async function readExistingTables(client: pg.ClientBase): Promise<Table[]> {
  const { rows } = await client.query(
    `select c.relname as name,
       (select json_agg(a.attname order by a.attnum) from pg_attribute a
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
          and a.attgenerated = '') as columns,
       (select coalesce(json_agg(r.relname), '[]') from pg_constraint f
        join pg_class r on r.oid = f.confrelid
        where f.conrelid = c.oid and f.contype = 'f' and r.oid <> c.oid) as refers_to
     from pg_class c
     where c.relnamespace = current_schema()::regnamespace and c.relname = any ($1)
     order by c.relname`,
    [NAMES],
  )
  return inOrder(rows)
}

function inOrder(tables: (Table & { refers_to: string[] })[]): Table[] {
  const ordered: Table[] = []
  const waiting = new Map(tables.map(table => [table.name, table]))
  while (waiting.size > 0) {
    const free = [...waiting.values()].filter(
      t => ![...t.refers_to, ...(CHECKED[t.name] ?? [])].some(name => waiting.has(name)),
    )
    assert(free.length > 0, 'tables refer to each other in a circle')
    for (const { name, columns } of free) {
      waiting.delete(name)
      ordered.push({ name, columns })
    }
  }
  return ordered
}

/** The applied migrations in order; empty if this is not one of our databases. */
export async function readMigrations(client: pg.ClientBase): Promise<Header['migrations']> {
  const { rows } = await client.query("select to_regclass('migrations') is not null as there")
  if (!rows[0].there) return []
  return (await client.query('select name, hash from migrations order by name')).rows
}

/**
 * The last value of each sequence; null if unused. Read after taking the snapshot, so that the
 * snapshot has no number above its sequence's last value.
 */
export async function readSequences(client: pg.ClientBase): Promise<Header['sequences']> {
  const { rows } = await client.query(
    `select sequencename as name, last_value::text from pg_sequences
     where schemaname = current_schema() order by 1`,
  )
  return rows
}

export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

export function columnList({ columns }: Table): string {
  return columns.map(quoted).join(', ')
}
