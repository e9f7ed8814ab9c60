/** Distinguishes errors that mean the database is temporarily unavailable from our own bugs. */

/**
 * `exhausted`: no connection became free in time. `away`: starting, stopping, out of memory or
 * unreachable. `full`: no disk space left. `read_only`: accepts no writes, like a standby.
 */
export type Unavailability = 'exhausted' | 'away' | 'full' | 'read_only'

/** Why there is no connection. A full disk also keeps the server from opening one. */
type NoConnection = Exclude<Unavailability, 'read_only'>

export class NoConnectionError extends Error {
  override name = 'NoConnectionError'
  readonly unavailability: NoConnection
  readonly code: string | undefined

  constructor(unavailability: NoConnection, message: string, cause?: unknown) {
    super(message, { cause })
    this.unavailability = unavailability
    this.code = (cause as { code?: string } | undefined)?.code
  }
}

/**
 * A connection stopped answering. Within a transaction, nothing was committed. A statement outside
 * one may have taken effect, so only repeatable statements are sent that way.
 */
export class SilentConnectionError extends NoConnectionError {
  override name = 'SilentConnectionError'

  constructor(message: string, cause?: unknown) {
    super('away', message, cause)
  }
}

const DISK_FULL = '53100'
const TOO_MANY_CONNECTIONS = '53300'
const READ_ONLY = '25006'
/**
 * Classes 08 (connection), 53 (resources), 57P0 (shutdown, startup, idle session) and 58 (I/O),
 * sessions the server ended for being idle or slow, and refused or closed sockets.
 */
const UNAVAILABLE_CODES = /^(08|53|57P0|58)[0-9A-Z]+$|^25P0[34]$|^(ECONNREFUSED|ECONNRESET|EPIPE)$/
/** The driver gives these errors no code. */
const LOST = [
  'Connection terminated',
  'Client has encountered a connection error',
  'Client was closed',
  'Query read timeout',
  'Cannot use a pool after calling end',
]

/** Why the database is unavailable, if the error shows that it is; null for any other error. */
export function unavailabilityOf(error: unknown): Unavailability | null {
  if (!(error instanceof Error)) return null
  if (error instanceof NoConnectionError) return error.unavailability
  const { code } = error as { code?: unknown }
  if (code === DISK_FULL) return 'full'
  if (code === TOO_MANY_CONNECTIONS) return 'exhausted'
  if (code === READ_ONLY) return 'read_only'
  const isLost = LOST.some(beginning => error.message.startsWith(beginning))
  if (isLost || UNAVAILABLE_CODES.test(String(code))) return 'away'
  // An AggregateError takes the reason of the first of its errors that has one.
  const inner = error instanceof AggregateError ? error.errors : []
  return inner.map(unavailabilityOf).find(found => found !== null) ?? null
}
