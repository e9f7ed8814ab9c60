/**
 * Answers one request at a time per connection, so that each holds at most one answer. Closes
 * connections whose clients read too slowly or that would delay the server's stop, and, when too
 * many are open, those that `places.ts` chooses.
 */
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http'
import type { Socket } from 'node:net'
import { networkOf } from '../../platform/access/index.ts'
import { descriptorsMax } from './descriptors.ts'
import { type Activity, type Place, type PlaceLimits, Places } from './places.ts'
import { closeOverloaded, INCOMING } from './request-parsing.ts'

export interface ConnectionLimits extends PlaceLimits {
  /** Maximum number of requests waiting on a connection behind the one being answered. */
  readonly waiting_max: number
  /** The shortest period over which a client's reading speed is measured. */
  readonly slow_ms: number
  /** The same period during shutdown, and how long requests may still arrive after it has begun. */
  readonly stopping_ms: number
  readonly bytes_per_second_min: number
  readonly look_ms: number
}

/** Each connection takes about ten kilobytes, so this bounds their memory at about 100 MB. */
const OPEN_MAX = 10_000
/** The remaining descriptors are for the database, files and webhooks. */
const DESCRIPTORS_SHARE = 3 / 4

const open_max = Math.min(OPEN_MAX, Math.floor(descriptorsMax() * DESCRIPTORS_SHARE))

export const CONNECTION_LIMITS: ConnectionLimits = {
  open_max,
  network_max: Math.floor(open_max / 2),
  waiting_max: 16,
  slow_ms: 30_000,
  stopping_ms: 5_000,
  bytes_per_second_min: 16 * 1024,
  look_ms: 1_000,
}

const WARNING_INTERVAL_MS = 60_000

interface Connection extends Place {
  readonly socket: Socket
  is_callers: boolean
  /** The latest answer whose turn has come; null before the first request. */
  answer: ServerResponse | null
  waiting: number
  /** When the current measurement of the reading speed began, and the bytes read by then. */
  since: number | null
  read_bytes: number
}

export class Connections {
  readonly #limits: ConnectionLimits
  readonly #onFull: (network: string) => void
  readonly #open = new Map<Socket, Connection>()
  readonly #places: Places<Connection>
  #stopping_since: number | null = null
  #warned_at = Number.NEGATIVE_INFINITY

  /** `onFull` is called when a connection is closed to make room, at most once a minute. */
  constructor(limits = CONNECTION_LIMITS, onFull: (network: string) => void = () => {}) {
    this.#limits = limits
    this.#places = new Places(limits)
    this.#onFull = onFull
  }

  createServer(options: ServerOptions, handle: RequestListener): Server {
    const server = createServer({ ...options, ...INCOMING }, (request, response) =>
      this.#inTurn(response, () => handle(request, response)),
    )
    server.on('connection', (socket: Socket) => this.#add(socket))
    server.once('listening', () => {
      const timer = setInterval(() => this.#look(), this.#limits.look_ms).unref()
      server.once('close', () => clearInterval(timer))
    })
    return server
  }

  /** From now on, incomplete requests and slow readers get little time. */
  stop(): void {
    this.#stopping_since = performance.now()
  }

  /** Whether an answer is unfinished: it has begun, or its request has arrived in full. */
  isAwaiting(socket: Socket): boolean {
    const answer = this.#open.get(socket)?.answer
    return !!answer && !answer.writableFinished && (answer.headersSent || answer.req.complete)
  }

  /**
   * Records whether the running request is a caller's: it has a valid key or session, or comes from
   * a known browser. Its connection is then not closed for others.
   */
  identify(request: IncomingMessage, is_callers: boolean): void {
    const connection = this.#open.get(request.socket)
    const answer = connection?.answer
    // A lookup may end after its request has been answered with a timeout.
    if (!connection || answer?.req !== request || answer.writableFinished) return
    connection.is_callers ||= is_callers
    this.#places.change(connection, is_callers ? 'caller' : 'anonymous')
  }

  /**
   * Adds a connection and closes another if too many are open. Node's `maxConnections` would always
   * close the new one, whoever opened the others.
   */
  #add(socket: Socket): void {
    const connection: Connection = {
      socket,
      network: networkOf(socket.remoteAddress),
      activity: 'silent',
      is_callers: false,
      answer: null,
      waiting: 0,
      since: null,
      read_bytes: 0,
    }
    this.#open.set(socket, connection)
    const closed = this.#places.take(connection)
    socket.once('close', () => this.#remove(connection))
    if (!closed) return
    this.#warn(closed.network)
    // The `close` event would come too late when several connections are accepted together.
    this.#remove(closed)
    closed.socket.destroy()
  }

  #remove(connection: Connection): void {
    this.#open.delete(connection.socket)
    this.#places.leave(connection)
  }

  #warn(network: string): void {
    const now = performance.now()
    if (now - this.#warned_at < WARNING_INTERVAL_MS) return
    this.#warned_at = now
    this.#onFull(network)
  }

  /**
   * Starts a request once all earlier answers on its connection are sent. Reads nothing more from
   * the connection until then.
   */
  #inTurn(response: ServerResponse, begin: () => void): void {
    const { socket } = response.req
    const connection = this.#open.get(socket)
    if (!connection) return
    const takeTurn = () => {
      connection.answer = response
      connection.since = null
      this.#places.change(connection, activityOf(connection, response.req))
      response.once('finish', () => {
        // The next request on the connection may already have its turn.
        if (connection.answer !== response) return
        this.#places.change(connection, connection.is_callers ? 'caller_idle' : 'idle')
      })
    }
    // Node assigns the socket to the response whose turn it is.
    if (response.socket) {
      takeTurn()
      begin()
      return
    }
    socket.pause()
    connection.waiting += 1
    if (connection.waiting > this.#limits.waiting_max) closeOverloaded(socket)
    response.once('socket', () => {
      connection.waiting -= 1
      takeTurn()
      if (connection.waiting === 0) socket.resume()
      setImmediate(() => {
        if (!socket.destroyed) begin()
      })
    })
  }

  #look(): void {
    const now = performance.now()
    for (const [socket, connection] of this.#open) {
      if (this.#isLateForStop(connection, now) || this.#isSlow(socket, connection, now)) {
        socket.destroy()
      }
    }
  }

  /** Whether the connection has no request to finish `stopping_ms` after shutdown began. */
  #isLateForStop({ answer }: Connection, now: number): boolean {
    const { stopping_ms } = this.#limits
    if (this.#stopping_since === null || now - this.#stopping_since < stopping_ms) return false
    return answer === null || answer.writableFinished || !answer.req.complete
  }

  #isSlow(socket: Socket, connection: Connection, now: number): boolean {
    const { slow_ms, stopping_ms, bytes_per_second_min } = this.#limits
    const left_bytes = socket.writableLength
    if (left_bytes === 0) {
      connection.since = null
      return false
    }
    const read_bytes = socket.bytesWritten - left_bytes
    const passed_ms = connection.since === null ? 0 : now - connection.since
    if (connection.since !== null) {
      if (passed_ms < (this.#stopping_since === null ? slow_ms : stopping_ms)) return false
      const enough_bytes = (bytes_per_second_min * passed_ms) / 1000
      if (read_bytes - connection.read_bytes < enough_bytes) return true
    }
    connection.since = now
    connection.read_bytes = read_bytes
    return false
  }
}

/** The activity of a new request, before its sender is identified. */
function activityOf({ is_callers }: Connection, { headers }: IncomingMessage): Activity {
  // A caller's next request must not be cut off while its key is looked up.
  if (is_callers) return 'caller'
  return headers.authorization || headers.cookie ? 'claimed' : 'anonymous'
}
