/** The connection pool, and how PostgreSQL types map to ours. */
import { AsyncLocalStorage } from 'node:async_hooks'
import pg from 'pg'
import { assert, ImpossibleError } from '../kit/assert.ts'
import { AnswerWatch, abandon, answered } from './answer-watch.ts'
import { TurnSocket } from './turn-socket.ts'
import { NoConnectionError, SilentConnectionError, unavailabilityOf } from './unavailable.ts'

/**
 * INT8 and NUMERIC are read as bigint, so that cents stay exact. Dates stay text, because a `Date`
 * would depend on a time zone.
 */
const INT8 = 20
const DATE = 1082
const NUMERIC = 1700

const types = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    if (format !== 'binary' && (oid === INT8 || oid === NUMERIC)) return BigInt
    if (oid === DATE) return (text: string) => text
    return pg.types.getTypeParser(oid, format)
  },
} as pg.CustomTypesConfig

/** More connections lower the throughput of two cores. */
export const POOL_MAX = 12
/** How long a unit of work waits for a connection, well below the 30 s a request may take. */
export const CONNECTION_WAIT_MS = 8_000
const STATEMENT_MS_MAX = 60_000
/**
 * Longer than the server's own limit, at which it cancels the statement. A connection that has no
 * answer even then is closed.
 */
const ANSWER_MS_MAX = STATEMENT_MS_MAX + 10_000
/**
 * The answer timeout for statements without a server-side limit: full-table reads and migrations.
 * Not 0, which the driver takes to mean the pool's own limit.
 */
export const UNLIMITED_MS = 24 * 3_600_000
/**
 * A connection counts as lost if a statement that waits for no lock has no answer within this time.
 */
const FIRST_ANSWER_MS_MAX = 3_000
/** How many times a unit of work is attempted, as long as earlier attempts had no effect. */
export const ATTEMPTS_MAX = 3
const KEEP_ALIVE_MS = 10_000
/** A new connection has to plan every statement again, so idle ones are kept for a while. */
const IDLE_MS = 300_000

/**
 * Plans a prepared statement once. Otherwise a statement with lists of ids is replanned for each
 * list.
 */
export const USE_GENERIC_PLANS = 'set plan_cache_mode = force_generic_plan'

/**
 * Makes the server notice within half a minute that a client has vanished silently, end its
 * sessions and free their locks. Keepalives detect this in idle sessions, the user timeout in
 * sessions that are being sent an answer. Neither has an effect on Unix sockets.
 */
const DETECT_DEAD_CLIENTS = `set tcp_keepalives_idle = 10; set tcp_keepalives_interval = 5;
  set tcp_keepalives_count = 4; set tcp_user_timeout = '30s'`

const SETTINGS = `${USE_GENERIC_PLANS}; ${DETECT_DEAD_CLIENTS}`
/** A session that holds a lock is idle by design. */
const SESSION_SETTINGS = `${DETECT_DEAD_CLIENTS}; set idle_session_timeout = 0`

/** A unit of work that holds a connection. `outer` is the unit it runs in, if any. */
interface Unit {
  readonly pool: object
  readonly outer: Unit | undefined
  over: boolean
}

const units = new AsyncLocalStorage<Unit>()

/**
 * Throws when the current work already holds a connection of this pool and requests a second.
 * Otherwise such work could take all connections and wait for more forever.
 */
export function assertNoConnectionHeld(pool: object): void {
  for (let unit = units.getStore(); unit; unit = unit.outer) {
    assert(unit.over || unit.pool !== pool, 'a unit of work has one connection: this is a second')
  }
}

/** Whether the current work holds a connection. Slow or waiting work must not hold one. */
export function isConnectionHeld(): boolean {
  for (let unit = units.getStore(); unit; unit = unit.outer) if (!unit.over) return true
  return false
}

/** Takes the error that broke a connection, which is then closed, not returned to the pool. */
type Discard = (broken: Error) => void

/**
 * Runs `work` on a connection from the pool, then releases the connection. `work` must not request
 * another one. Throws `NoConnectionError` when none is free within the pool's timeout, or
 * within `patience_ms` if the caller has already waited.
 */
export async function withConnection<T>(
  pool: Pick<pg.Pool, 'connect'>,
  work: (client: pg.PoolClient, discard: Discard) => Promise<T>,
  patience_ms?: number,
): Promise<T> {
  assertNoConnectionHeld(pool)
  const client = await connectWithin(pool, patience_ms)
  const unit: Unit = { pool, outer: units.getStore(), over: false }
  let broken: Error | undefined
  const discard: Discard = error => {
    broken = error
  }
  try {
    return await units.run(unit, () => work(client, discard))
  } finally {
    unit.over = true
    client.release(broken)
  }
}

async function connectWithin(
  pool: Pick<pg.Pool, 'connect'>,
  patience_ms: number | undefined,
): Promise<pg.PoolClient> {
  const connecting = pool.connect()
  if (patience_ms === undefined) return connecting
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    // A connection that arrives after the deadline goes back to the pool.
    connecting.then(
      client => client.release(),
      () => {},
    )
    late.reject(new NoConnectionError('exhausted', 'no connection was free in time'))
  }, patience_ms)
  try {
    return await Promise.race([connecting, late.promise])
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Sends a unit of work's first statement, which waits for no lock, and another in the same round
 * trip. Returns the answer to the other. The first one detects a connection that a firewall or
 * failover has dropped silently.
 * @throws SilentConnectionError when the first is not answered in time; the caller can retry on
 *   another connection if the other statement may run twice
 */
export async function firstAnswer<Row extends pg.QueryResultRow>(
  pool: ConnectionPool,
  client: pg.PoolClient,
  first: string,
  other: pg.QueryConfig,
  first_ms = FIRST_ANSWER_MS_MAX,
): Promise<pg.QueryResult<Row>> {
  const opened = client.query({ text: first, query_timeout: first_ms } as pg.QueryConfig)
  const isSilent = opened.then(
    () => false,
    error => isUnanswered(error),
  )
  try {
    const [, answer] = await Promise.all([opened, answered(client, client.query<Row>(other))])
    return answer
  } catch (error) {
    if (!(await isSilent)) throw error
    pool.suspectIdle()
    throw silentFor(first_ms, error)
  }
}

function silentFor(ms: number, cause: unknown): SilentConnectionError {
  return new SilentConnectionError(`no answer within ${ms} ms`, cause)
}

/** Whether the driver stopped waiting for the answer, after which the connection is unusable. */
export function isUnanswered(error: unknown): boolean {
  return error instanceof Error && error.message === 'Query read timeout'
}

/** Runs a short statement that may run twice; retries on another connection if one is silent. */
export function queryRepeatable<Row extends pg.QueryResultRow>(
  pool: ConnectionPool,
  statement: pg.QueryConfig,
): Promise<Row[]> {
  return retryWhenSilent(() =>
    withConnection(pool, async (client, discard) => {
      try {
        return (await firstAnswer<Row>(pool, client, 'select', statement)).rows
      } catch (error) {
        if (!(error instanceof pg.DatabaseError)) discard(error as Error)
        throw error
      }
    }),
  )
}

/** Retries work that failed on a silent connection, up to `ATTEMPTS_MAX` attempts. */
export async function retryWhenSilent<T>(attempt: () => Promise<T>): Promise<T> {
  for (let made = 1; ; made++) {
    try {
      return await attempt()
    } catch (error) {
      if (!(error instanceof SilentConnectionError) || made === ATTEMPTS_MAX) throw error
    }
  }
}

/**
 * Runs a statement that does not wait for anything, on a session outside the pool.
 * @throws SilentConnectionError when it is not answered in time; the session is then closed
 */
export async function querySession<Row extends pg.QueryResultRow>(
  session: Session,
  text: string,
  values: unknown[] = [],
): Promise<Row[]> {
  const query = { text, values, query_timeout: FIRST_ANSWER_MS_MAX } as pg.QueryConfig
  return session.query<Row>(query).then(
    ({ rows }) => rows,
    async error => {
      if (!isUnanswered(error)) throw error
      await abandon(session)
      throw silentFor(FIRST_ANSWER_MS_MAX, error)
    },
  )
}

/** A dedicated connection. `error` and `end` report that it is lost, and its locks with it. */
export type Session = pg.Client

type Taken = (error: Error | undefined, client: pg.PoolClient | undefined, done: () => void) => void

/** A pool that bounds how long callers wait and frees the places of lost connections. */
export class ConnectionPool extends pg.Pool {
  /**
   * Set when a write or the start of the server finds the disk full, or when a write finds the
   * server read-only. Cleared when the write of a readiness check succeeds.
   */
  refuses_writes = false
  /** When a connection was last found silent; 0 if none was. */
  #silent_at = 0
  readonly #returned_at = new WeakMap<pg.PoolClient, number>()
  readonly #watch = new AnswerWatch(this.options, () => this.suspectIdle())

  constructor(options: pg.PoolConfig, onError: (error: Error) => void) {
    super(options)
    this.on('error', onError)
    this.on('connect', client => {
      // A connection lost during a transaction must not end the process: its next query fails.
      client.on('error', onError)
      this.#watch.meet(client, SETTINGS).catch(onError)
    })
  }

  /** Replaces connections that are idle now when they are next taken, since they may be silent. */
  suspectIdle(): void {
    this.#silent_at = performance.now()
  }

  override connect(): Promise<pg.PoolClient>
  override connect(taken: Taken): void
  override connect(taken?: Taken): Promise<pg.PoolClient> | undefined {
    const taking = this.#take()
    if (!taken) return taking
    taking.then(
      client => taken(undefined, client, client.release),
      error => taken(error, undefined, () => {}),
    )
    return undefined
  }

  async #take(): Promise<pg.PoolClient> {
    assertNoConnectionHeld(this)
    for (;;) {
      const client = await super.connect().catch(error => this.#refuse(error))
      const isSuspect = (this.#returned_at.get(client) ?? Infinity) < this.#silent_at
      if (!isSuspect) return releasedWhenLost(client, () => this.#noteReturn(client))
      client.release(true)
    }
  }

  #noteReturn(client: pg.PoolClient): void {
    this.#returned_at.set(client, performance.now())
  }

  /**
   * Opens a session outside the pool, to hold a lock while the pool does the work. No other work
   * waits for this session, so the caller may hold it indefinitely; the caller ends it.
   */
  async session(): Promise<Session> {
    assertNoConnectionHeld(this)
    const client = new pg.Client(this.options)
    client.on('error', error => this.emit('error', error, client))
    await client.connect().catch(error => this.#refuse(error))
    try {
      await this.#watch.meet(client, SESSION_SETTINGS, { query_timeout: FIRST_ANSWER_MS_MAX })
      return client
    } catch (error) {
      client.end().catch(() => {})
      if (isUnanswered(error)) throw silentFor(FIRST_ANSWER_MS_MAX, error)
      return this.#refuse(error as Error)
    }
  }

  #refuse(error: Error & { code?: string }): never {
    if (error instanceof ImpossibleError) throw error
    if (error.message === 'timeout exceeded when trying to connect') {
      const message = `no connection was free within ${this.options.connectionTimeoutMillis} ms`
      throw new NoConnectionError('exhausted', message, error)
    }
    const why = unavailabilityOf(error)
    const reason = why === 'exhausted' || why === 'full' ? why : 'away'
    if (reason === 'full') this.refuses_writes = true
    throw new NoConnectionError(reason, error.message || String(error.code), error)
  }
}

/**
 * Returns whether the error is a write refused by a full disk or a read-only server, and records
 * such a refusal for `/readyz`.
 */
export function recordWriteRefusal(pool: ConnectionPool, error: unknown): boolean {
  const why = unavailabilityOf(error)
  const refused = why === 'full' || why === 'read_only'
  if (refused) pool.refuses_writes = true
  return refused
}

/**
 * Frees a connection's place in the pool as soon as the connection is lost, even while its holder
 * is not using it. The holder's own release then does nothing.
 */
function releasedWhenLost(client: pg.PoolClient, onReturn: () => void): pg.PoolClient {
  const giveBack = client.release
  let isHeld = true
  const lose = (error?: Error) => release(error ?? true)
  const release = (broken?: Error | boolean) => {
    if (!isHeld) return
    isHeld = false
    client.off('error', lose).off('end', lose)
    if (!broken) onReturn()
    giveBack(broken)
  }
  client.on('error', lose).on('end', lose)
  client.release = release
  return client
}

/**
 * Opens a pool. Lost connections are logged, and the next query reconnects. With `pipeline`,
 * statements that do not await each other share a round trip; COPY needs it off, and then has no
 * answer timeout. `patience_ms` is how long `connect` waits for a connection or the server.
 */
export function connect(
  connection: pg.ClientConfig,
  onError: (error: Error) => void,
  pipeline = true,
  patience_ms = CONNECTION_WAIT_MS,
): ConnectionPool {
  const options = {
    ...connection,
    types,
    pipeline,
    stream: connection.stream ?? (() => new TurnSocket()),
    max: POOL_MAX,
    application_name: 'headroom',
    connectionTimeoutMillis: patience_ms,
    idleTimeoutMillis: IDLE_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    statement_timeout: STATEMENT_MS_MAX,
    idle_in_transaction_session_timeout: 120_000,
    ...(pipeline && { query_timeout: ANSWER_MS_MAX }),
  }
  return new ConnectionPool(options, onError)
}
