/** The job table: only this file reads and writes it. */
import { type RawBuilder, sql } from 'kysely'
import type pg from 'pg'
import { type ConnectionPool, queryRepeatable } from '../db/connect.ts'
import { type Database, perTransaction, type Tx, transaction } from '../db/transaction.ts'
import type { Actor } from '../db/turns.ts'
import { LENDER_ID } from '../kit/ids.ts'
import type { JobData, JobName } from './catalogue.ts'
import { causeOfWork, withCause } from './cause.ts'

/**
 * An inside job runs in the transaction that deletes it, so it takes effect exactly once. An
 * outside job calls external systems or runs long: it gets no transaction, may run again if its
 * process dies or its lease ends, and must be idempotent.
 */
export type JobHandler<Data, Context> =
  | {
      readonly actor: Actor
      readonly inside: (tx: Tx, data: Data, context: Context) => Promise<void>
    }
  | {
      readonly outside: (data: Data, context: Context) => Promise<void>
      /** The worker's loop for slow work of this kind; without one, the loop for payments. */
      readonly loop?: 'papers' | 'mails'
    }

export type JobHandlers<Context> = {
  readonly [N in JobName]: JobHandler<JobData[N], Context>
}

/**
 * Adds a job to the transaction, written with its commit. Partners take turns in a queue, so pass
 * the id of the partner that the work belongs to.
 */
export function enqueue<N extends JobName>(
  tx: Tx,
  name: N,
  data: JobData[N],
  partner_id: string = LENDER_ID,
): void {
  tx.pending.jobs.push({ name, data, partner_id })
}

/** SQL condition: a job of that name has that data, a jsonb expression, and has not ended. */
export function isQueued(name: JobName, data: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql`exists (select from jobs j where j.name = ${name} and j.data = ${data})`
}

/** The cause of the inside job that a transaction runs, if any. */
const causeInside = perTransaction((): { caused_at?: string } => ({}))

/**
 * Runs before each commit and appends the jobs enqueued in the transaction. They inherit the cause
 * of the job, clock call or business day that enqueues them.
 */
export async function flushJobs(tx: Tx): Promise<void> {
  const { jobs } = tx.pending
  const caused_at = causeInside(tx).caused_at ?? causeOfWork()
  const rows = jobs.map(({ name, data, partner_id }) => ({
    id: tx.newId(),
    name,
    data,
    turn_of: partner_id,
    // A Date drops the microseconds, so the cause is slightly early and no drain misses the job.
    caused_at: caused_at === null ? null : new Date(caused_at),
  }))
  tx.append('jobs', rows)
}

/** After this long, an unfinished outside job can be taken again: its process may have died. */
const LEASE_SECONDS = 20
/** Jobs are retried forever. The delay doubles from one second up to this. */
const RETRY_SECONDS_MAX = 300
/**
 * A drain does not wait for a job that has failed more often than this. With many failing jobs,
 * some retry is always due soon, so the drain would never end.
 */
const AWAITED_FAILURES_MAX = 3
/** Maximum number of outside jobs taken and run together. */
const BATCH = 5
/** Maximum number of jobs that become ready at a time. */
const WOKEN_MAX = 1000

interface Job<N extends JobName> {
  readonly id: string
  readonly data: JobData[N]
  readonly turn_of: string
  readonly caused_at: string
}

const CAUSED_AT = 'coalesce(caused_at, created_at)'
const TAKEN = `id, data, turn_of, ${CAUSED_AT}::text as caused_at`

/**
 * Ids of the next jobs in queue $1. Partner $2 had the last turn, so the oldest jobs of the partner
 * after it come first, then those of the partners that follow. Skips jobs locked by other
 * processes.
 */
const next = (limit: number) => {
  const oldest = (partners: string) => `select * from (select id from jobs
    where name = $1 and held_until is null and ${partners}
    order by turn_of, id limit ${limit} for update skip locked) j`
  return `array(${oldest('turn_of > $2')} union all ${oldest('turn_of <= $2')}
    limit ${limit})`
}

const TAKE_JOBS = `delete from jobs where id = any(${next(1)}) returning ${TAKEN}`

const LEASE = `update jobs set is_leased = true,
    held_until = now() + ${LEASE_SECONDS} * interval '1s'
  where id = any(${next(BATCH)}) returning ${TAKEN}`

const COMPLETE = 'delete from jobs where id = $1'

const REQUEUE = `update jobs set is_leased = false, failures = failures + 1, last_error = $2,
    held_until = now() + least(2 ^ least(failures, 9), ${RETRY_SECONDS_MAX}) * interval '1s'
  where id = $1`

/**
 * Makes jobs ready whose lease or delay has ended, then finds the queues with ready jobs: one index
 * lookup per queue, however many jobs it has.
 */
const FIND_READY = `with recursive woken as (
    update jobs set held_until = null, is_leased = false
    where id = any(array(select id from jobs where held_until <= now()
      order by held_until limit ${WOKEN_MAX} for update skip locked))
    returning name
  ), ready (name) as (
    (select name from jobs where held_until is null order by name limit 1)
    union all
    select (select j.name from jobs j where j.held_until is null and j.name > r.name
      order by j.name limit 1)
    from ready r where r.name is not null
  )
  select name from ready where name is not null union select name from woken`

/** Reads only the first entry of the index, however many jobs were caused later. */
const UNFINISHED = `select coalesce((
    select ${CAUSED_AT} from jobs
    where (held_until is null or is_leased or failures <= ${AWAITED_FAILURES_MAX})
      and name <> all($2)
    order by ${CAUSED_AT}, id limit 1) <= $1, false) as pending`

const RELEASE_LEASED = 'update jobs set held_until = null, is_leased = false where is_leased'

/** Adds the partner to imported mail jobs, whose data lacked it before the baseline. */
export async function upgradeOlderJobs(client: pg.ClientBase): Promise<void> {
  await client.query(`
    update jobs set data = data || jsonb_build_object('partner_id', turn_of)
    where name = 'send_mail'`)
}

export class JobQueue {
  readonly #pool: ConnectionPool
  /** The partner that last had a turn in each queue. */
  readonly #turns = new Map<JobName, string>()

  constructor(pool: ConnectionPool) {
    this.#pool = pool
  }

  /** Runs ready jobs of one queue; returns how many were taken. */
  async runOnce<N extends JobName, C extends { readonly database: Database }>(
    name: N,
    handlers: JobHandlers<C>,
    context: C,
    onError: (name: string, error: unknown) => void,
  ): Promise<number> {
    const handler: JobHandler<JobData[N], C> = handlers[name]
    const putBack = async (job: Job<N>, error: unknown) => {
      onError(name, error)
      await this.#ask('put_back_job', REQUEUE, [job.id, String(error)])
    }
    return 'inside' in handler
      ? this.#runInside(name, handler, context, putBack)
      : this.#runOutside(name, data => handler.outside(data, context), putBack)
  }

  async #runInside<N extends JobName, C extends { readonly database: Database }>(
    name: N,
    { actor, inside }: Extract<JobHandler<JobData[N], C>, { readonly actor: Actor }>,
    context: C,
    putBack: (job: Job<N>, error: unknown) => Promise<void>,
  ): Promise<number> {
    let job: Job<N> | undefined
    try {
      await transaction(context.database, { partners: '*', actor }, async tx => {
        job = undefined
        const { rows } = await tx.raw(TAKE_JOBS, this.#turnOf(name))
        ;[job] = this.#inTurn<N>(name, rows)
        if (!job) return
        causeInside(tx).caused_at = job.caused_at
        await inside(tx, job.data, context)
      })
    } catch (error) {
      if (!job) throw error
      // The job still exists: its deletion was rolled back together with its work.
      await putBack(job, error)
    }
    return job ? 1 : 0
  }

  async #runOutside<N extends JobName>(
    name: N,
    handle: (data: JobData[N]) => Promise<void>,
    putBack: (job: Job<N>, error: unknown) => Promise<void>,
  ): Promise<number> {
    const leased = await this.#ask<Job<N>>('lease_jobs', LEASE, this.#turnOf(name))
    const jobs = this.#inTurn<N>(name, leased)
    // Run concurrently: while one job waits for an external system, another can use the database.
    await Promise.all(
      jobs.map(async job => {
        try {
          await withCause(job.caused_at, () => handle(job.data))
          await this.#ask('complete_job', COMPLETE, [job.id])
        } catch (error) {
          await putBack(job, error)
        }
      }),
    )
    return jobs.length
  }

  #turnOf(name: JobName): [JobName, string] {
    return [name, this.#turns.get(name) ?? LENDER_ID]
  }

  /** The jobs just taken, oldest first. Remembers the partner whose turn was last. */
  #inTurn<N extends JobName>(name: N, jobs: readonly Job<N>[]): Job<N>[] {
    const [, before] = this.#turnOf(name)
    const partners = jobs.map(job => job.turn_of).sort()
    // Partners up to the previous one come only after the rotation wraps around.
    const last = partners.findLast(turn_of => turn_of <= before) ?? partners.at(-1)
    if (last !== undefined) this.#turns.set(name, last)
    return jobs.toSorted((a, b) => (a.id < b.id ? -1 : 1))
  }

  /**
   * Repeats a statement whose answer was lost. Every statement may therefore run twice: jobs leased
   * by the first attempt are taken again when their lease ends.
   */
  #ask<Row extends pg.QueryResultRow>(name: string, text: string, values: unknown[]) {
    return queryRepeatable<Row>(this.#pool, { name, text, values })
  }

  /**
   * The queues among `names` with ready jobs. First makes jobs ready whose lease or delay has
   * ended.
   */
  async look(names: readonly JobName[]): Promise<JobName[]> {
    const ready = new Set(
      (await this.#ask<{ name: string }>('look_for_jobs', FIND_READY, [])).map(row => row.name),
    )
    return names.filter(name => ready.has(name))
  }

  /** The current moment, for comparison with the causes of jobs. */
  async moment(): Promise<string> {
    const [row] = await this.#ask<{ at: string }>('moment_of_jobs', 'select now()::text as at', [])
    return row!.at
  }

  /**
   * Whether any job caused at or before that moment is ready, running or due for a retry soon, not
   * counting those named in `except`.
   */
  async isPending(caused_by: string, except: readonly JobName[] = []): Promise<boolean> {
    const values = [caused_by, except]
    const [row] = await this.#ask<{ pending: boolean }>('unfinished_jobs', UNFINISHED, values)
    return row!.pending
  }

  /** Makes leased jobs ready at once. Only call this when no process is working on them. */
  async rescue(): Promise<void> {
    await this.#ask('rescue_jobs', RELEASE_LEASED, [])
  }
}

export interface QueueBacklog {
  readonly name: string
  readonly waiting: number
  readonly running: number
  /** Failed at least once and not running. */
  readonly failed: number
  readonly oldest_at: Date
}

export async function readBacklog(tx: Tx): Promise<QueueBacklog[]> {
  const { rows } = await tx.raw(`
    select name, count(*) filter (where not is_leased and failures = 0)::int as waiting,
      count(*) filter (where is_leased)::int as running,
      count(*) filter (where not is_leased and failures > 0)::int as failed,
      min(created_at) as oldest_at
    from jobs group by name order by name`)
  return rows as QueueBacklog[]
}
