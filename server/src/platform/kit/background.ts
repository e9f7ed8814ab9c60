/** Threads whose work may take longer so that requests are answered. */
import { setPriority } from 'node:os'

const NICE = 10

/**
 * Lets the calling thread work only when nothing more urgent wants the processor. Linux alone
 * has priorities of single threads; elsewhere this would slow down the whole process.
 */
export function workInBackground(): void {
  if (process.platform === 'linux') setPriority(0, NICE)
}
