/**
 * Copies records set-wise, with the rows that refer to them directly or through other rows.
 * Constraints and indexes are dropped before the copy and restored after it.
 */
import type { Pool, PoolClient } from 'pg'
import { LENDER_ID } from '../../../src/platform/kit/ids.ts'

/** Tables whose rows, if copied in full, would outweigh all other data. */
const REPORT_TABLES = [
  'acts',
  'bank_news',
  'event_positions',
  'event_snapshots',
  'events',
  'mails',
  'idempotency_keys',
  'loan_log',
  'state_changes',
  'webhook_deliveries',
]

/**
 * Documents, their links to loans, and their bundles for download: files are large, and the
 * measured pages do not open them. Statements of the bank: they are the lender's, and name each
 * entry by its place.
 */
const LEFT_OUT = [
  'documents',
  'loan_documents',
  'document_bundles',
  'bank_statements',
  'bank_entries',
  'tie_outs',
]

/** The ids of records that copies share with their originals. */
const SHARED = ['partner_id', 'bank_account_id']

export interface Life {
  /** The records to start from: a borrower, and those of its records that do not refer to it. */
  readonly ids: readonly string[]
  readonly copies: number
  /** One copy in `told_each` also gets its rows of `REPORT_TABLES`, such as events and mails. */
  readonly told_each: number
}

interface Column {
  readonly name: string
  readonly type: string
}

interface Table {
  readonly name: string
  readonly columns: readonly Column[]
  /** Columns of unique indexes that contain no ID, so each copy needs a value of its own. */
  readonly own: ReadonlySet<string>
}

/** Copies the lives, and recomputes the ledger's shared balances. */
export async function copyLives(pool: Pool, lives: readonly Life[]): Promise<void> {
  const tables = await tablesOf(pool)
  const aside = await stashRows(pool, tables, lives)
  const dropped = await dropChecks(pool)
  await inPairs(aside.map(one => () => asService(pool, [copyOf(one)])))
  await pool.query('drop schema aside cascade')
  await keepBooks(pool)
  await inPairs(dropped.map(statement => () => asService(pool, [statement])))
  // Autovacuum does the same on a running server.
  await inPairs(tables.map(one => () => pool.query(`vacuum (analyze) ${one.name}`)))
}

/** Runs statements in one transaction that sees every partner's rows. */
async function asService(pool: Pool, statements: readonly string[]): Promise<void> {
  const prelude = `begin; set local maintenance_work_mem = '256MB'; set local work_mem = '256MB';
    set local statement_timeout = 0; select set_config('headroom.partners', '*', true)`
  await pool.query([prelude, ...statements, 'commit'].join(';\n'))
}

async function inPairs(tasks: readonly (() => Promise<unknown>)[]): Promise<void> {
  let next = 0
  const work = async () => {
    while (next < tasks.length) await tasks[next++]!()
  }
  await Promise.all([work(), work()])
}

async function tablesOf(pool: Pool): Promise<Table[]> {
  const { rows: columns } = await pool.query(`
    select c.relname as table, quote_ident(a.attname) as name, format_type(a.atttypid, null) as type
    from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'
      and a.attnum > 0 and not a.attisdropped and a.attgenerated = '' order by 1, a.attnum`)
  const { rows: uniques } = await pool.query(`
    select i.indrelid::regclass::text as table, array_agg(distinct quote_ident(a.attname)) as names
    from pg_index i join pg_class x on x.oid = i.indexrelid
    join pg_attribute a on a.attrelid = i.indrelid
      and (a.attnum = any(i.indkey)
        or pg_get_expr(i.indexprs, i.indrelid) ~ ('\\m' || a.attname || '\\M'))
    where i.indisunique and x.relnamespace = 'public'::regnamespace group by i.indexrelid, 1`)
  return [...Map.groupBy(columns, row => row.table as string)].map(([name, own]) => {
    const typeOf = new Map(own.map(column => [column.name, column.type]))
    const alone = uniques
      .filter(index => index.table === name)
      .map(index => index.names as string[])
      .filter(names => !names.some(name => typeOf.get(name) === 'uuid' && !SHARED.includes(name)))
    return { name, columns: own, own: new Set(alone.flat()) }
  })
}

/**
 * Drops constraints and indexes, and disables triggers and forced row-level security. Returns the
 * statements that restore them.
 */
async function dropChecks(pool: Pool): Promise<string[]> {
  const { rows: keys } = await pool.query(`
    select conrelid::regclass::text as of, conname as name, contype as kind,
      pg_get_constraintdef(oid) as key
    from pg_constraint where connamespace = 'public'::regnamespace and conrelid <> 0
      and contype in ('f', 'c', 'p', 'u')
    order by contype in ('p', 'u')`)
  const { rows: indexes } = await pool.query(`
    select i.indexrelid::regclass::text as name, pg_get_indexdef(i.indexrelid) as made
    from pg_index i join pg_class c on c.oid = i.indexrelid
    where c.relnamespace = 'public'::regnamespace
      and not exists (select from pg_constraint where conindid = i.indexrelid and contype <> 'f')`)
  const { rows: tables } = await pool.query(`
    select oid::regclass::text as name, relrowsecurity as is_walled from pg_class
    where relnamespace = 'public'::regnamespace and relkind = 'r'`)
  const walled = tables.filter(({ is_walled }) => is_walled)
  await asService(pool, [
    ...tables.map(({ name }) => `alter table ${name} disable trigger user`),
    ...walled.map(({ name }) => `alter table ${name} no force row level security`),
    ...keys.map(({ of, name }) => `alter table ${of} drop constraint ${name}`),
    ...indexes.map(({ name }) => `drop index ${name}`),
  ])
  const add = ({ of, name, key }: Record<string, string>) =>
    `alter table ${of} add constraint ${name} ${key}`
  const isUnique = ({ kind }: Record<string, string>) => kind === 'p' || kind === 'u'
  return [
    ...keys.filter(isUnique).map(add),
    ...indexes.map(({ made }) => made as string),
    // Copies are as valid as their originals, so `not valid` saves a check of every row.
    [
      ...keys.filter(key => !isUnique(key)).map(key => `${add(key)} not valid`),
      ...walled.map(({ name }) => `alter table ${name} force row level security`),
      ...tables.map(({ name }) => `alter table ${name} enable trigger user`),
    ].join(';\n'),
  ]
}

/** A table's rows to copy, set aside in another schema so that no copy is copied again. */
interface StashedRows {
  readonly table: Table
  readonly at: string
  readonly ids: readonly string[]
  /** Three hex digits with which the last group of a copy's ID starts, unlike any original's. */
  readonly mark: string
  readonly life: Life
}

/** Sets the rows of each life aside. A row that belongs to two lives is copied with the first. */
async function stashRows(pool: Pool, tables: readonly Table[], lives: readonly Life[]) {
  const client = await pool.connect()
  try {
    // One snapshot, because a row inserted between search and copy would get no new ID.
    await client.query(`begin isolation level repeatable read; create schema aside;
      select set_config('headroom.partners', '*', true)`)
    const taken: string[] = []
    const found: StashedRows[] = []
    for (const [n, life] of lives.entries()) {
      const ids = (await idsOf(client, tables, life.ids)).filter(id => !taken.includes(id))
      const mark = markOf(ids)
      for (const table of tables.filter(({ name }) => !LEFT_OUT.includes(name))) {
        const at = `aside.${table.name}_${n}`
        const free = hasId(table) ? `and not o.id = any(${listOf(taken)})` : ''
        const { rowCount } = await client.query(`create table ${at} as
          select o.* from ${table.name} o where (${namesOne(table.columns, listOf(ids))}) ${free}`)
        if (rowCount) found.push({ table, at, ids, mark, life })
      }
      taken.push(...ids)
    }
    await client.query('commit')
    return found
  } finally {
    client.release()
  }
}

const hasId = ({ columns }: Table) =>
  columns.some(column => column.name === 'id' && column.type === 'uuid')

/** Finds a mark that no original has, so that no copy gets an original's ID. */
function markOf(ids: readonly string[]): string {
  const used = new Set(ids.map(id => id.slice(24, 27)))
  for (let n = 0; ; n++) {
    const mark = n.toString(16).padStart(3, '0')
    if (!used.has(mark)) return mark
  }
}

const listOf = (ids: readonly string[]) => `'{${ids.join(',')}}'::uuid[]`

/** IDs of the first records, and of all rows that refer to them directly or through other rows. */
async function idsOf(client: PoolClient, tables: readonly Table[], roots: readonly string[]) {
  const ids = new Set(roots)
  for (let known = 0; known < ids.size; ) {
    known = ids.size
    for (const { name, columns } of tables.filter(hasId)) {
      const { rows } = await client.query(`select id from ${name} o where ${namesOne(columns)}`, [
        [...ids],
      ])
      for (const { id } of rows) ids.add(id)
    }
    // A ledger entry may be linked to the life only through an account that it posts to.
    const { rows } = await client.query(
      'select entry_id from ledger_postings where account_id = any($1::uuid[])',
      [[...ids]],
    )
    for (const { entry_id } of rows) ids.add(entry_id)
  }
  return [...ids]
}

const uuids = (columns: readonly Column[]) => columns.filter(({ type }) => type === 'uuid')

function namesOne(columns: readonly Column[], ids = '$1::uuid[]'): string {
  return (
    uuids(columns)
      .map(({ name }) => `o.${name} = any(${ids})`)
      .join(' or ') || 'false'
  )
}

function copyOf({ table: { name, columns, own }, at, ids, mark, life }: StashedRows): string {
  const values = columns.map(column =>
    copiedColumn(column, own.has(column.name), listOf(ids), name),
  )
  const each = REPORT_TABLES.includes(name) ? Math.min(life.told_each, life.copies) : 1
  return `insert into ${name} (${columns.map(column => column.name).join(', ')})
    overriding system value
    select ${values.join(', ')}
    from ${at} o left join lateral (select n, '${mark}' || lpad(to_hex(n), 5, '0') as hex
      from generate_series(1, ${life.copies}) n where n % ${each} = 0) n on true`
}

/** A column's value in a copy: new IDs, unique numbers, and distinct names for searches. */
function copiedColumn(column: Column, isOwn: boolean, ids: string, table: string): string {
  const value = `o.${column.name}`
  if (column.type === 'uuid') {
    // Keeps the time in the original's ID and ends with the copy's number.
    const numbered = `overlay(${value}::text placing n.hex from 25)::uuid`
    return `case when ${value} = any(${ids}) then ${numbered} else ${value} end`
  }
  if (table === 'borrowers' && column.name === 'identifier') {
    return `overlay(${value} placing lpad(n.n::text, 7, '0') from 3)`
  }
  const isText = column.type === 'text'
  const isName = ['borrowers', 'counterparties'].includes(table) && column.name === 'name'
  if (isText && (isOwn || isName)) {
    return `${value} || '-' || n.n`
  }
  const isNumber = ['bigint', 'integer'].includes(column.type)
  if (isNumber && isOwn) return `${value} + n.n * (select max(${column.name}) from ${table})`
  return value
}

/** Recomputes the lender's balances, its cash by day, and all turnovers, from the postings. */
async function keepBooks(pool: Pool): Promise<void> {
  await asService(pool, [
    'delete from ledger_sealed_balances',
    `insert into ledger_sealed_balances (partner_id, account_id, amount)
      select a.partner_id, a.id, sum(p.amount) from ledger_postings p
      join ledger_accounts a on a.partner_id = '${LENDER_ID}' and a.id = p.account_id
      group by a.partner_id, a.id`,
    'delete from ledger_unsealed',
    'delete from ledger_cash_days',
    `insert into ledger_cash_days (partner_id, account_id, booked_on, amount)
      select a.partner_id, a.id, coalesce(p.bank_booked_on, '0001-01-01'), sum(p.amount)
      from ledger_postings p
      join ledger_accounts a on a.partner_id = '${LENDER_ID}' and a.id = p.account_id
        and a.code = 'bank_cash'
      group by 1, 2, 3`,
    'delete from ledger_turnovers',
    `insert into ledger_turnovers (booked_on, value_on, partner_id, code, debit, credit)
      select (e.booked_at at time zone 'Europe/Paris')::date, e.value_on, e.partner_id, a.code,
        sum(greatest(p.amount, 0)), sum(greatest(-p.amount, 0))
      from ledger_entries e
      join ledger_postings p on p.partner_id = e.partner_id and p.entry_id = e.id
      join ledger_accounts a on a.partner_id in (p.partner_id, '${LENDER_ID}')
        and a.id = p.account_id group by 1, 2, 3, 4`,
  ])
}
