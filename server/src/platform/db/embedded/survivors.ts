/**
 * Processes of a dead server. They normally exit with it, but one that is suspended or waits for a
 * disk keeps its shared memory, and no new server starts while that is in use.
 */
import * as fs from 'node:fs'
import { basename } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Layout } from './layout.ts'

const PATIENCE_MS = 5_000
const LOOK_AGAIN_MS = 10

/** `left` has the ids of processes still there, with the error of those that cannot be killed. */
export type Survivors = { killed: number; left: string[] }

/**
 * Kills what is left of a dead server, and waits up to five seconds for it to exit. That loses no
 * commit, since recovery replays the log. Call only while holding the lock, with no server running.
 * Without /proc none can be recognized; then a start is retried until they have exited.
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
    await sleep(LOOK_AGAIN_MS)
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
    // After an update of the program, the link has a note behind the old one's name.
    const program = basename(fs.readlinkSync(`/proc/${pid}/exe`)).replace(/ \(deleted\)$/, '')
    // A single-user server, which ends with its input, may be an operator's.
    const args = fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
    return program === 'postgres' && !args.includes('--single')
  } catch {
    return false
  }
}
