/** The pool of connections, and how PostgreSQL's types become ours. */
import { AsyncLocalStorage } from 'node:async_hooks'
import pg from 'pg'
import { assert, ImpossibleError } from '../kit/assert.ts'
import { TurnSocket } from './turn-socket.ts'
import { NoConnectionError, unavailabilityOf } from './unavailable.ts'

/** int8 is cents: exact. Days stay text; the driver would make local midnights of them. */
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

/** More connections than this make two cores slower, not faster. */
export const POOL_MAX = 12
/** How long a unit of work waits for a connection, well within the 30 s of a request. */
export const PATIENCE_MS = 8_000
const STATEMENT_MS_MAX = 60_000
/** The server ends a statement before this. If it does not answer, the connection is given up. */
const ANSWER_MS_MAX = STATEMENT_MS_MAX + 10_000
/**
 * How long the answer is waited for where the server limits no statement: reads of everything there
 * is, and migrations. The driver takes 0 for the pool's own limit.
 */
export const UNHURRIED_MS = 24 * 3_600_000
const KEEP_ALIVE_MS = 10_000
/** A new connection has to plan every statement first: idle ones are kept for a while. */
const IDLE_MS = 300_000

/** A prepared statement is planned once: lists of ids would have it planned anew for each list. */
export const PLAN_ONCE = 'set plan_cache_mode = force_generic_plan'

/** What holds a connection now, as seen from inside it. */
interface Unit {
  readonly pool: object
  readonly outer: Unit | undefined
  over: boolean
}

const units = new AsyncLocalStorage<Unit>()

/**
 * Throws when the work at hand holds a connection of this pool and asks for a second one: enough
 * such work at once would hold every connection, each waiting for another, for good.
 */
export function refuseSecond(pool: object): void {
  for (let unit = units.getStore(); unit; unit = unit.outer) {
    assert(unit.over || unit.pool !== pool, 'a unit of work has one connection: this is a second')
  }
}

/** Whether the work at hand holds a connection: what takes long, or waits, must not. */
export function isConnectionHeld(): boolean {
  for (let unit = units.getStore(); unit; unit = unit.outer) if (!unit.over) return true
  return false
}

/** Called with what makes a connection useless: it is closed, not returned to the pool. */
type Discard = (broken: Error) => void

/**
 * Runs `work` on a connection of the pool, and returns it afterwards. The work must not ask the
 * pool for another one. Throws `NoConnectionError` when none is free in time, which is that of the
 * pool, or `patience_ms` where somebody has waited before.
 */
export async function withConnection<T>(
  pool: Pick<pg.Pool, 'connect'>,
  work: (client: pg.PoolClient, discard: Discard) => Promise<T>,
  patience_ms?: number,
): Promise<T> {
  refuseSecond(pool)
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
    // One that comes after all is given back.
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

/** A connection of its own; `error` and `end` tell that it is lost, and its locks with it. */
export type Session = Pick<pg.Client, 'query' | 'once' | 'end'>

type Taken = (error: Error | undefined, client: pg.PoolClient | undefined, done: () => void) => void

/** A pool that keeps no caller waiting for good and counts no connection that has been lost. */
export class ConnectionPool extends pg.Pool {
  /** The last write found the disk full or the server read-only, and none was tried since. */
  refuses_writes = false

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
    refuseSecond(this)
    const client = await super.connect().catch(error => this.#refuse(error))
    return releasedWhenLost(client)
  }

  /**
   * Opens a session beside the pool, for a lock that is held while the pool does the work. Nobody
   * waits for it, so it may be held for as long as wanted; the caller ends it.
   */
  async session(): Promise<Session> {
    refuseSecond(this)
    const client = new pg.Client(this.options)
    client.on('error', error => this.emit('error', error, client))
    await client.connect().catch(error => this.#refuse(error))
    // Its whole purpose is to last, and to be idle meanwhile.
    await client.query('set idle_session_timeout = 0')
    return client
  }

  #refuse(error: Error & { code?: string }): never {
    if (error instanceof ImpossibleError) throw error
    if (error.message === 'timeout exceeded when trying to connect') {
      const message = `no connection was free within ${this.options.connectionTimeoutMillis} ms`
      throw new NoConnectionError('exhausted', message, error)
    }
    const reason = unavailabilityOf(error) === 'exhausted' ? 'exhausted' : 'away'
    throw new NoConnectionError(reason, error.message || String(error.code), error)
  }
}

/** Whether an error is a write refused by a full disk or a read-only server; kept for `/readyz`. */
export function noteRefusal(pool: ConnectionPool, error: unknown): boolean {
  const why = unavailabilityOf(error)
  const refused = why === 'full' || why === 'read_only'
  if (refused) pool.refuses_writes = true
  return refused
}

/**
 * The server may end a session while its holder does something else, or hangs: its place in the
 * pool is free at once. The holder's own release, later on, then does nothing.
 */
function releasedWhenLost(client: pg.PoolClient): pg.PoolClient {
  const giveBack = client.release
  let isHeld = true
  const lose = (error?: Error) => release(error ?? true)
  const release = (broken?: Error | boolean) => {
    if (!isHeld) return
    isHeld = false
    client.off('error', lose).off('end', lose)
    giveBack(broken)
  }
  client.on('error', lose).on('end', lose)
  client.release = release
  return client
}

/**
 * Opens a pool. A server that goes away is logged, and the next query connects anew. Statements
 * that do not wait for each other's answers share a round trip (`pipeline`); COPY cannot, and takes
 * as long as it takes. `patience_ms` is how long `connect` waits, for a free one or for the server.
 */
export function connect(
  connection: pg.ClientConfig,
  onError: (error: Error) => void,
  pipeline = true,
  patience_ms = PATIENCE_MS,
): ConnectionPool {
  const pool = new ConnectionPool({
    ...connection,
    types,
    pipeline,
    stream: () => new TurnSocket(),
    max: POOL_MAX,
    application_name: 'headroom',
    connectionTimeoutMillis: patience_ms,
    idleTimeoutMillis: IDLE_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    statement_timeout: STATEMENT_MS_MAX,
    idle_in_transaction_session_timeout: 120_000,
    ...(pipeline && { query_timeout: ANSWER_MS_MAX }),
  })
  pool.on('error', onError)
  // One that is lost while a transaction thinks must not end the process: its next query fails.
  pool.on('connect', client => client.on('error', onError))
  pool.on('connect', client => {
    client.query(PLAN_ONCE).catch(onError)
  })
  return pool
}
