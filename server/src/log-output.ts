/**
 * Writes log lines to a file descriptor and never fails, even if the disk is full or the reader has
 * stopped or gone away. Lines that do not fit the buffer are dropped and counted.
 */
import { write, writeSync } from 'node:fs'

/** Maximum number of characters to buffer. */
const WAITING_LENGTH_MAX = 4 * 1024 * 1024
/** A write takes buffered lines until it has this many characters. */
const AT_ONCE = 64 * 1024
const RETRY_MS = 250

type Write = typeof write

/** Outputs with lines to write. One listener serves them all, however many a process has opened. */
const unwritten = new Set<LogOutput>()
process.once('exit', () => {
  for (const output of unwritten) output.writeRest()
})

export class LogOutput {
  readonly #fd: number
  readonly #tellLost: (lines: number) => void
  readonly #write: Write
  readonly #waiting: string[] = []
  #waiting_length = 0
  /** The bytes being written, or waiting for a retry. */
  #rest: Buffer | null = null
  /** Whether a write is running or scheduled to be retried. */
  #is_writing = false
  #is_under_way = false
  #lost = 0

  /** `tellLost` is called with the number of lost lines once lines can be written again. */
  constructor(fd: number, tellLost: (lines: number) => void, writeTo = write) {
    this.#fd = fd
    this.#tellLost = tellLost
    this.#write = writeTo
  }

  write(line: string): void {
    if (this.#waiting_length + line.length > WAITING_LENGTH_MAX) {
      this.#lost++
      return
    }
    this.#waiting.push(line)
    this.#waiting_length += line.length
    unwritten.add(this)
    if (!this.#is_writing) this.#begin()
  }

  #begin(): void {
    this.#rest ??= this.#take()
    this.#is_writing = this.#rest !== null
    if (!this.#rest) {
      unwritten.delete(this)
      return
    }
    this.#is_under_way = true
    this.#write(this.#fd, this.#rest, 0, this.#rest.length, null, (error, count) => {
      this.#is_under_way = false
      if (error) {
        // A pending retry must not keep the process running.
        setTimeout(() => this.#begin(), RETRY_MS).unref()
        return
      }
      this.#rest = remainder(this.#rest!, count)
      if (!this.#rest) this.#tell()
      this.#begin()
    })
  }

  #take(): Buffer | null {
    if (this.#waiting.length === 0) return null
    let length = 0
    let count = 0
    while (count < this.#waiting.length && length < AT_ONCE)
      length += this.#waiting[count++]!.length
    const lines = this.#waiting.splice(0, count)
    this.#waiting_length -= length
    return Buffer.from(lines.join(''))
  }

  #tell(): void {
    const has_room = this.#waiting_length < WAITING_LENGTH_MAX / 2
    if (this.#lost === 0 || !has_room) return
    const lines = this.#lost
    this.#lost = 0
    this.#tellLost(lines)
  }

  /** Synchronous, because asynchronous writes do not finish once the process exits. */
  writeRest(): void {
    // The thread pool is already writing this part.
    if (this.#is_under_way) this.#rest = null
    try {
      for (;;) {
        this.#rest ??= this.#take()
        if (!this.#rest) return
        this.#rest = remainder(this.#rest, writeSync(this.#fd, this.#rest))
      }
    } catch {
      // The log has failed, so there is nowhere to report this.
    }
  }
}

function remainder(written: Buffer, count: number): Buffer | null {
  return count < written.length ? written.subarray(count) : null
}
