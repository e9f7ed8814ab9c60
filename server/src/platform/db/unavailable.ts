/** Which errors mean that the database cannot serve for now, as opposed to a fault of ours. */

/**
 * `exhausted`: no connection was free in time. `away`: it is starting, stopping, out of memory or
 * not reachable. `full`: its disk has no space left. `read_only`: it takes no writes, as a standby.
 */
export type Unavailability = 'exhausted' | 'away' | 'full' | 'read_only'

/** No connection was obtained. Nothing was sent to the database. */
export class NoConnectionError extends Error {
  override name = 'NoConnectionError'
  readonly unavailability: 'exhausted' | 'away'
  readonly code: string | undefined

  constructor(unavailability: 'exhausted' | 'away', message: string, cause?: unknown) {
    super(message, { cause })
    this.unavailability = unavailability
    this.code = (cause as { code?: string } | undefined)?.code
  }
}

const DISK_FULL = '53100'
const TOO_MANY_CONNECTIONS = '53300'
const READ_ONLY = '25006'
/**
 * Classes 08 (connection), 53 (resources), 57P0 (shutdown, start, idle session) and 58 (input and
 * output), sessions that the server ended for being idle or slow, and a socket that was closed.
 */
const AWAY = /^(08|53|57P0|58)[0-9A-Z]+$|^25P0[34]$|^(ECONNREFUSED|ECONNRESET|EPIPE)$/
/** The driver has no codes for these. */
const LOST = [
  'Connection terminated',
  'Client has encountered a connection error',
  'Client was closed',
  'Query read timeout',
  'Cannot use a pool after calling end',
]

/** Why the database is unavailable, as far as an error says so; null for every other error. */
export function unavailabilityOf(error: unknown): Unavailability | null {
  if (!(error instanceof Error)) return null
  if (error instanceof NoConnectionError) return error.unavailability
  const { code } = error as { code?: unknown }
  if (code === DISK_FULL) return 'full'
  if (code === TOO_MANY_CONNECTIONS) return 'exhausted'
  if (code === READ_ONLY) return 'read_only'
  const isLost = LOST.some(beginning => error.message.startsWith(beginning))
  if (isLost || AWAY.test(String(code))) return 'away'
  // Of many pieces of work, one that could not be done for this reason is reason enough.
  const inner = error instanceof AggregateError ? error.errors : []
  return inner.map(unavailabilityOf).find(found => found !== null) ?? null
}
