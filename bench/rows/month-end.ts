/**
 * Measures the month-end run: copies a borrower with ten active loans until there is one for each
 * line, then bills and posts them all. The time is compared with that of a bare INSERT … SELECT of
 * the rows that the run wrote, with primary and foreign keys added afterwards.
 */
import { execFileSync } from 'node:child_process'
import { createLog, openApp } from '../../server/src/app.ts'
import { readConfig } from '../../server/src/config.ts'
import { generateBills } from '../../server/src/credit/bills/index.ts'
import * as banks from '../../server/src/integrations/adapters/index.ts'
import { readLenderFile } from '../../server/src/integrations/lender/index.ts'
import { type Database, type Tx, transaction } from '../../server/src/platform/db/transaction.ts'
import { type Day, day, momentOf } from '../../server/src/platform/kit/dates.ts'
import { createBorrowers } from '../borrowers.ts'
import { copyBorrower } from '../copy-borrower.ts'
import type { Options } from '../options.ts'
import { median, type Row } from '../report.ts'
import { dataFolder, startService } from '../service.ts'

const LOANS_EACH = 10
const LOAN_CENTS = 100_000
const LOAN_DAYS = 45

export async function measureMonthEnd(
  options: Options,
  say: (line: string) => void,
): Promise<Row[]> {
  const seed = dataFolder()
  try {
    const first = await lendOnce(seed.path)
    const found: Found[] = []
    for (let n = 0; n < options.repetitions; n++) {
      const folder = dataFolder()
      try {
        // Keeps owner and permissions, which PostgreSQL checks at start.
        execFileSync('cp', ['-a', `${seed.path}/.`, folder.path])
        found.push(await billOnce(folder.path, first, options.lines))
      } finally {
        folder.remove()
      }
      const { ours_s, bare_s } = found.at(-1)!
      say(`${ours_s.toFixed(1)} s, bare ${bare_s.toFixed(1)} s`)
    }
    return [rowOf(found, options.lines)]
  } finally {
    seed.remove()
  }
}

interface Found {
  readonly bills: number
  readonly rows: number
  readonly ours_s: number
  readonly bare_s: number
  /** Includes inserting the new versions of the loans, which the run writes by an update. */
  readonly bare_with_loans_s: number
}

function rowOf(found: readonly Found[], borrowers: number): Row {
  const { bills, rows } = found[0]!
  const seconds = (side: 'ours_s' | 'bare_s') => median(found.map(f => f[side])).toFixed(1)
  const withLoans = median(found.map(f => f.ours_s / f.bare_with_loans_s)).toFixed(2)
  const loans = (borrowers * LOANS_EACH).toLocaleString('en')
  return {
    work: `month-end of ${loans} loans`,
    value: median(found.map(f => f.ours_s / f.bare_s)),
    unit: '×',
    better: 'less',
    first_bar: 3,
    goal: 1.3,
    text: [
      `${seconds('ours_s')} s, bare ${seconds('bare_s')} s; ${bills} bills, ${rows} rows`,
      `${withLoans} × with the loans' new versions among them`,
    ].join('; '),
    details: { found },
  }
}

/** Creates a borrower with loans paid out early in a month; returns the first of the next month. */
async function lendOnce(folder: string): Promise<Day> {
  const service = await startService(folder, 'serve')
  const { client } = service
  try {
    const now = new Date((await client.getSandboxClock()).business_date)
    const dayOf = (months: number, date: number) =>
      day(
        new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months, date))
          .toISOString()
          .slice(0, 10),
      )
    await client.advanceSandboxClock({ to: dayOf(1, 3) })
    const [borrower] = await createBorrowers(client, 1)
    const input = {
      loan_type: 'WALLET_FINANCING' as const,
      amount: LOAN_CENTS,
      borrower: { identifier: borrower!.identifier },
      loan_to: { account_number: borrower!.account_number },
      to_pay_at: dayOf(1, 3),
      to_repay_at: dayOf(1, 3 + LOAN_DAYS),
      auto_validate: true,
      wait_for_validation: true,
    }
    for (let n = 0; n < LOANS_EACH; n++) {
      await client.createLoan({ ...input, salt_id: crypto.randomUUID() })
    }
    await client.advanceSandboxClock({ to: dayOf(2, 0) })
    const { data } = await client.listLoans({ status: ['TO_REPAY'] })
    if (data.length !== LOANS_EACH) throw new Error(`${data.length} loans run, not ${LOANS_EACH}`)
    return dayOf(2, 1)
  } finally {
    await service.stop()
  }
}

/** Opens a copy of the folder, copies the borrower and runs the month-end billing on `first`. */
async function billOnce(folder: string, first: Day, borrowers: number): Promise<Found> {
  const config = readConfig({ HEADROOM_DATA: folder, HEADROOM_LOG: 'error' }, banks, readLenderFile)
  const { context, close } = await openApp(config, createLog(config))
  const { database } = context
  try {
    await copyBorrower(database, borrowers - 1)
    const offset = momentOf(first, 1).getTime() - Date.now()
    await database.pool.query('update deployment set clock_offset_ms = $1', [offset])
    await database.pool.query('vacuum analyze')
    await database.pool.query('checkpoint').catch(() => {})
    const before = await lastTransaction(database)
    const began = performance.now()
    const bills = await generateBills(database, first)
    const ours_s = (performance.now() - began) / 1000
    return { bills, ours_s, ...(await bareInsert(database, before)) }
  } finally {
    await close()
  }
}

async function lastTransaction({ pool }: Database): Promise<string> {
  return (await pool.query('select pg_current_xact_id()::text as id')).rows[0].id
}

/**
 * Times inserting the rows written since transaction `before` into empty tables, and adding their
 * keys. The run updates loans instead of inserting them, so their copy is timed separately.
 */
async function bareInsert(database: Database, before: string) {
  const fresh = `xmin::text::bigint > ${BigInt(before)}`
  return transaction(database, { partners: '*', actor: 'service' }, async tx => {
    const { rows: tables } = await tx.raw(`select relname as name from pg_class
      where relnamespace = 'public'::regnamespace and relkind = 'r'
        and relname not in ('loans', 'deployment')`)
    await tx.raw('create schema bare')
    let rows = 0
    let ms = 0
    for (const { name } of tables) {
      const copied = await copyBare(tx, name, fresh)
      ms += copied.ms
      rows += copied.rows
    }
    const loans = await copyBare(tx, 'loans', fresh)
    return { rows, bare_s: ms / 1000, bare_with_loans_s: (ms + loans.ms) / 1000 }
  })
}

async function copyBare(tx: Tx, name: string, fresh: string) {
  await tx.raw(`create table bare.${name} (like public.${name})`)
  const began = performance.now()
  const { rowCount } = await tx.raw(
    `insert into bare.${name} select * from public.${name} where ${fresh}`,
  )
  if (!rowCount) return { rows: 0, ms: 0 }
  const { rows: keys } = await tx.raw(`select pg_get_constraintdef(oid) as key
    from pg_constraint where conrelid = 'public.${name}'::regclass and contype in ('p', 'f')
    order by contype desc`)
  for (const { key } of keys) await tx.raw(`alter table bare.${name} add ${key}`)
  return { rows: rowCount, ms: performance.now() - began }
}
