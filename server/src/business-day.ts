/**
 * What a business day does, in order, when it begins in Paris. Each run is set-wise and may be
 * repeated: what is done is found done, so a day that was cut off simply runs again.
 */
import { sql } from 'kysely'
import { forgetSignIns } from './access/index.ts'
import { generateBills, payPartnerShares, sendBills } from './bills/index.ts'
import { lapseMandates } from './borrowers/index.ts'
import { closeCardCycles, lapseAuthorizations } from './cards/index.ts'
import type { Context } from './context.ts'
import { endOverrides, renewLines } from './credit-lines/index.ts'
import { transaction } from './db/transaction.ts'
import { addDays, type Day, startOfDay } from './kit/dates.ts'
import { type ProblemError, problem } from './kit/problem.ts'
import { reviewLateness, tellFallenDue } from './lateness/index.ts'
import { expireHeldLoans, payDuePayouts, releaseRevocable } from './loans/index.ts'
import { instructDuePayments, payProcessor, returnOldSuspense } from './payments/index.ts'
import { closeDay } from './portfolio/index.ts'
import { followPlans, payRecollectionFees } from './recollection/index.ts'
import { shareRevenue } from './referrers/index.ts'
import { chargeFees } from './subscriptions/index.ts'
import { verifyBooks } from './verify.ts'

/** Does a day's work and answers how much there was. */
type Run = (context: Context, today: Day) => Promise<number>

const RUNS: readonly Run[] = [
  ({ database }, today) => closeDay(database, addDays(today, -1)),
  ({ database }, today) => tellFallenDue(database, today),
  askBank,
  ({ database }, today) => lapseMandates(database, today),
  ({ database }, today) => releaseRevocable(database, today),
  ({ database }, today) => endOverrides(database, today),
  ({ database }, today) => renewLines(database, today),
  ({ database }) => reviewLateness(database),
  ({ database }, today) => expireHeldLoans(database, today),
  payProcessor,
  ({ database }, today) => payDuePayouts(database, today),
  ({ database }, today) => lapseAuthorizations(database, today),
  ({ database }, today) => closeCardCycles(database, today),
  ({ database }, today) => startMonth(database, today),
  ({ database }, today) => sendBills(database, today),
  ({ database }, today) => shareRevenue(database, today),
  ({ database }, today) => chargeFees(database, today),
  ({ database }, today) => payPartnerShares(database, today),
  ({ database }, today) => payRecollectionFees(database, today),
  ({ database }, today) => followPlans(database, today),
  ({ database }, today) => instructDuePayments(database, today),
  ({ database }, today) => returnOldSuspense(database, today),
  ({ database }) => forgetSignIns(database),
  askBank,
]

/** The bank does what falls due; its news are booked before the next run looks. */
async function askBank({ ports, worker }: Context, today: Day): Promise<number> {
  await ports.bank.tick(today)
  return worker.drain()
}

/** Bills are generated on the 1st; a repeat finds them there. */
async function startMonth(database: Context['database'], today: Day): Promise<number> {
  return today.endsWith('-01') ? generateBills(database, today) : 0
}

/** Proves the books once a night; what is wrong is for people to see at once. */
async function verifyAtNight({ database, log }: Context): Promise<void> {
  const report = await verifyBooks(database)
  if (report.findings.length > 0) log.fatal({ findings: report.findings }, 'the books are wrong')
}

const LOCK = 7_320_003

const LOCK_LOOK_MS = 50

/** Waits for its turn in this process; one connection at most waits for other processes. */
const turns = new WeakMap<Context, Promise<unknown>>()

/**
 * One at a time turns the day, over all processes; the lock goes with its connection. Null when the
 * process is to end before its turn has come.
 */
function alone<T>(context: Context, work: () => Promise<T>): Promise<T | null> {
  const before = turns.get(context) ?? Promise.resolve()
  const turn = before.then(() => underLock(context, work))
  turns.set(
    context,
    turn.catch(() => {}),
  )
  return turn
}

async function underLock<T>(
  { database, stopping }: Context,
  work: () => Promise<T>,
): Promise<T | null> {
  const client = await database.pool.connect()
  try {
    for (;;) {
      if (stopping.signal.aborted) return null
      const { rows } = await client.query('select pg_try_advisory_lock($1) as got', [LOCK])
      if (rows[0].got) break
      await new Promise(resolve => setTimeout(resolve, LOCK_LOOK_MS))
    }
    return await work()
  } finally {
    await client.query('select pg_advisory_unlock_all()').catch(() => {})
    client.release()
  }
}

/**
 * Runs a day and notes it as finished; answers how many runs and jobs that took. A run that fails
 * does not keep the others from theirs: the day is left unfinished and runs again, as it does when
 * the process is to end.
 */
async function runDay(context: Context, day: Day): Promise<number> {
  const { signal } = context.stopping
  let count = await context.worker.drain()
  const failures: unknown[] = []
  const fail = (error: unknown) => {
    context.log.error({ err: error, day }, 'a run of the business day failed')
    failures.push(error)
    // What it has done before gives rise to jobs all the same.
    return 1
  }
  for (const run of RUNS) {
    if (signal.aborted) return count
    const done = await run(context, day).catch(fail)
    count += 1 + (done > 0 ? await context.worker.drain().catch(fail) : 0)
  }
  if (failures.length > 0) throw new AggregateError(failures, `business day ${day} is unfinished`)
  if (signal.aborted) return count
  await transaction(context.database, { partners: '*' }, async tx => {
    await tx.run(sql`insert into business_days (business_date) values (${day})
      on conflict do nothing`)
  })
  return count
}

async function moment({ database }: Context): Promise<Date> {
  return transaction(database, { partners: '*', read_only: true }, async tx => tx.now)
}

async function today({ database }: Context): Promise<Day> {
  return transaction(database, { partners: '*', read_only: true }, async tx => tx.today)
}

/** The day whose runs are all finished, or null before the first. */
async function lastDay({ database }: Context): Promise<Day | null> {
  return transaction(database, { partners: '*', read_only: true }, async tx => {
    const { last } = await tx.one(sql<{ last: Day | null }>`
      select max(business_date) as last from business_days`)
    return last
  })
}

/** Runs today, and before it whatever days were missed while nothing ran; answers the work. */
export async function runBusinessDay(context: Context): Promise<number> {
  const day = await today(context)
  if ((await lastDay(context)) === day) return 0
  const count = await alone(context, () => catchUp(context, day))
  if (context.stopping.signal.aborted) return 0
  await verifyAtNight(context)
  return count ?? 0
}

async function catchUp(context: Context, day: Day): Promise<number> {
  const last = await lastDay(context)
  let count = 0
  for (let next = last ? addDays(last, 1) : day; next <= day; next = addDays(next, 1)) {
    if (context.stopping.signal.aborted) break
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
 * Moves a sandbox's clock, day by day: each day's runs and the jobs they cause are finished before
 * the next day begins. `targetOf` says where to from now, and throws when that is not forward.
 * At its end the books are proven. Throws `not_ready` when the process is to end on the way; the
 * days that are done stay done.
 */
export async function advanceClock(
  context: Context,
  targetOf: (now: Date) => Date,
  prove: (context: Context) => Promise<void> = verifyAtNight,
): Promise<Advanced> {
  const advanced = await alone(context, async () => {
    const target = targetOf(await moment(context))
    let jobs_run = await context.worker.drain()
    for (;;) {
      const day = await today(context)
      jobs_run += await catchUp(context, day)
      if (context.stopping.signal.aborted) throw interrupted()
      const next = startOfDay(addDays(day, 1))
      if (next > target) break
      await setClock(context, next)
    }
    await setClock(context, target)
    jobs_run += await context.worker.drain()
    if (context.stopping.signal.aborted) throw interrupted()
    // A year of nights would be a year of full reads: only where the walk ends.
    await prove(context)
    return transaction(context.database, { partners: '*', read_only: true }, async tx => ({
      now: tx.now,
      business_date: tx.today,
      jobs_run,
    }))
  })
  if (!advanced) throw interrupted()
  return advanced
}

function interrupted(): ProblemError {
  const detail = 'The server is stopping: the clock has not come as far as was asked.'
  return problem('not_ready', detail, { retry_after_seconds: 2 })
}

async function setClock({ database }: Context, to: Date): Promise<void> {
  await transaction(database, { partners: '*' }, async tx => {
    await tx.run(sql`
      update deployment set clock_offset_ms = greatest(clock_offset_ms,
        ${BigInt(to.getTime() - Date.now())}::bigint)`)
  })
}
