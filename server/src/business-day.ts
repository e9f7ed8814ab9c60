/**
 * Turns the business day when it begins in Paris, and days that were missed before it, each after
 * the one before is finished. What cannot be finished is shown to people and tried again.
 */
import { sql } from 'kysely'
import { clearAlert, raiseAlert } from './alerts/index.ts'
import type { Context } from './context.ts'
import { RUNS } from './day-runs.ts'
import { transaction } from './db/transaction.ts'
import { addDays, type Day, startOfDay } from './kit/dates.ts'
import { type ProblemError, problem } from './kit/problem.ts'
import { verifyBooks } from './verify.ts'

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

/** The runs of a day that this process has still to do; without a note of it, all of them. */
const undone = new WeakMap<Context, { readonly day: Day; readonly runs: Set<string> }>()

function runsToDo(context: Context, day: Day): Set<string> {
  const known = undone.get(context)
  if (known?.day === day) return known.runs
  const runs = new Set(Object.keys(RUNS))
  undone.set(context, { day, runs })
  return runs
}

/**
 * Runs a day and notes it as finished; answers how many runs and jobs that took. A run that fails
 * does not keep the others from theirs: the day is left unfinished and what failed runs again, as
 * all does when the process is to end. What has come after it then looks once more: it may find
 * more to do.
 */
async function runDay(context: Context, day: Day): Promise<number> {
  const { signal } = context.stopping
  const to_do = runsToDo(context, day)
  let count = await context.worker.drain()
  const failures: Failure[] = []
  for (const [index, [name, run]] of Object.entries(RUNS).entries()) {
    if (signal.aborted) return count
    if (!to_do.has(name)) continue
    const failed = failures.length
    const fail = (error: unknown) => {
      context.log.error({ err: error, day, run: name }, 'a run of the business day failed')
      failures.push({ name, error })
      // What it has done before gives rise to jobs all the same.
      return 1
    }
    const done = await run(context, day).catch(fail)
    count += 1 + (done > 0 ? await context.worker.drain().catch(fail) : 0)
    if (failures.length > failed) continue
    to_do.delete(name)
    for (const later of Object.keys(RUNS).slice(index + 1)) to_do.add(later)
  }
  if (signal.aborted) return count
  if (failures.length > 0) {
    await tellUnfinished(context, day, failures)
    const errors = failures.map(failure => failure.error)
    throw new AggregateError(errors, `business day ${day} is unfinished`)
  }
  await noteFinished(context, day)
  return count
}

interface Failure {
  readonly name: string
  readonly error: unknown
}

const DETAIL_MAX = 500

/** People see which runs fail, for as long as they do. */
async function tellUnfinished(
  { database }: Context,
  day: Day,
  failures: readonly Failure[],
): Promise<void> {
  const said = failures.map(({ name, error }) => `${name} (${reasonOf(error)})`).join('; ')
  await transaction(database, { partners: '*' }, async tx => {
    await tx.run(sql`insert into business_days (id, business_date) values (${tx.newId()}, ${day})
      on conflict (business_date) do nothing`)
    const { id } = await tx.one(sql<{ id: string }>`
      select id from business_days where business_date = ${day}`)
    const detail = `${day} is not done, and later days wait for it: ${said}`
    await raiseAlert(tx, 'day_unfinished', id, detail.slice(0, DETAIL_MAX))
  })
}

/** Of many, the first one's. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return `${error.message}: ${reasonOf(error.errors[0])}`
  return error instanceof Error ? error.message : String(error)
}

async function noteFinished(context: Context, day: Day): Promise<void> {
  await transaction(context.database, { partners: '*' }, async tx => {
    const { id } = await tx.one(sql<{ id: string }>`
      insert into business_days (id, business_date, finished_at)
      values (${tx.newId()}, ${day}, now())
      on conflict (business_date) do update set finished_at = excluded.finished_at returning id`)
    await clearAlert(tx, 'day_unfinished', id)
  })
  undone.delete(context)
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
      select max(business_date) as last from business_days where finished_at is not null`)
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
