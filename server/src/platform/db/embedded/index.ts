/**
 * The embedded database: a real PostgreSQL server in the data folder, used when DATABASE_URL is not
 * set. It runs for as long as a process holds it. The first process starts it through a supervisor
 * (supervise.ts), further ones join, and it stops when the last one releases it or dies.
 */
import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { createFailureLog } from '../../kit/failure-log.ts'
import { unavailabilityOf } from '../unavailable.ts'
import { isDiskFull } from './disk-full.ts'
import { acquireHold, type Hold, type Listener } from './hold.ts'
import { layoutOf, port, requireSocketFolder } from './layout.ts'
import { readPasswords } from './passwords.ts'
import { ServerSocket } from './server-socket.ts'
import { STUCK_MS } from './stuck.ts'

/** `host` is the folder of the server's Unix socket, which can move; `openSocket` follows it. */
export type Connection = {
  host: string
  port: number
  user: string
  password: string
  database: string
}

export type Embedded = {
  /** The service's own unprivileged role. It owns its database and may create others. */
  connection: Connection
  /** The superuser, connected to the database postgres. */
  admin: Connection
  /**
   * Opens a socket for the driver's `stream` option. Long-lived clients need it: it finds the
   * server after the socket folder has moved, and never connects through a folder that belongs to
   * another user.
   */
  openSocket(): ServerSocket
  /**
   * Releases the hold; if it was the last one, resolves when the server is down. Stops any attempt
   * to replace a lost hold.
   */
  stop(): Promise<void>
}

const PATIENCE_MS = 120_000
const HOLD_RETRY_MS = 2_000

// The server is starting or stopping, or its socket does not exist yet after a restart.
const NOT_YET = ['57P03', '57P01', 'ECONNREFUSED', 'ENOENT', 'ECONNRESET']

/**
 * Starts the embedded database of a data folder, or joins it if it is already running. Waits while
 * the disk is too full for a start.
 * @param options.folder the data folder; it may be relative and need not exist
 * @param options.log receives a line for each slow step or failure
 * @param options.settings additional server settings; ignored if the server is already running
 * @param options.stuck_ms after how many milliseconds without a connection or progress the server
 *   is restarted; also ignored if it is already running
 * @throws Error when there is no server for this machine or it cannot start
 */
export async function startEmbedded(options: {
  folder: string
  log?: (line: string) => void
  settings?: Record<string, string>
  stuck_ms?: number
}): Promise<Embedded> {
  const { log = () => {}, settings = {}, stuck_ms = STUCK_MS } = options
  const folder = resolve(options.folder)
  const layout = layoutOf(folder)
  const stopping = new AbortController()
  let is_full = false
  const listener: Listener = {
    log,
    storageFull: now => {
      is_full = now
    },
  }
  const take = () => acquireHold(layout, folder, { settings, stuck_ms }, listener, stopping.signal)
  let hold = waitForHold(take, stopping.signal, listener, true)
  const follow = async () => {
    for (;;) {
      await (await hold).lost
      if (stopping.signal.aborted) return
      log('the supervisor of the database is gone: starting another')
      hold = waitForHold(take, stopping.signal, listener, false)
    }
  }
  await hold
  // Rejects only when `stop` ends a pending hold.
  follow().catch(() => {})

  const stop = async () => {
    stopping.abort()
    const last = await hold.catch(() => undefined)
    await last?.release()
  }
  try {
    // The next supervisor uses the same folder, unless another user takes its name in between.
    const host = requireSocketFolder(layout).socket_folder
    const passwords = readPasswords(layout)
    const connection = { host, port, user: 'headroom', password: passwords.headroom }
    const admin = { host, port, user: 'postgres', password: passwords.postgres }
    const openSocket = () => new ServerSocket(layout, () => is_full)
    const first = { ...connection, database: 'headroom', stream: openSocket }
    await firstAnswer(first, stopping.signal, listener)
    return {
      connection: { ...connection, database: 'headroom' },
      admin: { ...admin, database: 'postgres' },
      openSocket,
      stop,
    }
  } catch (error) {
    stop().catch(() => {})
    throw error
  }
}

/**
 * Takes a hold. Until `stopping` aborts, retries failures whose cause may pass: a full disk at the
 * first start, and any failure after a supervisor has been lost.
 */
async function waitForHold(
  take: () => Promise<Hold>,
  stopping: AbortSignal,
  { log, storageFull }: Listener,
  is_first: boolean,
): Promise<Hold> {
  const failures = createFailureLog(log)
  for (;;) {
    try {
      return await take()
    } catch (error) {
      const is_full = isDiskFull(error as Error)
      if (is_first && !is_full) throw error
      storageFull(is_full)
      failures.note(`the database is not started: ${(error as Error).message}`)
    }
    // At the first start, only this wait keeps the process running; later, it must not.
    await sleep(HOLD_RETRY_MS, undefined, { signal: stopping, ref: is_first })
  }
}

/**
 * Waits for the server to accept a connection. The first one after a crash writes a file, so on a
 * full disk this waits for space.
 */
async function firstAnswer(
  connection: pg.ClientConfig,
  stopping: AbortSignal,
  { log }: Listener,
): Promise<void> {
  const failures = createFailureLog(log)
  let deadline = Date.now() + PATIENCE_MS
  for (;;) {
    const client = new pg.Client(connection)
    client.on('error', () => {})
    try {
      await client.connect()
      await client.end()
      return
    } catch (error) {
      if (unavailabilityOf(error) === 'full') {
        failures.note(`the database accepts no connection: ${(error as Error).message}`)
        await sleep(HOLD_RETRY_MS, undefined, { signal: stopping })
        deadline = Date.now() + PATIENCE_MS
        continue
      }
      const code = (error as { code?: string }).code ?? ''
      if (!NOT_YET.includes(code) || Date.now() > deadline) throw error
      await sleep(20)
    }
  }
}
