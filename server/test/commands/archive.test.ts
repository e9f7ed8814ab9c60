/** Export and import: either everything is restored, or nothing. */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import type pg from 'pg'
import { beforeAll, expect, test } from 'vitest'
import { readExistingTables, type Table } from '../../src/entrypoints/archive/catalogue.ts'
import { olderTables } from '../../src/entrypoints/archive/older-rows.ts'
import { sandboxLender } from '../../src/integrations/adapters/sandbox/lender.ts'
import { withConnection } from '../../src/platform/db/connect.ts'
import { BASELINE, BEFORE_BASELINE, migrateThrough } from '../../src/platform/db/migrate.ts'
import { createPresence } from '../../src/platform/jobs/index.ts'
import { sha256 } from '../../src/platform/kit/crypto.ts'
import { LENDER_ID } from '../../src/platform/kit/ids.ts'
import * as banks from '../adapters/banks.ts'
import { type TestApp, until } from '../support/app.ts'
import { command } from '../support/command.ts'
import { testDatabase } from '../support/database.ts'
import { FIRST_HASHES } from '../support/first-hashes.ts'
import { liveEnvironment } from '../support/live.ts'
import { type Done, type Environment, headroom } from '../support/service.ts'
import { readyBorrower, requestLoan } from '../support/story.ts'
import { mergeCash, setCashOwner } from './before-bank-accounts.ts'
import { everyRow, rulesOf, seeingAll, TABLES, urlOf } from './databases.ts'
import { fullApp, LOANS, MONTHS_MS } from './full-app.ts'

let app: TestApp
let file: string
let exported: Done
beforeAll(async () => {
  app = await fullApp()
  file = join(app.context.config.data_folder, 'all.headroom')
  exported = await headroom(['export', file], { DATABASE_URL: urlOf(source()) })
}, MONTHS_MS)

const source = () => app.context.database.pool

function importInto(pool: pg.Pool, bytes: Uint8Array, env: Environment = {}): Promise<Done> {
  const path = join(app.context.config.data_folder, 'in.headroom')
  writeFileSync(path, bytes)
  return command(['import', path], { DATABASE_URL: urlOf(pool), ...env }, banks)
}

test('the file is complete, readable by its owner only, and the only one left', () => {
  expect(exported).toMatchObject({ code: 0, stdout: '' })
  expect(exported.stderr).toMatch(/exported [\d,]+ rows/)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const folder = app.context.config.data_folder
  expect(readdirSync(folder).filter(name => name.startsWith('all.'))).toEqual(['all.headroom'])
})

test('everything is restored: rows, constraints, sequences and pending jobs', async () => {
  const target = await testDatabase('empty')
  const imported = await command(['import', file], { DATABASE_URL: urlOf(target) })
  expect(imported).toMatchObject({ code: 0, stdout: expect.stringContaining('books are right') })
  const rows = await everyRow(source())
  const empty = TABLES.filter(table => !rows[table]?.length)
  // A new table needs a row in full-app.ts.
  expect(empty.length, empty.join()).toBeLessThan(8)
  expect(rows.jobs!.length).toBeGreaterThan(0)
  expect(await everyRow(target)).toEqual(rows)
  expect(await rulesOf(target)).toEqual(await rulesOf(source()))
})

test('row-level security and the books hold after an import', async () => {
  const target = await testDatabase('empty')
  const fromStdin = ['import', '-']
  const env = { DATABASE_URL: urlOf(target) }
  expect((await headroom(fromStdin, env, readFileSync(file))).code).toBe(0)
  expect((await target.query('select id from loans')).rows).toEqual([])
  await seeingAll(target, async client => {
    expect((await client.query('select id from loans')).rows).toHaveLength(LOANS)
    await expect(client.query('update ledger_postings set amount = 1')).rejects.toThrow(
      'append-only',
    )
  })
})

/** False for rows about companies' files, which no older schema has. */
const wasKnown = (row: string) => !/\b(EVIDENCE|company_proposal)\b/.test(row)

/** The value of the only column dropped since the baseline: the lender of a deployment. */
const GONE = JSON.stringify(sandboxLender())

/** An export as a database with these migrations and columns would have written it. */
function writtenAfter(
  path: string,
  migrations: readonly { name: string; hash: string }[],
  columns: Columns,
): Buffer {
  const [head, ...sections] = gunzipSync(readFileSync(path))
    .toString()
    .split(/(?<=\n)(?=\{"(?:section|end)":)/)
  const { tables, ...header } = JSON.parse(head!)
  // Before the baseline, the lender's rows named no partner.
  const older = migrations.at(-1)?.name === BEFORE_BASELINE.name
  const ofThen = tables
    .filter(({ name }: { name: string }) => columns.has(name))
    .map(({ name }: { name: string }) => ({ name, columns: columns.get(name) }))
  const kept = sections.map(section => {
    const [first, ...lines] = section.split('\n')
    const table = tables.find(({ name }: { name: string }) => name === JSON.parse(first!).section)
    if (!table) return section
    if (!columns.has(table.name)) return ''
    const at = columns.get(table.name)!.map(column => table.columns.indexOf(column))
    const partner = older ? table.columns.indexOf('partner_id') : -1
    const value = (n: number, it = GONE) => (n === partner && it === LENDER_ID ? '\\N' : it)
    const cut = (row: string) => at.map(n => value(n, row.split('\t')[n])).join('\t')
    const rows = lines
      .slice(0, -3)
      .filter(wasKnown)
      .map(row => `${cut(row)}\n`)
    const sum = { rows: rows.length, sha256: sha256(rows.join('')) }
    return `${first}\n${rows.join('')}\\.\n${JSON.stringify(sum)}\n`
  })
  const text = [`${JSON.stringify({ ...header, migrations, tables: ofThen })}\n`, ...kept].join('')
  const count = kept.filter(section => section.startsWith('{"section":')).length
  return gzipSync(closed(text.replace(/"sections":\d+/, `"sections":${count}`)))
}

type Columns = ReadonlyMap<string, readonly string[]>

/** Each table's columns as of the baseline migrations, and just before the baseline. */
async function columnsOfOlder(): Promise<{ baseline: Columns; before: Columns }> {
  const pool = await testDatabase('empty')
  const tables = await withConnection(pool, async client => {
    await migrateThrough(client, BASELINE)
    return readExistingTables(client)
  })
  const byTable = (some: readonly Table[]) => new Map(some.map(one => [one.name, one.columns]))
  return { baseline: byTable(tables), before: byTable(olderTables(tables)) }
}

/** Columns added after the baseline that are null in older rows. */
const ADDED_EMPTY = {
  compliance_checks: ['approved_until', 'frozen_at'],
  mails: ['borrower_id', 'revenue_share_id'],
}

test('an export of an older schema is imported and migrated', async () => {
  const past = await fullApp()
  const source = () => past.context.database.pool
  const { id: funding_id } = past.context.database.settings.bank_accounts.FUNDING
  await mergeCash(past)
  await setCashOwner(source(), null)
  const older_file = join(past.context.config.data_folder, 'older.headroom')
  await headroom(['export', older_file], { DATABASE_URL: urlOf(source()) })
  await setCashOwner(source(), funding_id)
  const { rows: applied } = await source().query('select name, hash from migrations order by name')
  const columns = await columnsOfOlder()
  const first = { name: '0001_foundation.sql', hash: '' }
  const kept = async (pool: pg.Pool, of: Columns) => {
    const rows = Object.entries(await everyRow(pool, ADDED_EMPTY))
    return rows
      .filter(([table]) => of.has(table) && table !== 'migrations')
      .map(([table, found]) => [table, found.filter(wasKnown)])
  }
  const { directory: names, ledger_seals: seals } = await everyRow(source())
  // The import verifies these seals, which were computed before the upgrade.
  expect(seals!.length).toBeGreaterThan(LOANS)
  const upToBaseline = applied.slice(0, applied.findIndex(one => one.name === BASELINE) + 1)
  for (const [older, of] of [
    [upToBaseline, columns.baseline],
    [FIRST_HASHES, columns.baseline],
    [[first, BEFORE_BASELINE], columns.before],
  ] as const) {
    const target = await testDatabase('empty')
    const done = await importInto(target, writtenAfter(older_file, older, of))
    expect(done).toMatchObject({ code: 0, stdout: expect.stringContaining('books are right') })
    expect(await kept(target, of)).toEqual(await kept(source(), of))
    // Before the baseline there was no directory.
    expect((await everyRow(target)).directory).toEqual(names)
    expect(await rulesOf(target)).toEqual(await rulesOf(source()))
    const { rows } = await target.query('select name, hash from migrations order by name')
    expect(rows).toEqual(applied)
  }
  const unknown = await importInto(
    await testDatabase('empty'),
    writtenAfter(older_file, [first], columns.before),
  )
  expect(unknown).toMatchObject({ code: 1, stderr: expect.stringContaining('0001_foundation') })
  const newer = await importInto(
    await testDatabase('migrated'),
    writtenAfter(older_file, upToBaseline.slice(0, -1), columns.baseline),
  )
  expect(newer).toMatchObject({ code: 1, stderr: expect.stringContaining('a new database') })
})

/** A changed export, with the hash in its last line corrected. */
function closed(text: string): string {
  const [body, end] = text.split(/(?<=\n)(?=\{"end".*\n$)/) as [string, string]
  return body + end.replace(/"sha256":"\w+"/, `"sha256":"${sha256(body)}"`)
}

const broken: [string, (bytes: Buffer, text: string) => Uint8Array, RegExp][] = [
  ['cut in the middle', bytes => bytes.subarray(0, bytes.length / 2), /unexpected end of file/],
  [
    'without its last line',
    (_, text) => gzipSync(text.replace(/\{"end".*\n$/, '')),
    /ends too early/,
  ],
  [
    'with a row less',
    (_, text) => gzipSync(text.replace(/("loans"\}\n).*\n/, '$1')),
    /loans does not add up/,
  ],
  [
    'with an amount changed',
    (_, text) => gzipSync(text.replace('\t123456\t', '\t123457\t')),
    /does not add up/,
  ],
  [
    'with a status that is none',
    (_, text) => gzipSync(text.replace('FINANCING\tCLOSED\t', 'FINANCING\tLOST\t')),
    /check constraint/,
  ],
  ['with a sum made to fit', (_, text) => gzipSync(refitted(text)), /it does not add up/],
  ['with something behind it', (_, text) => gzipSync(`${text}more\n`), /follows its end/],
  [
    'of another format',
    (_, text) => gzipSync(text.replace('"version":2', '"version":3')),
    /format 3/,
  ],
  [
    'of other migrations',
    (_, text) => gzipSync(text.replace(/"hash":"../, '"hash":"zz')),
    /release that wrote it/,
  ],
  ['that is no export', () => Buffer.from('Once upon a time'), /incorrect header/],
  ['that is empty', () => Buffer.from(''), /ends too early|unexpected end/],
]

/** A changed section with a matching checksum, so that only the closing hash detects the change. */
function refitted(text: string): string {
  return text.replace(/\{"section":"mails"\}\n[\s\S]*?\n\{"rows".*\}\n/, section => {
    const [head] = section.split('\n')
    const none =
      '{"rows":0,"sha256":"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"}'
    return `${head}\n\\.\n${none}\n`
  })
}

test(
  'an altered file is rejected, and none of it is imported',
  async () => {
    const target = await testDatabase('migrated')
    const before = await everyRow(target)
    const bytes = readFileSync(file)
    const text = gunzipSync(bytes).toString()
    for (const [name, damage, message] of broken) {
      const damaged = damage(bytes, text)
      expect(Buffer.compare(damaged, bytes), name).not.toBe(0)
      const done = await importInto(target, damaged)
      expect({ name, code: done.code, out: done.stdout }).toEqual({ name, code: 1, out: '' })
      expect(done.stderr, name).toMatch(message)
      expect(done.stderr, name).toContain('nothing was imported')
      expect(await everyRow(target), name).toEqual(before)
    }
    expect(await rulesOf(target)).toEqual(await rulesOf(await testDatabase('migrated')))
    expect((await importInto(target, bytes)).code).toBe(0)
  },
  MONTHS_MS,
)

test('a database with data or of another mode is refused', async () => {
  const bytes = readFileSync(file)
  const before = await everyRow(source())
  const full = await importInto(source(), bytes)
  expect(full).toMatchObject({ code: 1, stderr: expect.stringContaining('is not empty') })
  expect(await everyRow(source())).toEqual(before)

  const live = await importInto(await testDatabase('empty'), bytes, liveEnvironment())
  expect(live).toMatchObject({ code: 1, stderr: expect.stringContaining('sandbox deployment') })
})

test('a database with a running worker is refused', async () => {
  const target = await testDatabase('migrated')
  const worker = createPresence(target, new AbortController().signal)
  await worker.renew(async () => {})
  const bytes = readFileSync(file)
  const refused = await importInto(target, bytes)
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('stop it first') })
  worker.end()
  const again = async () => (await importInto(target, bytes)).code === 0
  expect(await until(again)).toBe(true)
})

test('a missing file creates no database, and a missing folder no file', async () => {
  const target = await testDatabase('empty')
  const missing = await command(['import', `${file}.gone`], { DATABASE_URL: urlOf(target) })
  expect(missing).toMatchObject({ code: 1, stderr: expect.stringContaining('no such file') })
  const { rows } = await target.query("select from pg_tables where schemaname = 'public'")
  expect(rows).toEqual([])

  const nowhere = await command(['export', `${file}.gone/x`], { DATABASE_URL: urlOf(source()) })
  expect(nowhere).toMatchObject({ code: 1, stderr: expect.stringContaining('no such file') })
})

test('a failed export leaves the previous file', async () => {
  const kept = join(app.context.config.data_folder, 'kept.headroom')
  writeFileSync(kept, 'the one of before')
  const nothing = await command(['export', kept], {
    DATABASE_URL: urlOf(await testDatabase('empty')),
  })
  expect(nothing).toMatchObject({ code: 1, stderr: expect.stringContaining('nothing to export') })
  expect(readFileSync(kept, 'utf8')).toBe('the one of before')
})

test('an export during writes is a consistent snapshot', async () => {
  const borrower = await readyBorrower(app)
  let writing = true
  const writer = async () => {
    let written = 0
    for (; writing; written++) {
      await requestLoan(app, borrower, { amount: 1_000 })
      await app.drain()
    }
    return written
  }
  const writers = Promise.all([writer(), writer()])
  const amid = join(app.context.config.data_folder, 'amid.headroom')
  const done = await headroom(['export', amid], { DATABASE_URL: urlOf(source()) })
  writing = false
  expect(Math.min(...(await writers))).toBeGreaterThan(0)
  expect(done.code).toBe(0)
  // The import verifies the books, which would not balance with half a payout.
  const imported = await importInto(await testDatabase('empty'), readFileSync(amid))
  expect(imported).toMatchObject({ code: 0, stdout: expect.stringContaining('books are right') })
})
