/** A process's hold on the server: a connection to the supervisor, which it starts if necessary. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import * as fs from 'node:fs'
import { connect, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { controlSocket, knownSocketFolder, type Layout, type Message } from './layout.ts'

const PATIENCE_MS = 120_000

export type Hold = {
  /** Releases the hold. If it was the last one, resolves only once the server has stopped. */
  release(): Promise<void>
  /** Resolves once the connection has closed, after a release or the supervisor's death. */
  lost: Promise<void>
}

export type Listener = {
  log(line: string): void
  /** Reports whether a full disk keeps the server from starting. */
  storageFull(is_full: boolean): void
}

/** Options for starting the server; ignored if it is already running. */
export type ServerOptions = {
  readonly settings: Record<string, string>
  readonly stuck_ms: number
}

/**
 * Acquires a hold on the database's server, starting it if necessary, and resolves when it is
 * ready.
 * @throws Error when the folder is not usable or the server cannot be started or reached, or an
 * AbortError once the signal aborts. A server being started for this hold then stops by itself.
 */
export async function acquireHold(
  layout: Layout,
  folder: string,
  { settings, stuck_ms }: ServerOptions,
  listener: Listener,
  signal: AbortSignal,
): Promise<Hold> {
  makeHome(layout)
  const deadline = Date.now() + PATIENCE_MS
  while (Date.now() < deadline) {
    signal.throwIfAborted()
    const first = await connectToSupervisor(layout, listener, signal)
    if (first) return first
    const starter = await startSupervisor(layout, folder, { settings, stuck_ms }, signal)
    try {
      const held = starter && (await connectToSupervisor(layout, listener, signal))
      if (held) return held
    } finally {
      // Until here, the pipe to the supervisor counted as our hold.
      starter?.disconnect()
    }
    await sleep(50, undefined, { signal })
  }
  throw new Error(`Another process keeps ${layout.home} locked, and its server does not answer.`)
}

function makeHome(layout: Layout): void {
  try {
    fs.mkdirSync(layout.home, { recursive: true, mode: 0o700 })
    fs.accessSync(layout.home, fs.constants.R_OK | fs.constants.W_OK)
  } catch (error) {
    throw new Error(
      `The database cannot be kept in ${layout.home} (${(error as Error).message}): set ` +
        'HEADROOM_DATA to a folder of your own, or start as the user who owns this one.',
    )
  }
}

/** @returns undefined when no supervisor listens, or it exited before its server was ready */
function connectToSupervisor(
  layout: Layout,
  listener: Listener,
  signal: AbortSignal,
): Promise<Hold | undefined> {
  const known = knownSocketFolder(layout)
  if (!known) return Promise.resolve(undefined)
  const socket = connect({ path: controlSocket(known.socket_folder), allowHalfOpen: true })
  const lost = new Promise<void>(resolve => socket.once('close', () => resolve()))
  socket.on('error', () => {}).on('end', () => socket.end())
  socket.once('connect', () => {
    // Another user may have taken the folder's name in between.
    if (knownSocketFolder(layout)?.socket_folder !== known.socket_folder) socket.destroy()
  })
  return new Promise((resolve, reject) => {
    const giveUp = () => {
      reject(signal.reason)
      socket.destroy()
    }
    signal.addEventListener('abort', giveUp)
    const lines = createInterface({ input: socket })
    // readline forwards the socket's errors; the socket closes anyway.
    lines.on('error', () => {})
    lines.on('line', line => {
      const message = JSON.parse(line) as Message
      if ('failed' in message) {
        reject(new Error(`${message.failed} (see ${layout.log})`))
        socket.destroy()
      } else if ('log' in message) listener.log(message.log)
      else if ('storage_full' in message) listener.storageFull(message.storage_full)
      else {
        listener.storageFull(false)
        signal.removeEventListener('abort', giveUp)
        resolve(holdOf(socket, lost))
      }
    })
    lost.then(() => {
      signal.removeEventListener('abort', giveUp)
      resolve(undefined)
    })
  })
}

function holdOf(socket: Socket, lost: Promise<void>): Hold {
  // An unreleased hold must not keep a process from exiting.
  socket.unref()
  return {
    lost,
    async release() {
      socket.ref()
      socket.end()
      await lost
    },
  }
}

/** @returns undefined when another supervisor holds the lock */
async function startSupervisor(
  layout: Layout,
  folder: string,
  { settings, stuck_ms }: ServerOptions,
  signal: AbortSignal,
): Promise<{ disconnect(): void } | undefined> {
  const log = fs.openSync(layout.log, 'a', 0o600)
  const script = fileURLToPath(new URL('supervise.ts', import.meta.url))
  const { PATH, TMPDIR, NODE_COMPILE_CACHE } = process.env
  // Detached, so that a terminal's Ctrl-C does not reach it. NODE_OPTIONS is not passed on.
  const given = [folder, JSON.stringify(settings), String(stuck_ms)]
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', script, ...given],
    {
      detached: true,
      cwd: '/',
      env: { PATH, TMPDIR, NODE_COMPILE_CACHE },
      stdio: ['pipe', 'pipe', log],
    },
  )
  fs.closeSync(log)
  child.stdin!.on('error', () => {})
  let reply: string
  try {
    reply = await firstLine(child, signal)
  } catch (error) {
    // The supervisor exits when no process holds its server.
    child.stdin!.destroy()
    throw error
  } finally {
    // Not sooner: if the supervisor died, a process with nothing else to wait for would just exit.
    child.unref()
    child.stdout!.destroy()
  }
  const answer = JSON.parse(reply) as { listening?: true; busy?: true; failed?: string }
  if (answer.listening) return { disconnect: () => child.stdin!.destroy() }
  child.stdin!.destroy()
  if (answer.busy) return undefined
  throw new Error(`${answer.failed} (see ${layout.log})`)
}

/** The supervisor's answer, which arrives before `close` but possibly after `exit`. */
async function firstLine(child: ChildProcess, signal: AbortSignal): Promise<string> {
  const settled = new AbortController()
  const either = { signal: AbortSignal.any([signal, settled.signal]) }
  try {
    const [reply] = await Promise.race([
      once(createInterface({ input: child.stdout! }), 'line', either),
      once(child, 'close', either).then(([code, killed]) => {
        const failed = `the supervisor of the database ended with ${code ?? killed}`
        return [JSON.stringify({ failed })]
      }),
    ])
    return reply
  } finally {
    settled.abort()
  }
}
