/** Allows one supervisor per cluster. The kernel releases its lock even if it crashes. */
import { DatabaseSync } from 'node:sqlite'

// Node has no flock. SQLite uses the equivalent kernel lock on every system we support; the file
// stays empty. This reference lives as long as the process and keeps the lock held.
const held: DatabaseSync[] = []

const BUSY = 5
const CANNOT_OPEN = 14

/**
 * Acquires the lock on `file` for the rest of this process's life.
 * @returns false when another process holds it
 * @throws Error when the file cannot be created or locked
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
