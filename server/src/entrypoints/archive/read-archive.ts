/** Loads an export into an empty database, completely or not at all. */
import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import type pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { z } from 'zod'
import type { Config } from '../../config.ts'
import {
  BASELINE,
  BEFORE_BASELINE,
  migrateThrough,
  withCurrentHashes,
} from '../../platform/db/migrate.ts'
import { noWorkerRuns } from '../../platform/jobs/index.ts'
import {
  columnList,
  quoted,
  REPLACED_TABLES,
  readExistingTables,
  readMigrations,
  readSequences,
  type Table,
} from './catalogue.ts'
import { countRows, FORMAT, FORMAT_VERSION, type Header, type Progress } from './format.ts'
import { olderTables, upgradingOlderRows } from './older-rows.ts'
import { type Lines, linesOf } from './read-lines.ts'

const HeaderLine = z.object({
  format: z.literal(FORMAT),
  version: z.int(),
  made_at: z.string(),
  mode: z.enum(['sandbox', 'live']),
  migrations: z.array(z.object({ name: z.string(), hash: z.string() })),
  tables: z.array(z.object({ name: z.string(), columns: z.array(z.string()) })),
  sequences: z.array(z.object({ name: z.string(), last_value: z.string().nullable() })),
})
const SectionLine = z.object({ section: z.string() })
const SumLine = z.object({ rows: z.int(), sha256: z.string() })
const EndLine = z.object({ end: z.object({ sections: z.int(), sha256: z.string() }) })

/** The file is truncated, modified, or not an export. */
class ArchiveBroken extends Error {
  constructor(why: string, options?: ErrorOptions) {
    super(`it is not a whole, unchanged export: ${why}`, options)
  }
}

/**
 * Loads `source` into the database of `client`, which must be empty, and leaves it with the schema
 * the file was written with, or the baseline if the file is older. Loads the rows in one
 * transaction. Throws `ArchiveBroken`, or an Error if the file does not fit the deployment or its
 * database; no row is then stored.
 */
export async function readArchive(
  client: pg.ClientBase,
  source: Readable,
  config: Pick<Config, 'mode'>,
  progress: Progress,
): Promise<void> {
  try {
    await pipeline(source, createGunzip(), async (unpacked: AsyncIterable<Buffer>) => {
      const lines = linesOf(unpacked)
      const header: Header = await intact(async () => HeaderLine.parse(await lines.json()))
      checkOrigin(header, config)
      await migrateThrough(client, schemaOf(header))
      await client.query('begin')
      await client.query(
        `select set_config('headroom.partners', '*', true), set_config('lock_timeout', '5s', true),
           set_config('statement_timeout', '0', true),
           set_config('idle_in_transaction_session_timeout', '0', true)`,
      )
      const tables = await matchingTables(client, header)
      const load = async () => {
        for (const table of header.tables) await readTable(client, lines, table, progress)
        await intact(() => checkEnd(lines, header.tables.length))
      }
      const older = isBeforeBaseline(header.migrations)
      await openTables(client, tables, () => (older ? upgradingOlderRows(client, load) : load()))
      await restoreSequences(client, header)
    })
    await client.query('commit')
  } catch (error) {
    await client.query('rollback').catch(() => {})
    throw faultOf(error as Error)
  }
}

/** Attributes decompression errors and rejected rows to the file; returns other errors. */
function faultOf(error: Error & { code?: string; where?: string }): Error {
  const { code = '', message, where } = error
  if (!/^(Z_|22|23|P0)/.test(code)) return error
  return new ArchiveBroken(where ? `${message} (${where})` : message)
}

/** Any error while reading one of our own lines means that the file is broken. */
async function intact<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    const why = error instanceof z.ZodError ? 'a line is not what belongs there' : error
    throw new ArchiveBroken(why instanceof Error ? why.message : String(why))
  }
}

/** Throws if a deployment of this release and mode cannot import the file. */
function checkOrigin(header: Header, { mode }: Pick<Config, 'mode'>): void {
  if (header.version !== FORMAT_VERSION) {
    throw new Error(`the file is of format ${header.version}; this release reads ${FORMAT_VERSION}`)
  }
  if (header.mode !== mode) {
    throw new Error(`the file is of a ${header.mode} deployment; HEADROOM_MODE says ${mode}`)
  }
}

/**
 * The last migration of the schema that the file's rows are loaded into. Rows from just before the
 * baseline are converted to the baseline.
 */
function schemaOf({ migrations }: Header): string {
  return isBeforeBaseline(migrations) ? BASELINE : (migrations.at(-1)?.name ?? '')
}

function isBeforeBaseline(migrations: Header['migrations']): boolean {
  return same(migrations.at(-1), BEFORE_BASELINE)
}

async function matchingTables(client: pg.ClientBase, header: Header): Promise<Table[]> {
  const migrations = withCurrentHashes(await readMigrations(client))
  const wanted = withCurrentHashes(header.migrations)
  const older = isBeforeBaseline(header.migrations)
  const fits = older ? migrations.at(-1)?.name === BASELINE : same(migrations, wanted)
  if (!fits) {
    throw new Error(
      `the file has ${headOf(header.migrations)}, the database ${headOf(migrations)}: ` +
        'import it into a new database, with the release that wrote it or a later one',
    )
  }
  const tables = await readExistingTables(client)
  if (!same(sorted(older ? olderTables(tables) : tables), sorted(header.tables))) {
    throw new ArchiveBroken('it names other tables or columns than its migrations make')
  }
  return tables
}

function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

function sorted(tables: readonly Table[]): [string, string[]][] {
  return tables.map(t => [t.name, t.columns.toSorted()] as [string, string[]]).sort()
}

function headOf(migrations: Header['migrations']): string {
  const last = migrations.at(-1)
  return last ? `schema ${last.name} (${last.hash.slice(0, 8)})` : 'no schema'
}

/**
 * Locks the tables, checks that they are empty, and exempts their owner from row-level security
 * while `work` runs, since COPY refuses tables that force it.
 */
async function openTables(
  client: pg.ClientBase,
  tables: readonly Table[],
  work: () => Promise<void>,
): Promise<void> {
  const names = tables.map(table => table.name)
  // A running worker would keep using the deployment's old secret and clock.
  if (!(await noWorkerRuns(client)))
    throw new Error('a worker runs on this database: stop it first')
  await client.query(`lock table ${names.map(quoted).join(', ')} in access exclusive mode`)
  for (const name of names) {
    if (REPLACED_TABLES.includes(name)) continue
    const { rows } = await client.query(`select from ${quoted(name)} limit 1`)
    if (rows.length > 0) {
      throw new Error(`the database is not empty (${name} has rows): import into a new one`)
    }
  }
  const { rows: scopedTables } = await client.query(
    `select relname as name from pg_class where relforcerowsecurity
       and relnamespace = current_schema()::regnamespace and relname = any ($1)`,
    [names],
  )
  for (const { name } of scopedTables) {
    await client.query(`alter table ${quoted(name)} no force row level security`)
  }
  // A file of an older schema lacks the newest tables, which a later migration fills.
  for (const name of REPLACED_TABLES) if (names.includes(name)) await empty(client, name)
  // Imported bills are already issued when their lines are inserted, which this trigger refuses.
  await client.query('alter table bill_lines disable trigger bill_lines_no_more')
  await work()
  await client.query('alter table bill_lines enable trigger bill_lines_no_more')
  for (const { name } of scopedTables) {
    await client.query(`alter table ${quoted(name)} force row level security`)
  }
}

/** Deletes the rows of a table, even of an append-only one. */
async function empty(client: pg.ClientBase, name: string): Promise<void> {
  const table = quoted(name)
  await client.query(`alter table ${table} disable trigger user`)
  await client.query(`delete from ${table}`)
  await client.query(`alter table ${table} enable trigger user`)
}

async function readTable(
  client: pg.ClientBase,
  lines: Lines,
  table: Table,
  progress: Progress,
): Promise<void> {
  const into = `${quoted(table.name)} (${columnList(table)})`
  await readSection(client, lines, table.name, into, progress)
}

async function readSection(
  client: pg.ClientBase,
  lines: Lines,
  name: string,
  into: string,
  progress: Progress,
): Promise<void> {
  const { section } = await intact(async () => SectionLine.parse(await lines.json()))
  if (section !== name) throw new ArchiveBroken(`${section} stands where ${name} belongs`)
  const hash = createHash('sha256')
  let rows = 0
  const counted = async function* () {
    for await (const piece of lines.rows()) {
      hash.update(piece)
      rows += countRows(piece)
      progress(name, rows, false)
      yield piece
    }
  }
  const copy = client.query(copyFrom(`copy ${into} from stdin`))
  await pipeline(counted, copy)
  const sum = await intact(async () => SumLine.parse(await lines.json()))
  if (sum.rows !== rows || sum.rows !== copy.rowCount || sum.sha256 !== hash.digest('hex')) {
    throw new ArchiveBroken(`${name} does not add up`)
  }
  progress(name, rows, true)
}

async function checkEnd(lines: Lines, sections: number): Promise<void> {
  const sha256 = lines.sha256()
  const { end } = EndLine.parse(await lines.json())
  if (end.sections !== sections || end.sha256 !== sha256) throw new Error('it does not add up')
  if (!(await lines.atEnd())) throw new Error('something follows its end')
}

async function restoreSequences(client: pg.ClientBase, header: Header): Promise<void> {
  const here = new Set((await readSequences(client)).map(sequence => sequence.name))
  for (const { name, last_value } of header.sequences) {
    if (last_value === null || !here.has(name)) continue
    await client.query('select setval($1::regclass, $2::bigint)', [quoted(name), last_value])
  }
}
