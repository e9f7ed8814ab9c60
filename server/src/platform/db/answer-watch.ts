/**
 * Finds out why a statement is not answered for long. A proxy or failover can drop a connection
 * without a word, even in the middle of a transaction. Another connection then shows whether the
 * server still works on the statement, or waits for this client to send one.
 */
import type { Socket } from 'node:net'
import { setImmediate as ioTurn, setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { SilentConnectionError } from './unavailable.ts'

/** Most statements end sooner, so the server is rarely asked about one that it works on. */
const LATE_MS = 3_000
/** An answer that was under way at one look has arrived by the next. */
const LOOK_EVERY_MS = 2_000
/** The patience with the connection that asks. */
const LOOK_MS_MAX = 3_000
/** How long to wait until a server session has ended. */
const END_MS_MAX = 2_000

/** The server's side of a connection. Its process id alone may be given to another later. */
interface Backend {
  readonly pid: number
  readonly started: string
}

/** Returns the `Backend` of the connection it is sent on. */
const BACKEND = `select pid, extract(epoch from backend_start)::text as started
  from pg_stat_activity where pid = pg_backend_pid()`

/** `waits_since` is null while the server works, or waits for anything but its client. */
const LOOK = `select pid, extract(epoch from backend_start)::text as started, state,
    backend_xid::text as xid, pg_snapshot_xmax(pg_current_snapshot())::text as next_xid,
    case when wait_event_type = 'Client' then extract(epoch from state_change)::text end
      as waits_since
  from pg_stat_activity where pid = any($1)`

/** A role may end its own sessions. With $3, ends one only if it has waited since then. */
const END = `select pg_terminate_backend(pid, ${END_MS_MAX}) as ended from pg_stat_activity
  where pid = $1 and extract(epoch from backend_start)::text = $2
    and ($3::text is null or extract(epoch from state_change)::text = $3)`

interface Look extends Backend {
  readonly state: string | null
  readonly xid: string | null
  readonly next_xid: string
  readonly waits_since: string | null
}

/** A statement not answered for long. */
interface Late {
  readonly client: pg.ClientBase
  readonly is_commit: boolean
  /** What the last look found: whether that has changed shows whether anything moves. */
  seen: string | null
  /** Resolves to the error to report, once the watch gives the connection up. */
  verdict: Promise<Error | null> | null
}

interface Watched {
  readonly watch: AnswerWatch
  readonly backend: Backend
}

const watched = new WeakMap<pg.ClientBase, Watched>()

/** One for each pool. While statements are late it has one connection, outside the pool. */
export class AnswerWatch {
  readonly #options: pg.ClientConfig
  readonly #onSilence: () => void
  readonly #late = new Set<Late>()
  #isWatching = false

  constructor(options: pg.ClientConfig, onSilence: () => void) {
    this.#options = options
    this.#onSilence = onSilence
  }

  /** Sends the first statement of a new connection: `settings`. Learns its backend. */
  async meet(client: pg.ClientBase, settings: string, bounds = {}): Promise<void> {
    const query = { text: `${settings}; ${BACKEND}`, ...bounds }
    const answers = (await client.query(query)) as unknown as pg.QueryResult<Backend>[]
    const backend = answers.at(-1)!.rows[0]
    if (backend) watched.set(client, { watch: this, backend })
  }

  async answered<T>(client: pg.ClientBase, sent: Promise<T>, is_commit: boolean): Promise<T> {
    const late: Late = { client, is_commit, seen: null, verdict: null }
    const timer = setTimeout(() => {
      this.#late.add(late)
      this.#watch().catch(() => {})
    }, LATE_MS)
    try {
      return await sent
    } catch (error) {
      throw (await late.verdict) ?? error
    } finally {
      clearTimeout(timer)
      this.#late.delete(late)
    }
  }

  /** Ends the server's side of a connection that was given up, and with it its locks. */
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
        // Without an answer, the late statements keep their own time limits.
        if (asking) close(asking)
        asking = null
      }
      if (this.#late.size > 0) await sleep(LOOK_EVERY_MS, undefined, { ref: false })
    }
    this.#isWatching = false
    if (asking) close(asking)
  }

  async #open(): Promise<pg.Client> {
    const bounds = { connectionTimeoutMillis: LOOK_MS_MAX, query_timeout: LOOK_MS_MAX }
    // The pool hides the password from copies of its options.
    const { password } = this.#options
    const client = new pg.Client({ ...this.#options, password, ...bounds })
    client.on('error', () => {})
    await client.connect()
    return client
  }

  async #look(asking: pg.Client): Promise<void> {
    const lates = [...this.#late]
    const pids = lates.map(({ client }) => watched.get(client)?.backend.pid ?? null)
    const { rows } = await asking.query<Look>({ name: 'look', text: LOOK, values: [pids] })
    // Whatever has arrived on the other sockets is read first.
    await ioTurn()
    for (const late of lates) {
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

  /** Closes a silent connection, unless its server session moves after all. */
  async #giveUp(
    asking: pg.Client,
    late: Late,
    backend: Backend,
    look: Look | undefined,
  ): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<Error | null>()
    late.verdict = promise
    let verdict: Error | null = null
    try {
      const ended = !look || (await hasEnded(asking, backend, look))
      if (ended === null) return
      const undone = !late.is_commit || (ended && (await isUndone(asking, look)))
      verdict = undone
        ? new SilentConnectionError('no answer to a statement')
        : new Error('Connection terminated: no answer to a commit')
    } finally {
      if (verdict && this.#late.has(late)) {
        this.#onSilence()
        // Not the verdict itself, which holds for this statement only.
        streamOf(late.client).destroy(new Error('Connection terminated: it has gone silent'))
      }
      resolve(verdict)
    }
  }
}

/** Whether the session has ended now; null if it has moved since the look. */
async function hasEnded(asking: pg.Client, { pid, started }: Backend, look: Look) {
  const { rows } = await asking.query(END, [pid, started, look.waits_since])
  return rows[0] ? Boolean(rows[0].ended) : null
}

/**
 * Whether a transaction is certainly rolled back. Its session has ended, and until then waited for
 * the commit. The commit may still have come in between, so the transaction's own status decides.
 */
async function isUndone(asking: pg.Client, look: Look | undefined): Promise<boolean> {
  // A session that is gone or idle may have committed.
  if (!look?.state?.startsWith('idle in transaction')) return false
  // Without an id, it has written nothing.
  if (look.xid === null) return true
  const xid = wholeXid(BigInt(look.xid), BigInt(look.next_xid))
  const { rows } = await asking.query('select pg_xact_status($1::text::xid8) as status', [`${xid}`])
  return rows[0].status === 'aborted'
}

/** The 64-bit id of a running transaction, of which the activity shows the lower half. */
function wholeXid(xid: bigint, next_xid: bigint): bigint {
  return next_xid + BigInt.asIntN(32, xid - next_xid)
}

/**
 * The answer to statements of a transaction. When the connection has gone silent, fails within
 * seconds instead of when the time for an answer is up.
 * @throws SilentConnectionError when nothing was or can be committed
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
 * Notes which process serves a transaction. A pooler may hand its server sessions around: then it
 * is another than at first, and nothing is known about the session to look at.
 */
export function confirmBackend(client: pg.ClientBase, pid: number): void {
  if (watched.get(client)?.backend.pid !== pid) watched.delete(client)
}

/** Closes a silent connection, and ends its server session, which could hold its locks for good. */
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
