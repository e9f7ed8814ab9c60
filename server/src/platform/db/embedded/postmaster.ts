/** Starts the server, recognizes one that is already running, and stops it. */
import { execFileSync } from 'node:child_process'
import * as fs from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fullDiskLine, isWithoutRoom } from './disk-full.ts'
import { knownSocketFolder, type Layout, port, requireSocketFolder } from './layout.ts'
import { dataArgument, type Program, startProgram } from './program.ts'
import { becomesStuck } from './stuck.ts'

/** `exited` resolves when the server's main process is gone, for whatever reason. */
export type Postmaster = { pid: number; exited: Promise<void> }

const POLL_MS = 1_000
/** With the immediate shutdown that follows, less than the 25 seconds that `serve` has to stop. */
const FAST_MS = 10_000

const settings = {
  // Local connections only, and every commit is on disk before it is acknowledged.
  listen_addresses: '',
  unix_socket_permissions: '0700',
  fsync: 'on',
  full_page_writes: 'on',
  synchronous_commit: 'on',
  max_connections: '100',
  // For a machine with one or two gigabytes, shared with the service itself. Parallel workers and
  // asynchronous I/O would add processes for queries that take milliseconds. Reports request
  // workers explicitly; these share memory through files, since a container's /dev/shm is small.
  shared_buffers: '128MB',
  work_mem: '8MB',
  maintenance_work_mem: '64MB',
  max_wal_size: '512MB',
  max_parallel_workers_per_gather: '0',
  dynamic_shared_memory_type: 'mmap',
  io_method: 'sync',
  // For SSDs. With the default, small tables are scanned in full to find a few rows.
  random_page_cost: '1.1',
  // Prepared statements are planned once, so statistics of a fast-growing new table must be fresh.
  autovacuum_naptime: '5s',
  jit: 'off',
  log_line_prefix: '%m [%p] ',
  log_checkpoints: 'off',
  cluster_name: 'headroom',
}

/**
 * Starts the server on its data folder and waits until it has recovered and accepts connections.
 * @returns undefined if `signal` aborts first; the server is then stopped
 * @throws Error with its last log lines if it exits instead; also if it makes no progress for
 *   `stuck_ms`, or if the socket folder is gone or belongs to another user
 */
export async function startPostmaster(
  layout: Layout,
  program: Program,
  extra: Record<string, string>,
  stuck_ms: number,
  signal: AbortSignal,
): Promise<Postmaster | undefined> {
  const socketFolder = requireSocketFolder(layout).socket_folder
  const all = { ...settings, ...extra, unix_socket_directories: `"${socketFolder}"` }
  const args = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  // Removes a dead server's socket lock, because its process id may have been reused.
  fs.rmSync(join(socketFolder, `.s.PGSQL.${port}.lock`), { force: true })
  const log = fs.openSync(layout.log, 'a', 0o600)
  const log_bytes = fs.fstatSync(log).size
  const child = startProgram(
    program,
    'postgres',
    ['-D', dataArgument(layout.data), '-p', `${port}`, ...args],
    { cwd: layout.data, stdio: ['ignore', log, log] },
  )
  fs.closeSync(log)
  let ended = false
  const exited = new Promise<void>(resolve => {
    child.once('error', () => resolve()).once('exit', () => resolve())
  }).then(() => {
    ended = true
  })
  const postmaster = { pid: child.pid!, exited }
  const watching = new AbortController()
  let isStuck = false
  const folderNow = () => knownSocketFolder(layout)?.socket_folder
  becomesStuck(layout, folderNow, stuck_ms, watching.signal).then(outcome => {
    isStuck = outcome === 'stuck'
  })
  try {
    while (!hasStatus(layout, child.pid, 'ready')) {
      if (isStuck) {
        await stopPostmaster(postmaster, 0)
        throw new Error(`PostgreSQL did not start: it made no progress for ${stuck_ms / 1000} s`)
      }
      if (ended) throw new Error(`PostgreSQL did not start: ${whyEnded(layout, log_bytes)}`)
      if (signal.aborted) {
        await stopPostmaster(postmaster, 0)
        return undefined
      }
      await sleep(5)
    }
  } finally {
    watching.abort()
  }
  return postmaster
}

/**
 * Resolves to `stopping` once the server shuts down because it received a signal, or to `ended`
 * when `signal` aborts. After SIGTERM, a server refuses connections until every open one has ended.
 */
export async function beginsToStop(
  layout: Layout,
  { pid }: Postmaster,
  signal: AbortSignal,
): Promise<'stopping' | 'ended'> {
  while (!hasStatus(layout, pid, 'stopping')) {
    try {
      await sleep(POLL_MS, undefined, { signal })
    } catch {
      return 'ended'
    }
  }
  return 'stopping'
}

/** Line 8 of postmaster.pid is `ready` once the server accepts connections. */
function hasStatus(layout: Layout, pid: number | undefined, status: 'ready' | 'stopping'): boolean {
  const lines = pidFile(layout)
  return Number(lines[0]) === pid && lines[7]?.trim() === status
}

function pidFile(layout: Layout): string[] {
  try {
    return fs.readFileSync(join(layout.data, 'postmaster.pid'), 'utf8').split('\n')
  } catch {
    return []
  }
}

/** Log lines about clients refused during the start, which do not explain its failure. */
const REFUSED = /FATAL: {2}the database system is |DETAIL: {2}Consistent recovery state/
const LINES_MAX = 8

/** Why a server ended, from what it logged after the first `log_bytes` of its log. */
function whyEnded({ log, home }: Layout, log_bytes: number): string {
  const logged = fs.readFileSync(log).subarray(log_bytes).toString()
  const full = fullDiskLine(logged)
  if (full) return full
  if (isWithoutRoom(home)) return `no space left on device, in ${home}`
  const lines = logged.trimEnd().split('\n')
  return lines
    .filter(line => !REFUSED.test(line))
    .slice(-LINES_MAX)
    .join('\n')
}

/**
 * Returns a server that outlived its supervisor, if it still answers in the socket folder. Stops
 * one that runs but no longer answers. Removes the pid file of a dead server: after a crash of the
 * machine or in a new container, its process id may belong to another process.
 */
export async function findPostmaster(
  layout: Layout,
  socketFolder: string | undefined,
): Promise<Postmaster | undefined> {
  const pid = Number(pidFile(layout)[0])
  if (!pid) return undefined
  if (isAlive(pid)) {
    if (socketFolder && (await answers(socketFolder))) return { pid, exited: gone(pid) }
    if (isOurs(layout, pid)) await stopPostmaster({ pid, exited: gone(pid) })
  }
  fs.rmSync(join(layout.data, 'postmaster.pid'), { force: true })
  return undefined
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    // A zombie, whose parent has not collected its exit status, is still listed.
    return !/\) Z /.test(readIfThere(`/proc/${pid}/stat`))
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

function readIfThere(file: string): string {
  return fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : ''
}

function isOurs(layout: Layout, pid: number): boolean {
  try {
    if (fs.existsSync('/proc/self/cwd')) {
      return fs.readlinkSync(`/proc/${pid}/cwd`) === fs.realpathSync(layout.data)
    }
    const command = execFileSync('ps', ['-o', 'command=', '-p', `${pid}`], { encoding: 'utf8' })
    return command.includes(layout.data)
  } catch {
    return false
  }
}

async function gone(pid: number): Promise<void> {
  while (isAlive(pid)) await sleep(100)
}

function answers(socketFolder: string): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect(join(socketFolder, `.s.PGSQL.${port}`))
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
}

/**
 * Stops the server: ends sessions and keeps what they committed. A fast shutdown writes a
 * checkpoint; an immediate one leaves it to the next start, which then replays the log. Resolves
 * when the server is down, or five seconds after a SIGKILL.
 * @param fast_ms after how long a fast shutdown becomes an immediate one; 0 for a server that does
 *   not serve, since PostgreSQL may never end a fast shutdown that began during its recovery
 * @throws Error when the server may not be signaled
 */
export async function stopPostmaster(
  { pid, exited }: Postmaster,
  fast_ms = FAST_MS,
): Promise<void> {
  const steps = [
    ['SIGINT', fast_ms],
    // The server itself kills its processes after five seconds.
    ['SIGQUIT', 10_000],
    ['SIGKILL', 5_000],
  ] as const
  for (const [signal, patience] of fast_ms > 0 ? steps : steps.slice(1)) {
    try {
      process.kill(pid, signal)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code !== 'ESRCH') throw new Error(`${signal} to the server (${pid}) failed: ${code}`)
    }
    const late = new AbortController()
    const waited = sleep(patience, 'late', { signal: late.signal }).catch(() => 'aborted')
    const outcome = await Promise.race([exited, waited])
    late.abort()
    if (outcome !== 'late') return
  }
}
