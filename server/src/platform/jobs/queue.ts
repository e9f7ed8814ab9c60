/** The queue itself: the only file that knows the queue library. */
import type pg from 'pg'
import { type FetchOptions, type Job, PgBoss } from 'pg-boss'
import { statementOf } from '../db/statements.ts'
import { type Database, type PendingJob, type Tx, transaction } from '../db/transaction.ts'

/** Names of the queues and what their jobs carry. */
export interface JobData {
  prepare_loan: { loan_id: string }
  submit_payment: { payment_id: string }
  end_mandate: { mandate_id: string; reason: string }
  recall_payment: { payment_id: string }
  submit_processor_payment: { processor_payment_id: string }
  book_bank_news: { bank_news_id: string }
  send_bill: { bill_id: string }
  redraw_bill: { bill_id: string }
  pay_due_payouts: Record<string, never>
  return_suspense: { suspense_id: string }
  review_lateness: { borrower_id: string }
  send_mail: { mail_id: string }
  follow_card_order: { order_id: string }
  book_card_news: { card_news_id: string }
  write_contract: { loan_id: string }
  start_installment_plan: { plan_id: string }
  write_plan_agreement: { plan_id: string }
  close_data_batch: { batch_id: string }
  assess_credit_line: { credit_line_id: string; cause: 'DATA_SHARED' | 'REPAYMENT' }
}

export type JobName = keyof JobData

/**
 * A transactional handler does all its work in the transaction that completes the job. One that
 * works with the outside gets no transaction, is repeated after a crash and must be idempotent.
 */
export type JobHandlers = {
  [N in JobName]:
    | { inside: (tx: Tx, data: JobData[N]) => Promise<void> }
    | { outside: (data: JobData[N]) => Promise<void> }
}

/**
 * Puts a job into the transaction; written with its commit. Partners take turns in a queue, so work
 * of one partner is enqueued with its id.
 */
export function enqueue<N extends JobName>(
  tx: Tx,
  name: N,
  data: JobData[N],
  partner_id: string | null = null,
): void {
  tx.pending.jobs.push({ name, data, partner_id })
}

/** Nothing we owe is ever given up; the delay between tries grows to five minutes. */
const RETRY_MAX = 1_000_000
/** An outside job whose process died is taken again after this long. */
const LEASE_SECONDS = 20
/** A retry that is due this soon is worth waiting for. */
const SOON_SECONDS = 5
/** Few, so that the last one begins well within the lease. */
const BATCH = 5
/** After finding nobody else's jobs, a queue takes whatever comes first for so many turns. */
const TURNS_ALONE = 4

/** Who has had a turn in a queue since everybody has. */
interface Round {
  readonly served: Set<string>
  turns_alone: number
}

/** What a look at the queues found. */
export interface Look {
  /** Those that have jobs to take now. */
  readonly ready: readonly JobName[]
  /** Whether any job is ready, being run, or tried again soon. */
  readonly pending: boolean
  /** The moment of the look, for another one up to then. */
  readonly at: string
}

export class JobQueue {
  readonly #boss: PgBoss
  readonly #pool: pg.Pool
  readonly #rounds = new Map<JobName, Round>()

  constructor(pool: pg.Pool) {
    this.#pool = pool
    this.#boss = libraryOn(pool)
  }

  /**
   * Installs or upgrades the library's own tables and makes sure of our queues. The library reads
   * what queues there are when it starts, and asks its pool for one that it does not know, also
   * within a transaction of ours: so it starts once all of them are there.
   */
  async start(names: readonly JobName[]): Promise<void> {
    await install(this.#pool, names)
    await this.#boss.start()
  }

  async stop(): Promise<void> {
    await this.#boss.stop({ graceful: false, close: false })
  }

  /** Their ids sort by the order they were asked for in, and so they are taken. */
  async insert(
    tx: Pick<Tx, 'raw' | 'newId'>,
    name: JobName,
    jobs: readonly Pick<PendingJob, 'data' | 'partner_id'>[],
  ): Promise<void> {
    await this.#boss.insert(
      name,
      jobs.map(({ data, partner_id }) => ({
        id: tx.newId(),
        data,
        ...(partner_id && { group: { id: partner_id } }),
      })),
      { db: inside(tx) },
    )
  }

  /** Takes jobs of partners that have not had their turn in this round, the oldest first. */
  async #fetch<N extends JobName>(name: N, options: FetchOptions): Promise<Job<JobData[N]>[]> {
    const round = this.#rounds.get(name) ?? { served: new Set<string>(), turns_alone: 0 }
    this.#rounds.set(name, round)
    let jobs: Job<JobData[N]>[] = []
    if (round.turns_alone > 0) round.turns_alone--
    else if (round.served.size > 0) {
      jobs = await this.#boss.fetch<JobData[N]>(name, {
        ...options,
        ignoreGroups: [...round.served],
      })
      if (jobs.length === 0) round.turns_alone = round.served.size === 1 ? TURNS_ALONE : 0
    }
    if (jobs.length === 0) {
      round.served.clear()
      jobs = await this.#boss.fetch<JobData[N]>(name, options)
    }
    for (const { groupId } of jobs) if (groupId) round.served.add(groupId)
    return jobs
  }

  /** Runs what is ready in one queue; answers how many jobs were taken. */
  async runOnce<N extends JobName>(
    database: Database,
    name: N,
    handler: JobHandlers[N],
    onError: (name: string, error: unknown) => void,
  ): Promise<number> {
    return 'inside' in handler
      ? this.#runInside(database, name, handler.inside, onError)
      : this.#runOutside(name, handler.outside, onError)
  }

  async #runInside<N extends JobName>(
    database: Database,
    name: N,
    handle: (tx: Tx, data: JobData[N]) => Promise<void>,
    onError: (name: string, error: unknown) => void,
  ): Promise<number> {
    let taken: { id: string } | undefined
    try {
      await transaction(database, { partners: '*' }, async tx => {
        taken = undefined
        const db = inside(tx)
        const [job] = await this.#fetch(name, { batchSize: 1, db })
        if (!job) return
        taken = job
        await handle(tx, job.data)
        await this.#boss.complete(name, job.id, null, { db })
      })
    } catch (error) {
      onError(name, error)
      if (!taken) throw error
      // The fetch was rolled back with the work; this notes the failure and delays the retry.
      await this.#boss.fail(name, taken.id, { message: String(error) })
    }
    return taken ? 1 : 0
  }

  async #runOutside<N extends JobName>(
    name: N,
    handle: (data: JobData[N]) => Promise<void>,
    onError: (name: string, error: unknown) => void,
  ): Promise<number> {
    const fetched = await this.#fetch(name, { batchSize: BATCH })
    // The library answers them in any order.
    const jobs = fetched.toSorted((a, b) => (a.id < b.id ? -1 : 1))
    // Together: while one waits for the outside another has the database.
    await Promise.all(
      jobs.map(async job => {
        try {
          await handle(job.data)
          await this.#boss.complete(name, job.id)
        } catch (error) {
          onError(name, error)
          await this.#boss.fail(name, job.id, { message: String(error) })
        }
      }),
    )
    return jobs.length
  }

  /**
   * Which queues have jobs to take now, and whether any job is being run or tried again soon;
   * with `up_to`, a moment that an earlier look answered as `at`, of jobs asked for by then.
   */
  async look(names: readonly JobName[], up_to = 'infinity'): Promise<Look> {
    const { rows } = await this.#pool.query({
      name: 'look_for_jobs',
      text: `select n.name, now()::text as at,
         exists (select from pgboss.job j where j.name = n.name and j.state < 'active'
           and not j.blocked and j.start_after <= now() and j.created_on <= $3) as ready,
         exists (select from pgboss.job j where j.name = n.name and j.state = 'active'
           and j.created_on <= $3)
         or exists (select from pgboss.job j where j.name = n.name and j.state < 'active'
           and not j.blocked and j.start_after <= now() + $2 * interval '1s'
           and j.created_on <= $3) as pending
       from unnest($1::text[]) with ordinality as n (name, position) order by n.position`,
      values: [names, SOON_SECONDS, up_to],
    })
    return {
      at: rows[0]?.at,
      ready: rows.filter(row => row.ready).map(row => row.name),
      pending: rows.some(row => row.pending),
    }
  }

  /** Jobs whose process died go back to the queue: `all` that are active, or after their lease. */
  async rescue(all: boolean): Promise<void> {
    await this.#pool.query(
      `update pgboss.job set state = 'retry', start_after = now()
       where state = 'active' and ($1 or started_on + expire_seconds * interval '1s' < now())`,
      [all],
    )
  }

  /** The library's own care of its tables, e.g. what was finished long ago is deleted. */
  async tidy(): Promise<void> {
    await this.#boss.supervise()
  }
}

function libraryOn(pool: pg.Pool): PgBoss {
  const boss = new PgBoss({
    db: { executeSql: (text, values) => pool.query(prepared(text, values as unknown[])) },
    schedule: false,
    supervise: false,
    backend: 'postgres',
  })
  return boss.on('error', () => {})
}

/** Without values it may be many statements at once, which cannot be prepared. */
function prepared(text: string, values: unknown[] | undefined): pg.QueryConfig {
  if (!values?.length) return { text }
  return { name: statementOf(text).name, text, values }
}

async function install(pool: pg.Pool, names: readonly JobName[]): Promise<void> {
  const boss = libraryOn(pool)
  await boss.start()
  try {
    // The library has no index for what is running, and finished jobs are kept for days.
    await pool.query(
      `create index if not exists job_active on pgboss.job_common (name) where state = 'active'`,
    )
    const known = new Set((await boss.getQueues()).map(q => q.name))
    for (const name of names) {
      if (known.has(name)) continue
      await boss.createQueue(name, {
        retryLimit: RETRY_MAX,
        retryDelay: 1,
        retryBackoff: true,
        retryDelayMax: 300,
        expireInSeconds: LEASE_SECONDS,
      })
    }
  } finally {
    await boss.stop({ graceful: false, close: false })
  }
}

function inside(tx: Pick<Tx, 'raw'>) {
  return { executeSql: (text: string, values?: unknown[]) => tx.raw(text, values) }
}

/** Run before each commit: writes the jobs that the transaction has put in, a queue at a time. */
export function flushJobs(queue: JobQueue): (tx: Tx) => Promise<void> {
  return async tx => {
    for (const [name, jobs] of Map.groupBy(tx.pending.jobs, j => j.name)) {
      await queue.insert(tx, name as JobName, jobs)
    }
  }
}

/** The query for what is not done, as name and data; what failed for good gets another chance. */
export async function unfinishedJobs(client: pg.ClientBase): Promise<string> {
  const { rows } = await client.query("select to_regclass('pgboss.job') is not null as there")
  if (!rows[0].there) return 'select null::text, null::jsonb where false'
  return `select name, data from pgboss.job
    where state in ('created', 'retry', 'active', 'failed') order by created_on, id`
}

export interface QueueBacklog {
  readonly name: string
  readonly waiting: number
  readonly running: number
  /** Tried in vain, and to be tried again. */
  readonly failed: number
  readonly oldest_at: Date
}

/** Only queues with something to do; what is done is not counted, it may be millions. */
export async function readBacklog(tx: Tx): Promise<QueueBacklog[]> {
  const { rows } = await tx.raw(`
    select name, count(*) filter (where state = 'created')::int as waiting,
      count(*) filter (where state = 'active')::int as running,
      count(*) filter (where state in ('retry', 'failed'))::int as failed,
      min(created_on) as oldest_at
    from pgboss.job where state in ('created', 'retry', 'active', 'failed')
    group by name order by name`)
  return rows as QueueBacklog[]
}
