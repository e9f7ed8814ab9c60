/**
 * Detects a server that is running but will never serve again, for example because its recovery
 * waits for a disk that no longer answers.
 */
import * as fs from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Layout, port } from './layout.ts'

/** Longer than the checkpoint that ends a recovery, which reports no progress. */
export const STUCK_MS = 180_000
/**
 * The number of checks within `stuck_ms`. Counting checks excludes the time in which the machine
 * was suspended.
 */
const CHECKS = 10
const ANSWER_MS_MAX = 5_000
const TEXT_BYTES_MAX = 1_000_000
const CANNOT_CONNECT_NOW = '57P03'
/** Logged every ten seconds while files are synchronized and changes replayed. */
const PROGRESS = /elapsed time: [\d.]+ s/

/**
 * Resolves to `stuck` when the server has accepted no connection for `stuck_ms` and its recovery
 * has reported no progress either, or to `ended` when `signal` aborts. A server without a socket
 * folder accepts no connections.
 */
export async function becomesStuck(
  { log }: Pick<Layout, 'log'>,
  socketFolder: () => string | undefined,
  stuck_ms: number,
  signal: AbortSignal,
): Promise<'stuck' | 'ended'> {
  let left = CHECKS
  let seen_bytes = sizeOf(log)
  while (left > 0) {
    try {
      await sleep(stuck_ms / CHECKS, undefined, { signal })
    } catch {
      return 'ended'
    }
    const folder = socketFolder()
    const serves = folder !== undefined && (await accepts(folder))
    const bytes = sizeOf(log)
    const isWell = serves || PROGRESS.test(textBetween(log, seen_bytes, bytes))
    seen_bytes = bytes
    left = isWell ? CHECKS : left - 1
  }
  return 'stuck'
}

function sizeOf(file: string): number {
  try {
    return fs.statSync(file).size
  } catch {
    return 0
  }
}

function textBetween(file: string, start: number, end: number): string {
  let opened: number | null = null
  try {
    opened = fs.openSync(file, 'r')
    const buffer = Buffer.alloc(Math.min(Math.max(end - start, 0), TEXT_BYTES_MAX))
    fs.readSync(opened, buffer, 0, buffer.length, start)
    return buffer.toString()
  } catch {
    return ''
  } finally {
    if (opened !== null) fs.closeSync(opened)
  }
}

/**
 * Whether the server starts to authenticate a client, or refuses it for a reason other than not
 * being ready.
 */
export function accepts(socketFolder: string): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect(join(socketFolder, `.s.PGSQL.${port}`))
    const timer = setTimeout(() => socket.destroy(), ANSWER_MS_MAX)
    socket
      .once('connect', () => socket.write(startupMessage()))
      .once('data', answer => {
        resolve(!answer.includes(CANNOT_CONNECT_NOW))
        socket.destroy()
      })
      .once('error', () => {})
      .once('close', () => {
        clearTimeout(timer)
        resolve(false)
      })
  })
}

/** The first message of protocol 3.0, which contains no password. */
function startupMessage(): Buffer {
  const parameters = Buffer.from('user\0headroom\0database\0headroom\0\0')
  const head = Buffer.alloc(8)
  head.writeInt32BE(head.length + parameters.length, 0)
  head.writeInt32BE(3 << 16, 4)
  return Buffer.concat([head, parameters])
}
