/**
 * Runs the business day when it begins in Paris. Missed days run first, one after the other. A day
 * that cannot be finished raises an alert and is retried.
 */
import { sql } from 'kysely'
import type { Context } from '../../context.ts'
import { expireDecisions } from '../../partners/decisions/index.ts'
import { clearAlert, raiseAlert } from '../../platform/alerts/index.ts'
import { LOCKS } from '../../platform/db/locks.ts'
import { type SessionLock, withSessionLock } from '../../platform/db/session-lock.ts'
import { runPaged } from '../../platform/db/slices.ts'
import { transaction } from '../../platform/db/transaction.ts'
import { withCause } from '../../platform/jobs/index.ts'
import { addDays, type Day, parisDay, startOfDay } from '../../platform/kit/dates.ts'
import { FairTurns } from '../../platform/kit/fair-turns.ts'
import { perObject } from '../../platform/kit/per-object.ts'
import { type ProblemError, problem } from '../../platform/kit/problem.ts'
import { requester } from '../../platform/kit/requester.ts'
import { DayOutlook } from './day-outlook.ts'
import { type DayRun, RUNS, VERIFICATION } from './day-runs.ts'

const LOCK = LOCKS.business_day

const EACH_WAITING_MAX = 100
/** The owner under which the worker takes turns for its own business days. */
const SERVICE = 'service'

/** Turns within this process, so that at most one of its sessions waits for the lock. */
const turnsOf = perObject(
  (_: Context) => new FairTurns({ at_once: 1, each_waiting: EACH_WAITING_MAX }),
)

/**
 * Runs `work` while holding a lock across all processes, which is released if its session ends. The
 * jobs of `work` count as caused at the moment it starts, so that draining the queue waits for
 * them, but not for jobs of later requests. Partners take turns. Returns null if this process shuts
 * down before the turn comes. Throws the abort reason if the requester disconnects before then, and
 * `not_ready` if the requester has too many calls waiting.
 */
async function alone<T>(
  context: Context,
  work: (lock: SessionLock) => Promise<T>,
): Promise<T | null> {
  const { database, queue, stopping } = context
  const { owner = SERVICE, left } = requester() ?? {}
  const signal = left ? AbortSignal.any([stopping.signal, left]) : stopping.signal
  const caused = async (lock: SessionLock) => withCause(await queue.moment(), () => work(lock))
  const locked = () => withSessionLock(database.pool, LOCK, signal, caused)
  if (stopping.signal.aborted) return null
  try {
    const worked = await turnsOf(context).run(owner, locked, { signal })
    if (worked === null && !stopping.signal.aborted) left?.throwIfAborted()
    return worked
  } catch (error) {
    if (stopping.signal.aborted && error === stopping.signal.reason) return null
    throw error
  }
}

/** The runs of a day that this process still has to do. Without an entry, all of them. */
const remainingRuns = new WeakMap<Context, { readonly day: Day; readonly runs: Set<string> }>()

function runsToDo(context: Context, day: Day): Set<string> {
  const known = remainingRuns.get(context)
  if (known?.day === day) return known.runs
  const runs = new Set(Object.keys(RUNS))
  remainingRuns.set(context, { day, runs })
  return runs
}

/**
 * Runs a day and marks it finished; returns the number of runs and jobs. A failed run does not stop
 * the others, but the day stays unfinished and the failures are thrown. The next attempt repeats
 * the failed run and, once it succeeds, the runs after it, because it may have created work for
 * them. After a restart, all runs are repeated. The books are verified at the end only if
 * `verifies`.
 */
async function runDay(
  context: Context,
  day: Day,
  lock: SessionLock,
  verifies: boolean,
): Promise<number> {
  const { signal } = context.stopping
  const to_do = runsToDo(context, day)
  let count = await context.worker.drain()
  const failures: Failure[] = []
  const outlook = new DayOutlook(context, day)
  for (const [index, [name, run]] of Object.entries(RUNS).entries()) {
    if (signal.aborted) return count
    if (!to_do.has(name) || (name === VERIFICATION && !verifies)) continue
    await lock.check()
    if (await outlook.isIdle(name)) {
      count += 1
      to_do.delete(name)
      continue
    }
    const failed = failures.length
    const fail = (error: unknown) => {
      context.log.error({ err: error, day, run: name }, 'a run of the business day failed')
      failures.push({ name, error })
      // Jobs enqueued before the failure still have to run.
      return 1
    }
    const done = await workOf(run, context, day).catch(fail)
    outlook.note(run, done)
    count += 1 + (done > 0 ? await context.worker.drain().catch(fail) : 0)
    if (failures.length > failed) continue
    to_do.delete(name)
    for (const later of Object.keys(RUNS).slice(index + 1)) to_do.add(later)
  }
  if (signal.aborted) return count
  await lock.check()
  if (failures.length > 0) {
    await alertUnfinished(context, day, failures)
    const errors = failures.map(failure => failure.error)
    throw new AggregateError(errors, `business day ${day} is unfinished`)
  }
  await noteFinished(context, day)
  return count
}

function workOf(run: DayRun, context: Context, day: Day): Promise<number> {
  return 'pages' in run ? runPaged(context.database, run.pages(day)) : run.work(context, day)
}

interface Failure {
  readonly name: string
  readonly error: unknown
}

const DETAIL_MAX = 500

/** Raises an alert that names the failed runs; `noteFinished` clears it. */
async function alertUnfinished(
  { database }: Context,
  day: Day,
  failures: readonly Failure[],
): Promise<void> {
  const reasons = failures.map(({ name, error }) => `${name} (${reasonOf(error)})`).join('; ')
  await transaction(database, { partners: '*', actor: 'service' }, async tx => {
    await tx.run(sql`insert into business_days (id, business_date) values (${tx.newId()}, ${day})
      on conflict (business_date) do nothing`)
    const { id } = await tx.one(sql<{ id: string }>`
      select id from business_days where business_date = ${day}`)
    const detail = `${day} is not done, and later days wait for it: ${reasons}`
    await raiseAlert(tx, 'day_unfinished', id, detail.slice(0, DETAIL_MAX))
  })
}

/**
 * The message of an error; that of an AggregateError is followed by the message of its first error.
 */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return `${error.message}: ${reasonOf(error.errors[0])}`
  return error instanceof Error ? error.message : String(error)
}

async function noteFinished(context: Context, day: Day): Promise<void> {
  await transaction(context.database, { partners: '*', actor: 'service' }, async tx => {
    const { id } = await tx.one(sql<{ id: string }>`
      insert into business_days (id, business_date, finished_at)
      values (${tx.newId()}, ${day}, now())
      on conflict (business_date) do update set finished_at = excluded.finished_at returning id`)
    await clearAlert(tx, 'day_unfinished', id)
  })
  remainingRuns.delete(context)
}

function moment({ database }: Context): Promise<Date> {
  return transaction(database, { partners: '*', read_only: true }, async tx => tx.now)
}

interface DayProgress {
  readonly day: Day
  /** The last day whose runs are all finished; null before the first. */
  readonly last: Day | null
}

async function readDayProgress({ database }: Context): Promise<DayProgress> {
  return transaction(database, { partners: '*', read_only: true }, async tx => {
    const { last } = await tx.one(sql<{ last: Day | null }>`
      select max(business_date) as last from business_days where finished_at is not null`)
    return { day: tx.today, last }
  })
}

/** Runs today and any missed days before it; returns the number of runs and jobs. */
export async function runBusinessDay(context: Context): Promise<number> {
  const { day, last } = await readDayProgress(context)
  if (last === day) return 0
  const worked = await alone(context, async lock => {
    // The previous holder of the lock may already have done part of the work.
    return catchUp(context, await readDayProgress(context), lock, true)
  })
  return worked ?? 0
}

/**
 * Runs the days after the last finished one up to `day`, and then verifies the books if `verifies`.
 */
async function catchUp(
  context: Context,
  { day, last }: DayProgress,
  lock: SessionLock,
  verifies: boolean,
): Promise<number> {
  let count = 0
  for (let next = last ? addDays(last, 1) : day; next <= day; next = addDays(next, 1)) {
    if (context.stopping.signal.aborted) break
    count += await runDay(context, next, lock, verifies && next === day)
  }
  return count
}

export interface ClockResult {
  now: Date
  business_date: Day
  jobs_run: number
}

/**
 * Advances a sandbox's clock day by day: each day's runs and jobs finish before the next day
 * begins. `targetOf` returns the target time, or throws to refuse the move. The last day verifies
 * the books, unless `verify` does so at the end. If the requester disconnects before its turn, the
 * clock does not move; once begun, the move continues. Throws `not_ready` if the process shuts down
 * meanwhile; finished days stay finished.
 */
export async function advanceClock(
  context: Context,
  targetOf: (now: Date) => Date,
  verify?: (context: Context) => Promise<void>,
): Promise<ClockResult> {
  const advanced = await alone(context, async lock => {
    const target = targetOf(await moment(context))
    let jobs_run = await context.worker.drain()
    let stand = await readDayProgress(context)
    for (;;) {
      const { day } = stand
      const next = startOfDay(addDays(day, 1))
      // Verification reads all the books, so it runs only on the last day.
      jobs_run += await catchUp(context, stand, lock, !verify && next > target)
      if (context.stopping.signal.aborted) throw interrupted()
      if (next > target) break
      await lock.check()
      stand = { day: parisDay(await setClock(context, next)), last: day }
    }
    await lock.check()
    await setClock(context, target)
    await endProposals(context)
    jobs_run += await context.worker.drain()
    if (context.stopping.signal.aborted) throw interrupted()
    await verify?.(context)
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
  const detail = 'The server stopped before the clock reached that time. Send the request again.'
  return problem('not_ready', detail, { retry_after_seconds: 2 })
}

/** Expires decisions. A failure is only logged, because the gate checks the expiry time itself. */
export async function endProposals({ database, log }: Context): Promise<void> {
  await runPaged(database, expireDecisions()).catch(error => {
    log.error({ err: error }, 'proposals were not ended')
  })
}

/** Sets the clock, never backwards; returns the resulting time. */
function setClock({ database }: Context, to: Date): Promise<Date> {
  return transaction(database, { partners: '*', actor: 'service' }, async tx => {
    const { offset_ms } = await tx.one(sql<{ offset_ms: bigint }>`
      update deployment set clock_offset_ms = greatest(clock_offset_ms,
        ${BigInt(to.getTime() - Date.now())}::bigint)
      returning clock_offset_ms as offset_ms`)
    return new Date(Date.now() + Number(offset_ms))
  })
}
