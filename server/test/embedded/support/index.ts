/** Shared by the embedded database tests: folders, processes that hold a database, deadlines. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import * as fs from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import type { Connection } from '../../../src/platform/db/embedded/index.ts'
import { layoutOf } from '../../../src/platform/db/embedded/layout.ts'
import { until } from '../../support/until.ts'

/** Tests that find processes through /proc run only on Linux. */
export const onLinux = fs.existsSync('/proc/self/cwd')

export function newFolder(): string {
  const folder = fs.mkdtempSync(join(tmpdir(), 'embedded-test-'))
  folders.push(folder)
  return folder
}

const folders: string[] = []

export async function removeFolders(): Promise<void> {
  for (const folder of folders.splice(0)) {
    if (onLinux) await allGone(folder)
    fs.rmSync(folder, { recursive: true, force: true })
  }
}

export type Client = {
  process: ChildProcess
  connection: Connection
  admin: Connection
  /** Tells the process to release the database, and waits for its confirmation. */
  stop(): Promise<void>
  /** kill -9 */
  kill(): Promise<void>
}

const script = fileURLToPath(new URL('client.ts', import.meta.url))

export type User = { uid?: number; gid?: number }

export function startClientProcess(folder: string, user: User = {}): ChildProcess {
  return spawn(process.execPath, [script, folder], { stdio: ['pipe', 'pipe', 'inherit'], ...user })
}

/** Starts a process that holds a folder's database; returns once it does. */
export async function startClient(folder: string, user: User = {}): Promise<Client> {
  const child = startClientProcess(folder, user)
  const exited = once(child, 'exit')
  const lines = createInterface({ input: child.stdout! })
  const next = () =>
    Promise.race([
      once(lines, 'line').then(([line]) => JSON.parse(line)),
      exited.then(([code]) => Promise.reject(new Error(`the client ended with ${code}`))),
    ])
  const { connection, admin } = await next()
  return {
    process: child,
    connection,
    admin,
    async stop() {
      const answer = next()
      child.stdin!.write('stop\n')
      await answer
      await exited
    },
    async kill() {
      child.kill('SIGKILL')
      await exited
    },
  }
}

export async function query(connection: Connection, sql: string) {
  const client = new pg.Client(connection)
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

/** Server processes working in or below this folder, and the supervisors of databases there. */
export function processesOf(folder: string): { server: number[]; supervisor: number[] } {
  const all = fs.readdirSync('/proc').filter(name => /^\d+$/.test(name))
  return {
    server: all.filter(pid => isServer(pid, folder)).map(Number),
    supervisor: all.filter(pid => isSupervisor(pid, folder)).map(Number),
  }
}

/** The target of a link; empty if it is gone or unreadable. */
export function linkOf(path: string): string {
  try {
    return fs.readlinkSync(path)
  } catch {
    return ''
  }
}

function isServer(pid: string, folder: string): boolean {
  return linkOf(`/proc/${pid}/cwd`).startsWith(folder)
}

function isSupervisor(pid: string, folder: string): boolean {
  try {
    const args = fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
    const at = args.findIndex(each => each.endsWith('supervise.ts'))
    return at >= 0 && args[at + 1]!.startsWith(folder)
  } catch {
    return false
  }
}

/** The server's main process, from its pid file. */
export function postmasterOf(folder: string): number {
  const file = join(layoutOf(folder).data, 'postmaster.pid')
  return Number(fs.readFileSync(file, 'utf8').split('\n')[0])
}

/** Waits until neither the server nor the supervisor of a folder is running. */
export async function allGone(folder: string): Promise<void> {
  for (;;) {
    const { server, supervisor } = processesOf(folder)
    const pids = [...server, ...supervisor].map(String)
    if (pids.length === 0) return
    // Scanning every process takes as long as a polling interval; checking these few is fast.
    await until(() => !pids.some(pid => isServer(pid, folder) || isSupervisor(pid, folder)))
  }
}

export function kill9(pids: number[]): void {
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It has already exited.
    }
  }
}
