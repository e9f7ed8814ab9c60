/**
 * The worker: runs jobs, places events, delivers webhooks, seals the books and turns the business
 * day, each in a loop of its own. `wake` makes it look at once; without news it looks twice a
 * second, and every two seconds at last: what nobody wakes it for is a retry, or the work of
 * another process, which has a worker of its own.
 */
import { endMandate } from './companies/borrowers/index.ts'
import { finishDataBatch } from './companies/business-data/index.ts'
import { assessLines } from './companies/credit-lines/index.ts'
import type { Context, Worker } from './context.ts'
import { redrawBill, sendBill } from './credit/bills/index.ts'
import { bookCardNews, followCardOrder } from './credit/cards/index.ts'
import { reviewBorrowers } from './credit/lateness/index.ts'
import { payWaitingPayouts, prepareLoan, writeContract } from './credit/loans/index.ts'
import { startPlan, writePlanAgreement } from './credit/recollection/index.ts'
import { forgetOldAnswers } from './doors/http/idempotency.ts'
import {
  bookBankNews,
  payProcessor,
  recallPayment,
  submitPayment,
  submitProcessorPayment,
  submitSuspenseReturn,
} from './money/payments/index.ts'
import { endProposals, runBusinessDay } from './office/days/index.ts'
import { sealAudit } from './office/desk/index.ts'
import { sendMail } from './outside/mails/index.ts'
import { deliverDue, placeEvents } from './partners/webhooks/index.ts'
import { forgetSignIns } from './platform/access/index.ts'
import { transaction } from './platform/db/transaction.ts'
import {
  createPresence,
  type JobHandlers,
  type JobName,
  type Look,
  type Presence,
} from './platform/jobs/index.ts'
import { sealEntries } from './platform/ledger/index.ts'

const POLL_MS = 500
/** A loop that finds nothing to do waits twice as long each time, up to this. */
const POLL_MS_MAX = 2_000
const PLACE_PAUSE_MS = 50
const DRAIN_LOOK_MS = 10
/** Whoever waits for long looks seldom. */
const DRAIN_LOOK_MS_MAX = 100
/** A job that fails again and again is waited for no longer than this. */
const DRAIN_IDLE_MS_MAX = 20_000
/** More than any chain of jobs is long, each of which gives rise to the next. */
const DRAIN_WAVES_MAX = 10
const DAY_EVERY_MS = 1000
const SEAL_EVERY_MS = 2000
/** A slice a turn: what piles up under load is sealed when it is over. */
const SEAL_AUDIT_EVERY_MS = 2000
const RESCUE_EVERY_MS = 2_000
const FORGET_EVERY_MS = 3_600_000

export const JOB_NAMES: readonly JobName[] = [
  'prepare_loan',
  'submit_payment',
  'end_mandate',
  'recall_payment',
  'submit_processor_payment',
  'book_bank_news',
  'send_bill',
  'redraw_bill',
  'send_mail',
  'review_lateness',
  'return_suspense',
  'follow_card_order',
  'book_card_news',
  'write_contract',
  'pay_due_payouts',
  'start_installment_plan',
  'write_plan_agreement',
  'close_data_batch',
  'assess_credit_line',
]

/** What draws and mails, which may take long: it has a loop beside that of the jobs with money. */
const PAPER_JOBS: readonly JobName[] = [
  'send_bill',
  'redraw_bill',
  'send_mail',
  'write_contract',
  'write_plan_agreement',
]
const MONEY_JOBS = JOB_NAMES.filter(name => !PAPER_JOBS.includes(name))

function jobHandlers(context: Context): JobHandlers {
  return {
    prepare_loan: { outside: ({ loan_id }) => prepareLoan(context, loan_id) },
    submit_payment: { outside: ({ payment_id }) => submitPayment(context, payment_id) },
    end_mandate: { inside: (tx, { mandate_id, reason }) => endMandate(tx, mandate_id, reason) },
    recall_payment: { outside: ({ payment_id }) => recallPayment(context, payment_id) },
    submit_processor_payment: {
      outside: ({ processor_payment_id: id }) => submitProcessorPayment(context, id),
    },
    book_bank_news: { inside: (tx, { bank_news_id }) => bookBankNews(tx, bank_news_id) },
    send_bill: {
      outside: async ({ bill_id }) => {
        await sendBill(context.database, bill_id)
      },
    },
    redraw_bill: { outside: ({ bill_id }) => redrawBill(context.database, bill_id) },
    follow_card_order: { outside: ({ order_id }) => followCardOrder(context, order_id) },
    book_card_news: {
      inside: (tx, { card_news_id }) => bookCardNews(tx, context.ports.cards, card_news_id),
    },
    write_contract: { outside: ({ loan_id }) => writeContract(context, loan_id) },
    start_installment_plan: { inside: (tx, { plan_id }) => startPlan(tx, plan_id) },
    write_plan_agreement: { outside: ({ plan_id }) => writePlanAgreement(context, plan_id) },
    close_data_batch: { inside: (tx, { batch_id }) => finishDataBatch(tx, batch_id) },
    assess_credit_line: {
      inside: (tx, { credit_line_id, cause }) => assessLines(tx, [credit_line_id], cause),
    },
    pay_due_payouts: {
      outside: async () => {
        await payProcessor(context)
        await payWaitingPayouts(context)
      },
    },
    return_suspense: {
      outside: ({ suspense_id }) => submitSuspenseReturn(context, suspense_id),
    },
    review_lateness: { inside: (tx, { borrower_id }) => reviewBorrowers(tx, [borrower_id]) },
    send_mail: { outside: ({ mail_id }) => sendMail(context, mail_id) },
  }
}

type Wakers = Set<() => void>

interface Loop {
  readonly name: string
  /** Works once and answers how much there was: above 0 it is called again at once. */
  readonly turn: () => Promise<number>
  readonly every_ms: number
  /** What it waits for beside the time: jobs or events, once committed, or only the end. */
  readonly woken_by: Wakers
}

/** A worker that finds itself alone takes up at once whatever dead ones had begun. */
function createRescuer(getContext: () => Context) {
  let presence: Presence | null = null
  return {
    rescue: async () => {
      const { queue, database } = getContext()
      presence ??= createPresence(database.pool)
      await presence.renew(() => queue.rescue(true))
      await queue.rescue(false)
      return 0
    },
    end: () => presence?.end(),
  }
}

/** Makes the worker of a house; it does nothing until it is started or drained. */
export function createWorker(getContext: () => Context): Worker {
  const wakers = newWakers()
  const { money, papers, events, placements, end } = wakers
  const stopping = () => getContext().stopping.signal
  let running: Promise<void>[] = []
  const rescuer = createRescuer(getContext)

  const loops: Loop[] = [
    { name: 'jobs', turn: jobsOf(MONEY_JOBS), every_ms: POLL_MS, woken_by: money },
    { name: 'papers', turn: jobsOf(PAPER_JOBS), every_ms: POLL_MS, woken_by: papers },
    { name: 'events', turn: place, every_ms: POLL_MS, woken_by: events },
    { name: 'webhooks', turn: deliver, every_ms: POLL_MS, woken_by: placements },
    { name: 'seal', turn: () => seal(getContext()), every_ms: SEAL_EVERY_MS, woken_by: end },
    {
      name: 'seal_audit',
      turn: () => sealTrail(getContext()),
      every_ms: SEAL_AUDIT_EVERY_MS,
      woken_by: end,
    },
    { name: 'rescue', turn: rescuer.rescue, every_ms: RESCUE_EVERY_MS, woken_by: end },
    { name: 'forget', turn: () => forget(getContext()), every_ms: FORGET_EVERY_MS, woken_by: end },
    { name: 'day', turn: () => turnDay(getContext()), every_ms: DAY_EVERY_MS, woken_by: end },
  ]

  function jobsOf(names: readonly JobName[]): () => Promise<number> {
    return () => runJobs(getContext(), names)
  }

  /** Many commits are placed together: a place each would be a transaction each. */
  async function place(): Promise<number> {
    const placed = await placeEvents(getContext().database)
    if (placed.events === 0) return 0
    if (placed.deliveries > 0) wakeAll(placements)
    await pause(PLACE_PAUSE_MS, end)
    return placed.events
  }

  function deliver(): Promise<number> {
    return deliverDue(getContext(), new Date(), { signal: stopping() })
  }

  return {
    wake: left => wakeFor(wakers, left),
    drain: () => drain(getContext()),
    start: () => {
      // What dead ones left is taken up before anything new is: it must not be taken for theirs.
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

/** Turn after turn until the house stops; a turn that fails is logged, and the next one comes. */
async function run({ log, stopping: { signal } }: Context, loop: Loop): Promise<void> {
  let wait_ms = loop.every_ms
  while (!signal.aborted) {
    const done = await loop.turn().catch(error => {
      if (!signal.aborted) log.error({ err: error, loop: loop.name }, 'work failed')
      return 0
    })
    if (done > 0) wait_ms = loop.every_ms
    else if (!signal.aborted) {
      const isWoken = await pause(wait_ms, loop.woken_by)
      const longer_ms = Math.max(loop.every_ms, Math.min(wait_ms * 2, POLL_MS_MAX))
      wait_ms = isWoken ? loop.every_ms : longer_ms
    }
  }
}

function newWakers() {
  const none = (): Wakers => new Set()
  return { money: none(), papers: none(), events: none(), placements: none(), end: none() }
}

/** Only those loops that have something of it to do. */
function wakeFor(
  { money, papers, events }: ReturnType<typeof newWakers>,
  left: Parameters<Worker['wake']>[0],
): void {
  const names = new Set<string>(left.jobs.map(job => job.name))
  if (MONEY_JOBS.some(name => names.has(name))) wakeAll(money)
  if (PAPER_JOBS.some(name => names.has(name))) wakeAll(papers)
  if (left.events.length > 0) wakeAll(events)
}

function wakeAll(wakers: Wakers): void {
  for (const wake of [...wakers]) wake()
}

/** Waits for the time to pass or to be woken, whichever comes first; true when it was woken. */
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

/** What ends at a moment of business time is looked for as often as the day is. */
async function turnDay(context: Context): Promise<number> {
  await endProposals(context)
  return runBusinessDay(context)
}

/** Runs what is ready now, in each of the queues once; answers how many jobs ran. */
export async function runJobs(
  context: Context,
  names: readonly JobName[] = JOB_NAMES,
): Promise<number> {
  const { ready } = await context.queue.look(names)
  return runReady(context, ready)
}

async function runReady(context: Context, ready: readonly JobName[]): Promise<number> {
  const handlers = jobHandlers(context)
  let ran = 0
  for (const name of ready) {
    ran += await context.queue.runOnce(context.database, name, handlers[name], (job, error) =>
      context.log.error({ err: error, job }, 'job failed'),
    )
  }
  return ran
}

/**
 * Every job that is ready, and those they give rise to; then the events get their places. In waves,
 * each up to a moment: a busy house never runs out of jobs, and its day has to end all the same.
 */
async function drain(context: Context): Promise<number> {
  let ran = 0
  for (let wave = 0; wave < DRAIN_WAVES_MAX; wave++) {
    const first = await context.queue.look(JOB_NAMES)
    if (!first.pending || context.stopping.signal.aborted) break
    const { done, jobs } = await drainUpTo(context, first)
    ran += jobs
    if (!done) break
  }
  await placeEvents(context.database)
  return ran
}

/** Up to the moment of the first look, which found something. */
async function drainUpTo(context: Context, first: Look): Promise<{ done: boolean; jobs: number }> {
  let jobs = 0
  let look = first
  let [waited_ms, pause_ms] = [0, DRAIN_LOOK_MS]
  while (waited_ms < DRAIN_IDLE_MS_MAX && !context.stopping.signal.aborted) {
    if (!look.pending) return { done: true, jobs }
    const ran = await runReady(context, look.ready)
    jobs += ran
    if (ran > 0) [waited_ms, pause_ms] = [0, DRAIN_LOOK_MS]
    else {
      // Another process, or the loop of this one, is at work on the last, or one is tried again.
      await new Promise(resolve => setTimeout(resolve, pause_ms))
      waited_ms += pause_ms
      pause_ms = Math.min(pause_ms * 2, DRAIN_LOOK_MS_MAX)
    }
    look = await context.queue.look(JOB_NAMES, first.at)
  }
  return { done: false, jobs }
}

/** What is kept for a while of real time: answers for repeats, sign-ins, finished jobs. */
async function forget({ database, queue }: Context): Promise<number> {
  await transaction(database, { partners: '*' }, forgetOldAnswers)
  await forgetSignIns(database)
  await queue.tidy()
  return 0
}

function seal({ database }: Context): Promise<number> {
  return transaction(database, { partners: '*' }, sealEntries)
}

/** Answers 0 whatever was left: the trail is long, and nobody waits for its seals. */
async function sealTrail({ database }: Context): Promise<number> {
  await transaction(database, { partners: '*' }, tx => sealAudit(tx))
  return 0
}
