/** The processes that read PDFs, as Linux shows them. */
import { readFileSync } from 'node:fs'

const READER = 'pdf-process.ts'

export const stateOf = (pid: string, file: string) => readFileSync(`/proc/${pid}/${file}`, 'utf8')

/** Process IDs of the readers started by a process. */
export function readersOf(pid: number): string[] {
  return childrenOf(pid).filter(child => commandOf(child).includes(READER))
}

/** CPU time of a process, in ticks of the kernel; null once it has ended. */
export function cpuTicks(pid: string): string | null {
  try {
    // After the name in brackets, which may contain spaces, user time is the 12th field.
    const [user, system] = stateOf(pid, 'stat').split(') ').at(-1)!.split(' ').slice(11, 13)
    return `${user} ${system}`
  } catch {
    return null
  }
}

export function childrenOf(pid: number): string[] {
  return stateOf(`${pid}/task/${pid}`, 'children').trim().split(' ').filter(Boolean)
}

/** Empty for a child that has ended meanwhile. */
function commandOf(pid: string): string {
  try {
    return stateOf(pid, 'cmdline')
  } catch {
    return ''
  }
}
