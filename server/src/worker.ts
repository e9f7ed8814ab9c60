/**
 * The worker: runs jobs, delivers webhooks, runs business days and does upkeep, each in a separate
 * loop. `wake` starts the next turn of the loops with new jobs or events at once. Idle loops for
 * jobs, events and webhooks poll every half second, slowing to every two seconds, to find retries
 * and work of other processes.
 */
import { endProposals, runBusinessDay } from './back-office/business-days/index.ts'
import { sealAudit } from './back-office/operations/index.ts'
import type { Context, Worker } from './context.ts'
import { deleteOldAnswers } from './entrypoints/http/idempotency.ts'
import { jobHandlers } from './job-handlers.ts'
import { deliverDue, placeEvents, publishEvents } from './partners/webhooks/index.ts'
import { deleteOldSignIns } from './platform/access/index.ts'
import { transaction } from './platform/db/transaction.ts'
import { unavailabilityOf } from './platform/db/unavailable.ts'
import {
  causeOfWork,
  createPresence,
  type JobHandlers,
  type JobName,
  type Presence,
} from './platform/jobs/index.ts'
import { parisDay } from './platform/kit/dates.ts'
import { createFailureLog } from './platform/kit/failure-log.ts'
import { sealEntries } from './platform/ledger/index.ts'

const POLL_MS = 500
/** An idle loop doubles its wait each time, up to this. */
const POLL_MS_MAX = 2_000
const FEED_PAUSE_MS = 50
const DRAIN_POLL_MS = 10
/** A drain doubles its polling interval each time, up to this. */
const DRAIN_LOOK_MS_MAX = 100
/** How long a drain waits for jobs that run elsewhere or wait for a retry. */
const DRAIN_IDLE_MS_MAX = 20_000
const DAY_EVERY_MS = 1000
const SEAL_EVERY_MS = 2000
/** Each turn seals at most one slice per table, so a backlog takes several turns. */
const SEAL_AUDIT_EVERY_MS = 2000
const RESCUE_EVERY_MS = 2_000
/** Also the time that a received file must stay unchanged before it is read. */
const BANK_FILES_EVERY_MS = 60_000
const FORGET_EVERY_MS = 3_600_000

const JOB_NAMES = Object.keys(jobHandlers) as JobName[]
const loopOf = (name: JobName) => {
  const handler: JobHandlers<Context>[JobName] = jobHandlers[name]
  return ('loop' in handler && handler.loop) || 'money'
}
const jobsIn = (loop: 'papers' | 'mails' | 'money') =>
  JOB_NAMES.filter(name => loopOf(name) === loop)
/** Documents and mails have loops of their own, so that payments do not wait for them. */
const PAPER_JOBS = jobsIn('papers')
const MAIL_JOBS = jobsIn('mails')
const MONEY_JOBS = jobsIn('money')

type Wakers = Set<() => void>

interface Loop {
  readonly name: string
  /** Does one turn and returns how much it did; above 0, the next turn starts at once. */
  readonly turn: () => Promise<number>
  readonly every_ms: number
  /** Functions that end the wait between turns: called for new work, and at shutdown. */
  readonly woken_by: Wakers
}

/** Takes over the jobs of dead workers if no other worker runs when this one registers. */
function createRescuer(getContext: () => Context) {
  let presence: Presence | null = null
  return {
    rescue: async () => {
      const { queue, database, stopping } = getContext()
      presence ??= createPresence(database.pool, stopping.signal)
      await presence.renew(() => queue.rescue())
      return 0
    },
    end: () => presence?.end(),
  }
}

export function createWorker(getContext: () => Context): Worker {
  const wakers = newWakers()
  const { money, papers, mails, events, placements, end } = wakers
  const stopping = () => getContext().stopping.signal
  let running: Promise<void>[] = []
  const rescuer = createRescuer(getContext)

  const loops: Loop[] = [
    { name: 'jobs', turn: jobsOf(MONEY_JOBS), every_ms: POLL_MS, woken_by: money },
    { name: 'papers', turn: jobsOf(PAPER_JOBS), every_ms: POLL_MS, woken_by: papers },
    { name: 'mails', turn: jobsOf(MAIL_JOBS), every_ms: POLL_MS, woken_by: mails },
    { name: 'events', turn: place, every_ms: POLL_MS, woken_by: events },
    { name: 'webhooks', turn: deliver, every_ms: POLL_MS, woken_by: placements },
    { name: 'seal', turn: () => seal(getContext()), every_ms: SEAL_EVERY_MS, woken_by: end },
    {
      name: 'seal_audit',
      turn: () => sealAuditTrail(getContext()),
      every_ms: SEAL_AUDIT_EVERY_MS,
      woken_by: end,
    },
    { name: 'rescue', turn: rescuer.rescue, every_ms: RESCUE_EVERY_MS, woken_by: end },
    {
      name: 'forget',
      turn: () => deleteExpired(getContext()),
      every_ms: FORGET_EVERY_MS,
      woken_by: end,
    },
    {
      name: 'bank_files',
      turn: () => exchangeFiles(getContext()),
      every_ms: BANK_FILES_EVERY_MS,
      woken_by: end,
    },
    { name: 'day', turn: () => turnDay(getContext()), every_ms: DAY_EVERY_MS, woken_by: end },
  ]

  function jobsOf(names: readonly JobName[]): () => Promise<number> {
    return () => runJobs(getContext(), names)
  }

  /** Places the events of many commits together, to save a transaction for each. */
  async function place(): Promise<number> {
    const placed = await placeEvents(getContext().database)
    if (placed.deliveries > 0) wakeAll(placements)
    if (placed.events > 0 && !placed.more) await pause(FEED_PAUSE_MS, end)
    return placed.events
  }

  function deliver(): Promise<number> {
    return deliverDue(getContext(), new Date(), { signal: stopping() })
  }

  return {
    wake: left => wakeFor(wakers, left),
    drain: () => drain(getContext()),
    start: () => {
      // Rescues the jobs of dead workers first, because jobs that the loops take look the same.
      const rescued = rescuer.rescue().catch(() => 0)
      running = loops.map(loop => rescued.then(() => run(getContext(), loop)))
    },
    stop: async () => {
      getContext().stopping.abort()
      for (const waiting of Object.values(wakers)) wakeAll(waiting)
      await Promise.all(running)
      rescuer.end()
    },
  }
}

/**
 * Runs turns until shutdown; a failed turn is logged and the loop continues. While the database is
 * unavailable, each reason is logged at growing intervals.
 */
async function run(context: Context, loop: Loop): Promise<void> {
  const {
    log,
    stopping: { signal },
  } = context
  const outages = createFailureLog(line =>
    log.error({ loop: loop.name, reason: line }, 'work failed'),
  )
  const logFailure = (error: Error) => {
    if (signal.aborted) return
    if (unavailabilityOf(error)) outages.note(error.message)
    else log.error({ err: error, loop: loop.name }, 'work failed')
  }
  let wait_ms = loop.every_ms
  while (!signal.aborted) {
    const turn = isAtFormerBank(context) ? Promise.resolve(0) : loop.turn()
    const done = await turn.then(
      did => {
        outages.end()
        return did
      },
      error => {
        logFailure(error)
        return 0
      },
    )
    if (done > 0) wait_ms = loop.every_ms
    else if (!signal.aborted) {
      const isWoken = await pause(wait_ms, loop.woken_by)
      const longer_ms = Math.max(loop.every_ms, Math.min(wait_ms * 2, POLL_MS_MAX))
      wait_ms = isWoken ? loop.every_ms : longer_ms
    }
  }
}

/**
 * Whether the lender has left the bank that this process is connected to. Its jobs would fail, and
 * be late for the processes that are connected to the new one.
 */
function isAtFormerBank({ database: { lenders, clock } }: Context): boolean {
  return lenders !== undefined && !lenders.isConnected(parisDay(clock?.() ?? new Date()))
}

function newWakers() {
  const none = (): Wakers => new Set()
  return {
    money: none(),
    papers: none(),
    mails: none(),
    events: none(),
    placements: none(),
    end: none(),
  }
}

function wakeFor(
  { money, papers, mails, events }: ReturnType<typeof newWakers>,
  left: Parameters<Worker['wake']>[0],
): void {
  const names = new Set<string>(left.jobs.map(job => job.name))
  if (MONEY_JOBS.some(name => names.has(name))) wakeAll(money)
  if (PAPER_JOBS.some(name => names.has(name))) wakeAll(papers)
  if (MAIL_JOBS.some(name => names.has(name))) wakeAll(mails)
  if (left.events.length > 0) wakeAll(events)
}

function wakeAll(wakers: Wakers): void {
  for (const wake of [...wakers]) wake()
}

function pause(ms: number, wakers: Wakers): Promise<boolean> {
  return new Promise(resolve => {
    const end = (isWoken: boolean) => {
      clearTimeout(timer)
      wakers.delete(wake)
      resolve(isWoken)
    }
    const wake = () => end(true)
    const timer = setTimeout(() => end(false), ms)
    wakers.add(wake)
  })
}

/** Always returns 0, so that turns are apart even when there are files. */
async function exchangeFiles({ ports }: Context): Promise<number> {
  await ports.bank.exchange?.()
  return 0
}

/** Proposals expire in business time, so they are checked in the loop of the business day. */
async function turnDay(context: Context): Promise<number> {
  await endProposals(context)
  return runBusinessDay(context)
}

/** Runs the jobs that are ready, one batch per queue; returns how many ran. */
export async function runJobs(
  context: Context,
  names: readonly JobName[] = JOB_NAMES,
): Promise<number> {
  const { queue, log } = context
  let ran = 0
  for (const name of await queue.look(names)) {
    ran += await queue.runOnce(name, jobHandlers, context, (job, error) =>
      log.error({ err: error, job }, 'job failed'),
    )
  }
  return ran
}

/**
 * Implements `Worker.drain`. Within a clock call or business day, runs the jobs caused by it or
 * before it began. Ends after `DRAIN_IDLE_MS_MAX` in which it could run no job. Leaves mails to
 * their loop if a real mail server sends them, so that no business day waits for that server.
 */
async function drain(context: Context): Promise<number> {
  const { config, queue, stopping } = context
  const left = config.smtp ? MAIL_JOBS : []
  const names = JOB_NAMES.filter(name => !left.includes(name))
  const moment = causeOfWork() ?? (await queue.moment())
  let ran = 0
  let [waited_ms, pause_ms] = [0, DRAIN_POLL_MS]
  while (waited_ms < DRAIN_IDLE_MS_MAX && !stopping.signal.aborted) {
    if (!(await queue.isPending(moment, left))) break
    const jobs = await runJobs(context, names)
    ran += jobs
    if (jobs > 0) [waited_ms, pause_ms] = [0, DRAIN_POLL_MS]
    else {
      // The remaining jobs are running elsewhere or waiting for a retry.
      await new Promise(resolve => setTimeout(resolve, pause_ms))
      waited_ms += pause_ms
      pause_ms = Math.min(pause_ms * 2, DRAIN_LOOK_MS_MAX)
    }
  }
  await publishEvents(context.database)
  return ran
}

/** Deletes expired responses and sign-ins. Their retention is measured in real time. */
async function deleteExpired({ database }: Context): Promise<number> {
  await transaction(database, { partners: '*', actor: 'service' }, deleteOldAnswers)
  await deleteOldSignIns(database)
  return 0
}

function seal({ database }: Context): Promise<number> {
  return transaction(database, { partners: '*', actor: 'service' }, sealEntries)
}

/** Always returns 0: a long backlog need not be sealed at once. */
async function sealAuditTrail({ database }: Context): Promise<number> {
  await transaction(database, { partners: '*', actor: 'service' }, tx => sealAudit(tx))
  return 0
}
