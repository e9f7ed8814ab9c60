/** Writes an export of a single moment, in constant memory. */
import { createHash } from 'node:crypto'
import type { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import type pg from 'pg'
import { to as copyTo } from 'pg-copy-streams'
import { PREVENT_RESETS } from '../../platform/db/resets.ts'
import { columnList, quoted, readMigrations, readSequences, readTables } from './catalogue.ts'
import {
  countRows,
  type End,
  FORMAT,
  FORMAT_VERSION,
  type Header,
  type Progress,
  type Sum,
} from './format.ts'

/**
 * Writes the database of `client` to `target` and ends `target`. Uses one snapshot, so the service
 * may keep running, except that a reset must wait. If this throws, `target` is incomplete.
 */
export async function writeArchive(
  client: pg.ClientBase,
  target: Writable,
  progress: Progress,
): Promise<void> {
  await client.query(
    `begin isolation level repeatable read read only;
     set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0`,
  )
  await client.query(PREVENT_RESETS)
  // Takes the snapshot, which the table lock before does not.
  await client.query("select set_config('headroom.partners', '*', true)")
  // Fast compression: with a higher level, compressing would take most of the export's time.
  await pipeline(archiveOf(client, progress), createGzip({ level: 3 }), target)
  await client.query('commit')
}

async function* archiveOf(client: pg.ClientBase, progress: Progress): AsyncGenerator<Buffer> {
  const hash = createHash('sha256')
  const line = (value: unknown) => Buffer.from(`${JSON.stringify(value)}\n`)
  const header = await readHeader(client)
  const sections: Section[] = header.tables.map(table => ({
    name: table.name,
    query: `select ${columnList(table)} from ${quoted(table.name)}`,
  }))
  for await (const piece of pieces()) {
    hash.update(piece)
    yield piece
  }
  const end: End = { end: { sections: sections.length, sha256: hash.digest('hex') } }
  yield line(end)

  async function* pieces(): AsyncGenerator<Buffer> {
    yield line(header)
    for (const section of sections) {
      yield line({ section: section.name })
      const sum = yield* rowsOf(client, section, progress)
      yield Buffer.from('\\.\n')
      yield line(sum)
    }
  }
}

async function readHeader(client: pg.ClientBase): Promise<Header> {
  const { rows } = await client.query('select mode from deployment')
  return {
    format: FORMAT,
    version: FORMAT_VERSION,
    made_at: new Date().toISOString(),
    mode: rows[0].mode,
    migrations: await readMigrations(client),
    tables: await readTables(client),
    sequences: await readSequences(client),
  }
}

interface Section {
  readonly name: string
  readonly query: string
}

async function* rowsOf(
  client: pg.ClientBase,
  { name, query }: Section,
  progress: Progress,
): AsyncGenerator<Buffer, Sum> {
  const hash = createHash('sha256')
  let rows = 0
  for await (const piece of client.query(copyTo(`copy (${query}) to stdout`))) {
    hash.update(piece)
    rows += countRows(piece)
    progress(name, rows, false)
    yield piece
  }
  progress(name, rows, true)
  return { rows, sha256: hash.digest('hex') }
}
