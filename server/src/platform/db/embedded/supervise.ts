/**
 * The supervisor: a separate process that runs one database's server while any process holds it,
 * restarts it after a crash or when it is stuck, and stops it after the last hold ends. Its
 * standard input is a pipe from the process that started it, which counts as a hold until that
 * process has connected.
 * Run as: node supervise.ts <data folder> <settings as JSON> <milliseconds until it is stuck>
 */
import * as fs from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ensureCluster } from './cluster.ts'
import { type Control, listenForHolds } from './control.ts'
import type { Identity } from './identity.ts'
import { controlSocket, knownSocketFolder, layoutOf, type Whereabouts } from './layout.ts'
import { takeLock } from './lock.ts'
import { findPostmaster, type Postmaster, startPostmaster, stopPostmaster } from './postmaster.ts'
import { chooseProgram, giveFolder, type Program } from './program.ts'
import { becomesStuck } from './stuck.ts'

const LOG_BYTES_MAX = 10_000_000
const START_PAUSES_MS = [100, 200, 400, 800, 1600]
const START_AGAIN_MS = 2000

const layout = layoutOf(process.argv[2]!)
const settings = JSON.parse(process.argv[3]!) as Record<string, string>
const stuck_ms = Number(process.argv[4])
let control: Control | undefined

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
  const program = chooseProgram(layout.home, socketFolderOf)
  const socketFolder = running ? known!.socket_folder : socketFolderOf(program.identity)

  const unheld = Promise.withResolvers<'unheld'>()
  let starterHolds = true
  const stopIfUnheld = () => {
    if (starterHolds || control!.holds() > 0) return
    // Refuse at once, so that no new process gets a hold on a server about to stop.
    control!.refuse()
    unheld.resolve('unheld')
  }
  control = await listenForHolds(controlSocket(socketFolder), stopIfUnheld)
  const starterGone = () => {
    starterHolds = false
    stopIfUnheld()
  }
  process.stdin.on('end', starterGone).on('error', starterGone).resume()
  process.on('SIGTERM', () => unheld.resolve('unheld'))
  // A terminal's Ctrl-C is meant for the service, which decides when it is done with the database.
  for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => {})
  answerStarter({ listening: true })

  try {
    await serve(program, socketFolder, running, unheld.promise)
  } catch (error) {
    console.error(error)
    control.tell({ failed: (error as Error).message })
    // Keep the message available until every holder has read it.
    await unheld.promise
  }
  fs.rmSync(socketFolder, { recursive: true, force: true })
  fs.rmSync(layout.whereabouts, { force: true })
  await control.end()
}

/** Keeps a server running until the last hold ends. */
async function serve(
  program: Program,
  socketFolder: string,
  running: Postmaster | undefined,
  unheld: Promise<'unheld'>,
): Promise<void> {
  const start = () =>
    startPatiently(() => startPostmaster(layout, program, socketFolder, settings, stuck_ms))
  if (!running) await ensureCluster(layout, program, log)
  else log('found the server running')
  let postmaster = running ?? (await start())
  control!.tell({ ready: true })
  for (;;) {
    const watching = new AbortController()
    const stuck = becomesStuck(layout, socketFolder, stuck_ms, watching.signal)
    const outcome = await Promise.race([unheld, postmaster.exited, stuck])
    watching.abort()
    if (outcome === 'unheld') break
    if (outcome === 'stuck') {
      log(`the server accepts no connections and makes no progress for ${stuck_ms / 1000} s`)
      await stopPostmaster(postmaster, 'immediate')
    }
    log(`the server ${outcome === 'stuck' ? 'was stopped' : 'ended by itself'}: starting it again`)
    const again = await startUntil(start, unheld)
    if (!again) break
    postmaster = again
  }
  control!.refuse()
  await stopPostmaster(postmaster)
}

/**
 * Retries a failed restart while any process holds the server: the cause, such as a full disk, may
 * pass. Returns undefined once the last hold has ended.
 */
async function startUntil(
  start: () => Promise<Postmaster>,
  unheld: Promise<'unheld'>,
): Promise<Postmaster | undefined> {
  for (;;) {
    try {
      return await start()
    } catch (error) {
      log((error as Error).message)
    }
    if ((await Promise.race([unheld, sleep(START_AGAIN_MS)])) === 'unheld') return undefined
  }
}

/** Retries, because after a kill the old server's last processes may still be exiting. */
async function startPatiently(start: () => Promise<Postmaster>): Promise<Postmaster> {
  for (const pause of START_PAUSES_MS) {
    try {
      return await start()
    } catch (error) {
      log((error as Error).message)
      await sleep(pause)
    }
  }
  return await start()
}

/** A folder for this user only, its path short enough for a socket; the last one if usable. */
function socketFolderOf(identity: Identity): string {
  const known = knownSocketFolder(layout)
  if (known?.uid === identity.uid) return known.socket_folder
  if (known) fs.rmSync(known.socket_folder, { recursive: true, force: true })
  const own = identity.uid === process.getuid!() && tmpdir().length <= 60
  const folder = fs.mkdtempSync(join(own ? tmpdir() : '/tmp', 'headroom-'))
  giveFolder(folder, identity)
  const fresh = `${layout.whereabouts}.new`
  const inode = fs.statSync(layout.home).ino
  const whereabouts: Whereabouts = { socket_folder: folder, uid: identity.uid, inode }
  fs.writeFileSync(fresh, `${JSON.stringify(whereabouts)}\n`)
  fs.renameSync(fresh, layout.whereabouts)
  return folder
}

function keepLogShort(): void {
  if (fs.statSync(layout.log).size < LOG_BYTES_MAX) return
  fs.copyFileSync(layout.log, `${layout.log}.1`)
  // Truncated rather than renamed, since our own stderr writes to this file.
  fs.truncateSync(layout.log)
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
