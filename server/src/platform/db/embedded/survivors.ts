/**
 * Kills the processes that a dead server left behind. They normally exit with it, but one that is
 * suspended or waits for a disk keeps the shared memory in use, so that no new server can start.
 */
import * as fs from 'node:fs'
import { basename } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Layout } from './layout.ts'

const PATIENCE_MS = 5_000
const POLL_MS = 10

/** `left` lists the ids of processes still running, with the error if one could not be killed. */
export type Survivors = { killed: number; left: string[] }

/**
 * Kills the processes and waits up to five seconds for them to exit. No commit is lost, since
 * recovery replays the log. Call only while holding the lock, with no server running. Without /proc
 * no process can be recognized; a start is then retried until they have exited.
 */
export async function killSurvivors(layout: Pick<Layout, 'data'>): Promise<Survivors> {
  const deadline = Date.now() + PATIENCE_MS
  const killed = new Set<number>()
  const refused = new Map<number, string>()
  for (;;) {
    const survivors = processesIn(layout.data)
    for (const pid of survivors) {
      try {
        process.kill(pid, 'SIGKILL')
        killed.add(pid)
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException
        if (code !== 'ESRCH') refused.set(pid, code!)
      }
    }
    if (survivors.length === 0 || Date.now() > deadline) {
      const left = survivors.map(pid => `${pid}${refused.has(pid) ? ` (${refused.get(pid)})` : ''}`)
      return { killed: killed.size, left }
    }
    await sleep(POLL_MS)
  }
}

function processesIn(data: string): number[] {
  if (!fs.existsSync('/proc/self/cwd') || !fs.existsSync(data)) return []
  const folder = fs.realpathSync(data)
  const pids = fs.readdirSync('/proc').filter(name => /^\d+$/.test(name))
  return pids.filter(pid => isServerProcess(pid, folder)).map(Number)
}

/** Whether the process is a PostgreSQL server in `folder`, other than a single-user one. */
function isServerProcess(pid: string, folder: string): boolean {
  try {
    if (fs.readlinkSync(`/proc/${pid}/cwd`) !== folder) return false
    // If an update replaced the program, Linux appends ` (deleted)` to the link's target.
    const program = basename(fs.readlinkSync(`/proc/${pid}/exe`)).replace(/ \(deleted\)$/, '')
    // A single-user server, which ends with its input, may be an operator's.
    const args = fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
    return program === 'postgres' && !args.includes('--single')
  } catch {
    return false
  }
}
