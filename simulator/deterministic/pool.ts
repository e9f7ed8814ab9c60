/** A connection pool that sends the statements of tasks through the scheduler. */
import type pg from 'pg'
import {
  assertNoConnectionHeld,
  type ConnectionPool,
  connect,
} from '../../server/src/platform/db/connect.ts'
import type { Random } from '../random.ts'
import { clockNow, TIME_SETTING } from './clock.ts'
import { reverseUnordered } from './reverse-unordered.ts'
import { inTask, runOutsideSimulation } from './runtime.ts'
import { type Lane, type Locks, Scheduler } from './scheduler.ts'

const CONNECTIONS = 12

/** One connection of the pool: opened on first use, kept for the whole life. */
export interface Connection extends Lane {
  client: pg.PoolClient | null
  pid: number
  free: boolean
}

/** The connections of a life, and the means to halt and resume them. */
export interface Connections {
  readonly all: readonly Connection[]
  readonly locks: Locks
  /** Called for each statement of a task, with its result or error. */
  readonly onAnswer: (statement: readonly unknown[], answer: unknown) => void
  /** Awaited before each statement: a delay in real time, which must not change the outcome. */
  readonly delay: () => Promise<void>
  /** Whether to reverse the rows of statements without `order by`. */
  readonly disordered: boolean
  open(connection: Connection): Promise<pg.PoolClient>
  /** Rolls back uncommitted work after a crash, one connection after the other. */
  cutAll(): Promise<void>
  end(): Promise<void>
}

/**
 * Makes the server report each statement that waits for a lock, once its deadlock check has run.
 * Timeouts are off, so that real time never changes the outcome.
 */
const SESSION_SETTINGS = `set client_min_messages = log; set statement_timeout = 0;
  set idle_in_transaction_session_timeout = 0; select pg_backend_pid() as pid`
const IDLE = 'I'
const WAITS = /still waiting for/

type Watch = Pick<Connections, 'onAnswer' | 'delay' | 'disordered'>

/** `aside` is a separate pool, whose statements bypass the scheduler. */
export function connections(
  connection: pg.ClientConfig,
  aside: ConnectionPool,
  { onAnswer, delay, disordered }: Watch,
): Connections {
  // Not pipelined, since pipelined statements would run before their turn.
  const real = connect(connection, () => {}, false)
  const all = Array.from(
    { length: CONNECTIONS },
    (): Connection => ({
      client: null,
      pid: 0,
      free: true,
      waiting: [],
      sent: null,
      waits: false,
      onNews: () => {},
    }),
  )
  const resume = (lane: Lane) => process.kill((lane as Connection).pid, 'SIGCONT')
  return {
    all,
    onAnswer,
    delay,
    disordered,
    locks: {
      halt: lane => process.kill((lane as Connection).pid, 'SIGSTOP'),
      resume,
      granted: lanes => grantedOf(aside, lanes as Connection[]),
    },
    open: async one => {
      const client = await runOutsideSimulation(() => real.connect())
      client.on('notice', ({ message }) => {
        if (!WAITS.test(message ?? '')) return
        one.waits = true
        one.onNews()
      })
      const answers = (await client.query(SESSION_SETTINGS)) as unknown as pg.QueryResult[]
      one.pid = answers.at(-1)!.rows[0].pid
      one.client = client
      return client
    },
    cutAll: async () => {
      for (const one of all) one.onNews = () => {}
      for (const one of all.filter(lane => lane.waits)) {
        await aside.query('select pg_cancel_backend($1)', [one.pid])
        resume(one)
        await one.client!.query('select').catch(() => {})
      }
      for (const one of all) {
        await one.client?.query('rollback; select pg_advisory_unlock_all()')
        Object.assign(one, { free: true, sent: null, waits: false })
        one.waiting.length = 0
      }
    },
    end: async () => {
      for (const { client } of all) client?.release(true)
      await real.end()
    },
  }
}

/**
 * Removes a statement's timeout in real time, so that a busy machine does not change the outcome.
 */
function unlimited(args: unknown[]): [string] {
  const [statement, ...values] = args
  if (typeof statement === 'string') return args as [string]
  return [{ ...(statement as object), query_timeout: undefined }, ...values] as unknown as [string]
}

/** Sets the simulated time before each transaction, and before each statement outside one. */
async function queryAtStoryTime(client: pg.PoolClient, args: [string]): Promise<unknown> {
  if (client.getTransactionStatus() !== IDLE) return client.query(...args)
  const time = `set ${TIME_SETTING} = '${new Date(clockNow()).toISOString()}'`
  const [text, ...values] = args
  if (typeof text === 'string' && values.length === 0) {
    const [, ...answers] = (await client.query(`${time}; ${text}`)) as unknown as pg.QueryResult[]
    return answers.length === 1 ? answers[0] : answers
  }
  await client.query(time)
  return client.query(...args)
}

/**
 * The connections whose lock was granted. `pg_locks` shows a grant at once, even before the waiting
 * backend notices.
 */
async function grantedOf(
  aside: ConnectionPool,
  lanes: readonly Connection[],
): Promise<Connection[]> {
  const { rows } = await aside.query({
    name: 'granted',
    text: 'select pid from pg_locks where pid = any ($1) and not granted',
    values: [lanes.map(lane => lane.pid)],
  })
  return lanes.filter(lane => !rows.some(row => row.pid === lane.pid))
}

/**
 * The pool of a service process; connections are handed out in order. The scheduler runs only the
 * statements of tasks; other statements use `aside`.
 */
export function simulatedPool(
  { all, locks, open, onAnswer, delay, disordered }: Connections,
  random: Random,
  aside: ConnectionPool,
): { pool: ConnectionPool; scheduler: Scheduler } {
  const scheduler = new Scheduler(random, all, locks)
  const queue: ((connection: Connection) => void)[] = []

  async function take(): Promise<Connection> {
    const free = all.find(one => one.free)
    scheduler.stir()
    if (!free) return new Promise(resolve => queue.push(resolve))
    free.free = false
    return free
  }

  function release(connection: Connection): void {
    const next = queue.shift()
    scheduler.stir()
    if (next) next(connection)
    else connection.free = true
  }

  function query(connection: Connection, args: unknown[]): Promise<pg.QueryResult> {
    const answered = scheduler.send(connection, async () => {
      const client = connection.client ?? (await open(connection))
      await delay()
      const answer = await queryAtStoryTime(client, unlimited(args))
      return (disordered ? reverseUnordered(args, answer) : answer) as pg.QueryResult
    })
    const learn = (outcome: unknown) => onAnswer(args, outcome)
    answered.then(learn, learn)
    return answered
  }

  const pool = {
    options: {},
    connect: async () => {
      assertNoConnectionHeld(pool)
      if (!inTask()) return runOutsideSimulation(() => aside.connect())
      const connection = await take()
      return {
        query: (...args: unknown[]) => query(connection, args),
        release: () => release(connection),
        on: () => {},
      }
    },
    // A session is one of the pool's connections, so that its statements are scheduled too.
    session: async () => {
      assertNoConnectionHeld(pool)
      const connection = await take()
      const session = {
        query: (...args: unknown[]) => query(connection, args),
        end: async () => release(connection),
        once: () => session,
      }
      return session
    },
    query: async (...args: unknown[]) => {
      if (!inTask()) return runOutsideSimulation(() => aside.query(...(args as [string])))
      const connection = await take()
      return query(connection, args).finally(() => release(connection))
    },
    on: () => {},
    end: async () => {},
  }
  return { pool: pool as unknown as ConnectionPool, scheduler }
}
