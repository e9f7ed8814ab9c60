/**
 * Finds out why a statement has had no answer for several seconds. A proxy or failover can drop a
 * connection silently, even in the middle of a transaction. Another connection then shows whether
 * the server is still working on the statement or waiting for this client to send one.
 */
import type { Socket } from 'node:net'
import { setImmediate as ioTurn, setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { SilentConnectionError } from './unavailable.ts'

/** Most statements are answered sooner and need no check. */
const LATE_MS = 3_000
/** Long enough for an answer that was under way at one check to arrive before the next. */
const CHECK_EVERY_MS = 2_000
/** Timeout of the connection that checks. */
const CHECK_MS_MAX = 3_000
const END_MS_MAX = 2_000

/**
 * The server's side of a connection. The process id alone does not identify it, because ids are
 * reused.
 */
interface Backend {
  readonly pid: number
  readonly started: string
}

const BACKEND = `select pid, extract(epoch from backend_start)::text as started
  from pg_stat_activity where pid = pg_backend_pid()`

/** `waits_since` is null while the server works, or waits for anything other than its client. */
const SELECT_BACKEND = `select pid, extract(epoch from backend_start)::text as started, state,
    backend_xid::text as xid, pg_snapshot_xmax(pg_current_snapshot())::text as next_xid,
    case when wait_event_type = 'Client' then extract(epoch from state_change)::text end
      as waits_since
  from pg_stat_activity where pid = any($1)`

/**
 * Terminates a session of the same role, which needs no privilege. If $3 is not null, only if the
 * session's state has not changed since that time.
 */
const END = `select pg_terminate_backend(pid, ${END_MS_MAX}) as ended from pg_stat_activity
  where pid = $1 and extract(epoch from backend_start)::text = $2
    and ($3::text is null or extract(epoch from state_change)::text = $3)`

interface BackendState extends Backend {
  readonly state: string | null
  readonly xid: string | null
  readonly next_xid: string
  readonly waits_since: string | null
}

/** A statement that has had no answer for `LATE_MS`. */
interface Late {
  readonly client: pg.ClientBase
  readonly is_commit: boolean
  /** What the last check found. If the next one finds the same, the connection is silent. */
  seen: string | null
  /** Set once the connection is found silent. Resolves to the error to report; null if none. */
  cause: Promise<Error | null> | null
}

interface Watched {
  readonly watch: AnswerWatch
  readonly backend: Backend
}

const watched = new WeakMap<pg.ClientBase, Watched>()

/** One per pool. While a statement is late, the watch holds one connection outside the pool. */
export class AnswerWatch {
  readonly #options: pg.ClientConfig
  readonly #onSilence: () => void
  readonly #late = new Set<Late>()
  #isWatching = false

  constructor(options: pg.ClientConfig, onSilence: () => void) {
    this.#options = options
    this.#onSilence = onSilence
  }

  /** Sends `settings`, the first message on a new connection, and stores the client's backend. */
  async meet(client: pg.ClientBase, settings: string, bounds = {}): Promise<void> {
    const query = { text: `${settings}; ${BACKEND}`, ...bounds }
    const answers = (await client.query(query)) as unknown as pg.QueryResult<Backend>[]
    const backend = answers.at(-1)!.rows[0]
    if (backend) watched.set(client, { watch: this, backend })
  }

  async answered<T>(client: pg.ClientBase, sent: Promise<T>, is_commit: boolean): Promise<T> {
    const late: Late = { client, is_commit, seen: null, cause: null }
    const timer = setTimeout(() => {
      this.#late.add(late)
      this.#watch().catch(() => {})
    }, LATE_MS)
    try {
      return await sent
    } catch (error) {
      throw (await late.cause) ?? error
    } finally {
      clearTimeout(timer)
      this.#late.delete(late)
    }
  }

  /** Ends the server's side of an abandoned connection, which releases its locks. */
  async end({ pid, started }: Backend): Promise<void> {
    const asking = await this.#open()
    try {
      await asking.query(END, [pid, started, null])
    } finally {
      close(asking)
    }
  }

  async #watch(): Promise<void> {
    if (this.#isWatching) return
    this.#isWatching = true
    let asking: pg.Client | null = null
    while (this.#late.size > 0) {
      try {
        asking ??= await this.#open()
        await this.#look(asking)
      } catch {
        // Late statements still have their own timeouts. The next check reconnects.
        if (asking) close(asking)
        asking = null
      }
      if (this.#late.size > 0) await sleep(CHECK_EVERY_MS, undefined, { ref: false })
    }
    this.#isWatching = false
    if (asking) close(asking)
  }

  async #open(): Promise<pg.Client> {
    const bounds = { connectionTimeoutMillis: CHECK_MS_MAX, query_timeout: CHECK_MS_MAX }
    // The pool hides the password from copies of its options.
    const { password } = this.#options
    const client = new pg.Client({ ...this.#options, password, ...bounds })
    client.on('error', () => {})
    await client.connect()
    return client
  }

  async #look(asking: pg.Client): Promise<void> {
    const lateStatements = [...this.#late]
    const pids = lateStatements.map(({ client }) => watched.get(client)?.backend.pid ?? null)
    const { rows } = await asking.query<BackendState>({
      name: 'look',
      text: SELECT_BACKEND,
      values: [pids],
    })
    // Lets the event loop read what has arrived on the other sockets.
    await ioTurn()
    for (const late of lateStatements) {
      const backend = watched.get(late.client)?.backend
      if (!backend || !this.#late.has(late)) continue
      const look = rows.find(row => row.pid === backend.pid && row.started === backend.started)
      const since = look ? look.waits_since : 'gone'
      const { bytesRead, writableLength } = streamOf(late.client)
      const seen = since && [since, bytesRead, writableLength].join()
      const isSilent = seen !== null && seen === late.seen
      late.seen = seen
      if (isSilent) await this.#giveUp(asking, late, backend, look)
    }
  }

  /** Closes a silent connection, unless its server session has moved on. */
  async #giveUp(
    asking: pg.Client,
    late: Late,
    backend: Backend,
    look: BackendState | undefined,
  ): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<Error | null>()
    late.cause = promise
    let cause: Error | null = null
    try {
      const ended = !look || (await hasEnded(asking, backend, look))
      if (ended === null) return
      const rolled_back = !late.is_commit || (ended && (await hasRolledBack(asking, look)))
      cause = rolled_back
        ? new SilentConnectionError('no answer to a statement')
        : new Error('Connection terminated: no answer to a commit')
    } finally {
      if (cause && this.#late.has(late)) {
        this.#onSilence()
        // Not `cause`, which is about this statement only.
        streamOf(late.client).destroy(new Error('Connection terminated: it has gone silent'))
      }
      resolve(cause)
    }
  }
}

/** Terminates a session. Returns whether it has ended; null if it has moved on since the check. */
async function hasEnded(asking: pg.Client, { pid, started }: Backend, look: BackendState) {
  const { rows } = await asking.query(END, [pid, started, look.waits_since])
  return rows[0] ? Boolean(rows[0].ended) : null
}

/**
 * Whether a transaction has certainly rolled back. Its session has ended, and was waiting for the
 * commit at the check. The commit may still have arrived in between, so the transaction's own
 * status decides.
 */
async function hasRolledBack(asking: pg.Client, look: BackendState | undefined): Promise<boolean> {
  // A session that is gone or idle may have committed.
  if (!look?.state?.startsWith('idle in transaction')) return false
  // A transaction without an id has written nothing.
  if (look.xid === null) return true
  const xid = wholeXid(BigInt(look.xid), BigInt(look.next_xid))
  const { rows } = await asking.query('select pg_xact_status($1::text::xid8) as status', [`${xid}`])
  return rows[0].status === 'aborted'
}

/** The 64-bit id of a running transaction; `pg_stat_activity` shows only the lower half. */
function wholeXid(xid: bigint, next_xid: bigint): bigint {
  return next_xid + BigInt.asIntN(32, xid - next_xid)
}

/**
 * Awaits the answer to a statement. If the connection has gone silent, fails within seconds instead
 * of at the statement's timeout.
 * @throws SilentConnectionError if nothing has been committed and nothing will be
 */
export async function answered<T>(
  client: pg.ClientBase,
  sent: Promise<T>,
  { is_commit = false } = {},
): Promise<T> {
  const known = watched.get(client)
  return known ? known.watch.answered(client, sent, is_commit) : sent
}

/**
 * Stops watching a connection if `pid` is not its known server process. A pooler may run the
 * transaction in another session, which cannot be checked.
 */
export function confirmBackend(client: pg.ClientBase, pid: number): void {
  if (watched.get(client)?.backend.pid !== pid) watched.delete(client)
}

/** Closes a silent connection and ends its server session, which could hold its locks forever. */
export async function abandon(client: pg.ClientBase): Promise<void> {
  streamOf(client).destroy()
  const known = watched.get(client)
  await known?.watch.end(known.backend).catch(() => {})
}

function close(client: pg.Client): void {
  client.end().catch(() => {})
}

function streamOf(client: pg.ClientBase): Socket {
  return (client as unknown as { connection: { stream: Socket } }).connection.stream
}
