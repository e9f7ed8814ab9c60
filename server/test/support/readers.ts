/** The processes that read PDFs, as Linux shows them. */
import { readFileSync } from 'node:fs'

const READER = 'pdf-process.ts'

export const stateOf = (pid: string, file: string) => readFileSync(`/proc/${pid}/${file}`, 'utf8')

/** Process IDs of the readers started by a process. */
export function readersOf(pid: number): string[] {
  return childrenOf(pid).filter(child => commandOf(child).includes(READER))
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
