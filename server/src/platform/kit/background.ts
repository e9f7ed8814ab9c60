/** Lowers the priority of threads whose work is less urgent than serving requests. */
import { setPriority } from 'node:os'

const PRIORITY = 10

/**
 * Lowers the calling thread's CPU priority. Does nothing outside Linux: only Linux sets priorities
 * per thread; elsewhere this would slow the whole process.
 */
export function workInBackground(): void {
  if (process.platform === 'linux') setPriority(0, PRIORITY)
}
