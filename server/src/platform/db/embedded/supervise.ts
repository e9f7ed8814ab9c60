/**
 * The supervisor: a separate process that runs one database's server while any process holds it,
 * restarts it when it ends or is stuck, and stops it after the last hold ends. Its standard input
 * is a pipe from the process that started it, which counts as a hold until that process has
 * connected.
 * Run as: node supervise.ts <data folder> <settings as JSON> <stuck_ms>
 */
import * as fs from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createFailureLog } from '../../kit/failure-log.ts'
import { ensureCluster } from './cluster.ts'
import { type Control, listenForHolds } from './control.ts'
import { freeBytes, isDiskFull } from './disk-full.ts'
import type { Identity } from './identity.ts'
import {
  controlSocket,
  knownSocketFolder,
  layoutOf,
  recordedSocketFolder,
  type SocketLocation,
} from './layout.ts'
import { takeLock } from './lock.ts'
import {
  beginsToStop,
  findPostmaster,
  type Postmaster,
  startPostmaster,
  stopPostmaster,
} from './postmaster.ts'
import { chooseProgram, giveFolder, type Program } from './program.ts'
import { accepts, becomesStuck } from './stuck.ts'
import { killSurvivors } from './survivors.ts'

const LOG_BYTES_MAX = 10_000_000
const START_PAUSES_MS = [100, 200, 400, 800, 1600]
const RESTART_DELAY_MS = 2000
/**
 * How long a start on a full disk waits for more space. Then it tries anyway, because the space may
 * suffice.
 */
const FULL_DISK_DELAY_MS = 60_000
/** How long a checkpoint may delay a restart that holders wait for. */
const RESTART_MS = 5000

const layout = layoutOf(process.argv[2]!)
const settings = JSON.parse(process.argv[3]!) as Record<string, string>
const stuck_ms = Number(process.argv[4])
const failures = createFailureLog(log)
let control: Control | undefined

// Ignored, because the service decides when it is done with the database. A service manager may
// send SIGTERM to every process of the service, this one included.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})

try {
  if (takeLock(layout.lock)) await main()
  else answerStarter({ busy: true })
} catch (error) {
  console.error(error)
  answerStarter({ failed: (error as Error).message })
}
// Exiting releases the lock.
process.exit()

async function main(): Promise<void> {
  keepLogShort()
  const known = knownSocketFolder(layout)
  const running = await findPostmaster(layout, known?.socket_folder)
  const folderOf = running ? () => known!.socket_folder : socketFolderOf
  const program = chooseProgram(layout.home, folderOf)
  const socketFolder = folderOf(program.identity)

  const unheld = new AbortController()
  let starterHolds = true
  const stopIfUnheld = () => {
    if (starterHolds || control!.holds() > 0) return
    // Refuse at once, so that no new process gets a hold on a server about to stop.
    control!.refuse()
    unheld.abort()
  }
  control = await listenForHolds(controlSocket(socketFolder), stopIfUnheld)
  const onStarterExit = () => {
    starterHolds = false
    stopIfUnheld()
  }
  process.stdin.on('end', onStarterExit).on('error', onStarterExit).resume()
  answerStarter({ listening: true })

  try {
    await serve(program, socketFolder, running, unheld.signal)
  } catch (error) {
    console.error(error)
    control.tell({ failed: (error as Error).message })
    // Keep the message available until every holder has read it.
    await aborted(unheld.signal)
  }
  // The folder's path stays recorded, because a process that lost its hold and is slow to take
  // another still connects there. The next supervisor therefore creates the folder again.
  if (isOwn(socketFolder)) fs.rmSync(socketFolder, { recursive: true, force: true })
  await control.end()
}

/** Keeps a server running until the last hold ends. */
async function serve(
  program: Program,
  socketFolder: string,
  running: Postmaster | undefined,
  unheld: AbortSignal,
): Promise<void> {
  const start = () =>
    startPatiently(async () => {
      await endSurvivors()
      return startPostmaster(layout, program, settings, stuck_ms, unheld)
    }, unheld)
  const startFirst = async () => {
    await endSurvivors()
    await ensureCluster(layout, program, log)
    return start()
  }
  if (running) log('found the server running')
  let postmaster: Postmaster | undefined =
    running ?? (await startUntil(startFirst, socketFolder, unheld, isDiskFull))
  if (postmaster) control!.tell({ ready: true })
  while (postmaster) {
    const outcome = await waitUntilNeeded(postmaster, socketFolder, unheld)
    if (outcome === 'unheld') break
    if (outcome === 'stuck') {
      log(`the server accepts no connections and makes no progress for ${stuck_ms / 1000} s`)
      await stopPostmaster(postmaster, 0)
    } else if (outcome === 'stopping') {
      log('a signal told the server to shut down')
      await stopPostmaster(postmaster, RESTART_MS)
    }
    log(`the server ${outcome === 'exited' ? 'ended by itself' : 'was stopped'}: starting it again`)
    postmaster = await startUntil(start, socketFolder, unheld)
    if (postmaster) control!.tell({ ready: true })
  }
  control!.refuse()
  if (postmaster) {
    const serves = isOwn(socketFolder) && (await accepts(socketFolder))
    await stopPostmaster(postmaster, serves ? undefined : 0)
  }
  await endSurvivors()
}

async function endSurvivors(): Promise<void> {
  const { killed, left } = await killSurvivors(layout)
  if (killed > 0) log(`killed ${killed} processes that a dead server left`)
  if (left.length > 0) log(`processes that a dead server left do not end: ${left.join(', ')}`)
}

/** Watches the server; returns why the supervisor has to act. */
async function waitUntilNeeded(
  postmaster: Postmaster,
  socketFolder: string,
  unheld: AbortSignal,
): Promise<'unheld' | 'exited' | 'stuck' | 'stopping' | 'ended'> {
  const watching = new AbortController()
  try {
    return await Promise.race([
      aborted(unheld).then(() => 'unheld' as const),
      postmaster.exited.then(() => 'exited' as const),
      becomesStuck(
        layout,
        () => (isOwn(socketFolder) ? socketFolder : undefined),
        stuck_ms,
        watching.signal,
      ),
      beginsToStop(layout, postmaster, watching.signal),
    ])
  } finally {
    watching.abort()
  }
}

/**
 * Retries a failed start while any process holds the server, because the cause, such as a full
 * disk, may pass. Throws failures that `mayPass` rejects: they need an operator. Returns undefined
 * once the last hold has ended, or when the socket folder is gone or belongs to another user.
 * Another supervisor then creates a folder for the holders.
 */
async function startUntil(
  start: () => Promise<Postmaster | undefined>,
  socketFolder: string,
  unheld: AbortSignal,
  mayPass: (error: Error) => boolean = () => true,
): Promise<Postmaster | undefined> {
  let storage_full = false
  for (;;) {
    try {
      keepLogShort()
      const started = await start()
      failures.end()
      return started
    } catch (error) {
      if (!mayPass(error as Error)) throw error
      failures.note((error as Error).message)
      const before: boolean = storage_full
      storage_full = isDiskFull(error as Error)
      if (storage_full !== before) control!.tell({ storage_full })
      await waitToRetry(storage_full, unheld)
    }
    if (unheld.aborted) return undefined
    if (!isOwn(socketFolder) || !fs.existsSync(controlSocket(socketFolder))) {
      log(`${socketFolder} is gone: another supervisor makes it again`)
      return undefined
    }
  }
}

/**
 * Waits before the next start. On a full disk, waits for more space, because each failed start adds
 * to PostgreSQL's log.
 */
async function waitToRetry(is_full: boolean, unheld: AbortSignal): Promise<void> {
  const deadline = performance.now() + (is_full ? FULL_DISK_DELAY_MS : 0)
  const free = freeBytes(layout.home)
  do {
    await sleep(RESTART_DELAY_MS, undefined, { signal: unheld }).catch(() => {})
  } while (!unheld.aborted && performance.now() < deadline && freeBytes(layout.home) <= free)
}

/**
 * Retries, because after a kill the old server's last processes may still be exiting. Returns
 * undefined once the last hold has ended.
 */
async function startPatiently(
  start: () => Promise<Postmaster | undefined>,
  unheld: AbortSignal,
): Promise<Postmaster | undefined> {
  for (const pause of START_PAUSES_MS) {
    if (unheld.aborted) return undefined
    try {
      return await start()
    } catch (error) {
      if (isDiskFull(error as Error)) throw error
      failures.note((error as Error).message)
      await sleep(pause, undefined, { signal: unheld }).catch(() => {})
    }
  }
  return unheld.aborted ? undefined : await start()
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

/** Whether this is the socket folder and no other user has taken its name. */
function isOwn(socketFolder: string): boolean {
  return knownSocketFolder(layout)?.socket_folder === socketFolder
}

/**
 * Returns a folder that only `identity` can enter, with a path short enough for a socket. Keeps the
 * recorded name if possible, because processes that outlived the last supervisor connect there.
 */
function socketFolderOf(identity: Identity): string {
  const known = knownSocketFolder(layout)
  if (known?.uid === identity.uid) return known.socket_folder
  const own = identity.uid === process.getuid!() && tmpdir().length <= 60
  const folder = recreated() ?? fs.mkdtempSync(join(own ? tmpdir() : '/tmp', 'headroom-'))
  try {
    giveFolder(folder, identity)
    record(folder, identity)
  } catch (error) {
    // The next attempt creates another folder.
    fs.rmSync(folder, { recursive: true, force: true })
    throw error
  }
  return folder
}

/** Records the folder. Writes nothing if it is already recorded, since the disk may be full. */
function record(socket_folder: string, { uid }: Identity): void {
  const recorded = recordedSocketFolder(layout)
  if (recorded?.socket_folder === socket_folder && recorded.uid === uid) return
  const fresh = `${layout.socket_location}.new`
  const { dev: device, ino: inode } = fs.statSync(layout.home)
  const socket_location: SocketLocation = { socket_folder, uid, device, inode }
  fs.writeFileSync(fresh, `${JSON.stringify(socket_location)}\n`)
  fs.renameSync(fresh, layout.socket_location)
}

/**
 * Creates the recorded socket folder again and returns it. Returns undefined if none is recorded,
 * another user has taken its name, or it cannot be created.
 */
function recreated(): string | undefined {
  const recorded = recordedSocketFolder(layout)
  if (!recorded) return undefined
  const { socket_folder: folder, uid } = recorded
  try {
    const found = fs.lstatSync(folder, { throwIfNoEntry: false })
    const isOurs = found && [uid, process.getuid!()].includes(found.uid)
    if (isOurs) fs.rmSync(folder, { recursive: true, force: true })
    fs.mkdirSync(folder, { mode: 0o700 })
    return folder
  } catch (error) {
    log(`another folder takes the place of ${folder}: ${(error as Error).message}`)
    return undefined
  }
}

function keepLogShort(): void {
  // An operator may have removed the log; the next start creates it again.
  const found = fs.statSync(layout.log, { throwIfNoEntry: false })
  if (!found || found.size < LOG_BYTES_MAX) return
  try {
    fs.copyFileSync(layout.log, `${layout.log}.1`)
    // Truncated rather than renamed, since our own stderr writes to this file.
    fs.truncateSync(layout.log)
  } catch (error) {
    // On a full disk there is no room for the copy, and the log does not grow either.
    failures.note(`${layout.log} is not shortened: ${(error as Error).message}`)
  }
}

function log(line: string): void {
  console.error(new Date().toISOString(), line)
  control?.tell({ log: line })
}

function answerStarter(answer: { busy: true } | { listening: true } | { failed: string }): void {
  try {
    fs.writeSync(1, `${JSON.stringify(answer)}\n`)
  } catch {
    // The starter has exited, so there is no process to answer.
  }
}
