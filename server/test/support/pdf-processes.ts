/** Inspects the processes that read PDFs, through Linux's `/proc`. */
import { readFileSync } from 'node:fs'

const READER = 'pdf-process.ts'

export const stateOf = (pid: string, file: string) => readFileSync(`/proc/${pid}/${file}`, 'utf8')

/** Process IDs of the readers started by a process. */
export function readersOf(pid: number): string[] {
  return childrenOf(pid).filter(child => stateIfAny(child, 'cmdline').includes(READER))
}

/** CPU time of a process, in hundredths of a second; NaN once it has ended. */
export function cpuOf(pid: string): number {
  const [user, system] = stateIfAny(pid, 'stat').split(') ').at(-1)!.split(' ').slice(11, 13)
  return Number(user) + Number(system)
}

export function childrenOf(pid: number): string[] {
  return stateOf(`${pid}/task/${pid}`, 'children').trim().split(' ').filter(Boolean)
}

/** Returns an empty string if the process has ended. */
function stateIfAny(pid: string, file: string): string {
  try {
    return stateOf(pid, file)
  } catch {
    return ''
  }
}
