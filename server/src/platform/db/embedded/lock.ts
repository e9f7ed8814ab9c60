/** One supervisor a cluster: a lock that the kernel drops with its owner, however that one dies. */
import { DatabaseSync } from 'node:sqlite'

// Node has no flock. SQLite takes the same kernel lock on every system we run on; the file stays
// empty. The reference lives as long as the process, so that the lock does too.
const held: DatabaseSync[] = []

const BUSY = 5
const CANNOT_OPEN = 14

/**
 * Takes the lock of `file` for the rest of this process's life.
 * @returns false when another process has it
 * @throws Error when the file cannot be made or locked
 */
export function takeLock(file: string): boolean {
  try {
    const lock = new DatabaseSync(file)
    lock.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')
    held.push(lock)
    return true
  } catch (error) {
    const code = (error as { errcode?: number }).errcode
    if (code === BUSY) return false
    const hint = code === CANNOT_OPEN && file.length > 500 ? ' (its path is too long)' : ''
    throw new Error(`cannot lock ${file}${hint}: ${(error as Error).message}`)
  }
}
