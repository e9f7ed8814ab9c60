/** Recognizes a start that failed because the disk is full. */
import { statfsSync } from 'node:fs'

/** How PostgreSQL, initdb and Node report a full disk. */
const FULL = /no space left on device|disk quota exceeded/i
/** With less space, a server may fail to start without being able to log why. */
const ROOM_BYTES_MIN = 1_000_000

/** The line of a text that reports a full disk; undefined if none does. */
export function fullDiskLine(text: string): string | undefined {
  return text.split('\n').find(line => FULL.test(line))
}

export function isDiskFull({ message }: Error): boolean {
  return FULL.test(message)
}

export function isWithoutRoom(folder: string): boolean {
  return freeBytes(folder) < ROOM_BYTES_MIN
}

/** The bytes that an ordinary user may still write; NaN if the file system does not report them. */
export function freeBytes(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize
  } catch {
    return Number.NaN
  }
}
