/**
 * What a business day does, in order, when it begins in Paris. Each run is set-wise, may be
 * repeated, and is noted when finished, so a restart goes on where it stopped.
 */
import { sql } from 'kysely'
import { generateBills, sendBills } from './bills/index.ts'
import type { Context } from './context.ts'
import { type Tx, transaction } from './db/transaction.ts'
import { addDays, type Day, startOfDay } from './kit/dates.ts'
import { expireHeldLoans, payDuePayouts, releaseRevocable } from './loans/index.ts'
import { instructDuePayments } from './payments/index.ts'
import { verifyBooks } from './verify.ts'

type Run = (context: Context, today: Day) => Promise<unknown>

/** Names are kept in the database: rename one only with a migration. */
const RUNS: readonly { name: string; run: Run }[] = [
  { name: 'bank_before', run: ({ ports }, today) => ports.bank.tick(today) },
  { name: 'release_revocable', run: ({ database }, today) => releaseRevocable(database, today) },
  { name: 'expire_held_loans', run: ({ database }, today) => expireHeldLoans(database, today) },
  { name: 'pay_due_payouts', run: ({ database }, today) => payDuePayouts(database, today) },
  { name: 'generate_bills', run: ({ database }, today) => monthStart(database, today) },
  { name: 'send_bills', run: ({ database }, today) => sendBills(database, today) },
  { name: 'due_payments', run: ({ database }, today) => instructDuePayments(database, today) },
  { name: 'bank_after', run: ({ ports }, today) => ports.bank.tick(today) },
]

/** Only the last day of a walk is verified: a year of nights would be a year of full reads. */
const NIGHTLY = { name: 'verify', run: nightlyVerify }

/** Bills are generated from the 1st until the month's first sending; a repeat finds them done. */
async function monthStart(database: Context['database'], today: Day): Promise<number> {
  return today.endsWith('-01') ? generateBills(database, today) : 0
}

async function nightlyVerify({ database, log }: Context): Promise<void> {
  const report = await verifyBooks(database)
  if (report.findings.length > 0) log.fatal({ findings: report.findings }, 'the books are wrong')
}

const LOCK = 7_320_003

/** One process at a time turns the day; the lock goes with its connection. */
async function alone<T>({ database }: Context, work: () => Promise<T>): Promise<T> {
  const client = await database.pool.connect()
  try {
    await client.query('select pg_advisory_lock($1)', [LOCK])
    return await work()
  } finally {
    await client.query('select pg_advisory_unlock($1)', [LOCK]).catch(() => {})
    client.release()
  }
}

async function finished(tx: Tx, day: Day): Promise<Set<string>> {
  const rows = await tx.all(sql<{ run: string }>`
    select run from day_runs where business_date = ${day}`)
  return new Set(rows.map(r => r.run))
}

/** Runs what a day still has to do; answers how many runs. */
async function runDay(context: Context, day: Day, runs = RUNS): Promise<number> {
  const all = { partners: '*' } as const
  const done = await transaction(context.database, { ...all, read_only: true }, tx =>
    finished(tx, day),
  )
  let count = 0
  for (const { name, run } of runs) {
    if (done.has(name)) continue
    await run(context, day)
    count += 1 + (await context.worker.drain())
    await transaction(context.database, all, async tx => {
      await tx.run(sql`insert into day_runs (business_date, run) values (${day}, ${name})
        on conflict do nothing`)
    })
  }
  return count
}

async function today({ database }: Context): Promise<Day> {
  return transaction(database, { partners: '*', read_only: true }, async tx => tx.today)
}

/** The day whose runs are all finished, or null before the first. */
async function lastDay({ database }: Context): Promise<Day | null> {
  return transaction(database, { partners: '*', read_only: true }, async tx => {
    const { last } = await tx.one(sql<{ last: Day | null }>`
      select max(business_date) as last from day_runs where run = 'bank_after'`)
    return last
  })
}

/** Runs today, and before it whatever days were missed while nothing ran. Answers runs made. */
export async function runBusinessDay(context: Context): Promise<number> {
  const day = await today(context)
  if ((await lastDay(context)) === day) return 0
  return alone(context, () => catchUp(context, day))
}

async function catchUp(context: Context, day: Day): Promise<number> {
  const last = await lastDay(context)
  let count = 0
  for (let next = last ? addDays(last, 1) : day; next <= day; next = addDays(next, 1)) {
    count += await runDay(context, next)
  }
  return count
}

export interface Advanced {
  now: Date
  business_date: Day
  jobs_run: number
}

/**
 * Moves a sandbox's clock to `target`, day by day: each day's runs and the jobs they cause are
 * finished before the next day begins. The caller has checked that it goes forward.
 */
export async function advanceClock(context: Context, target: Date): Promise<Advanced> {
  return alone(context, async () => {
    let jobs_run = await context.worker.drain()
    for (;;) {
      const day = await today(context)
      jobs_run += await catchUp(context, day)
      const next = startOfDay(addDays(day, 1))
      if (next > target) break
      await setClock(context, next)
    }
    await setClock(context, target)
    jobs_run += await context.worker.drain()
    await runDay(context, await today(context), [NIGHTLY])
    return transaction(context.database, { partners: '*', read_only: true }, async tx => ({
      now: tx.now,
      business_date: tx.today,
      jobs_run,
    }))
  })
}

async function setClock({ database }: Context, to: Date): Promise<void> {
  await transaction(database, { partners: '*' }, async tx => {
    await tx.run(sql`
      update deployment set clock_offset_ms = greatest(clock_offset_ms,
        ${BigInt(to.getTime() - Date.now())}::bigint)`)
  })
}
