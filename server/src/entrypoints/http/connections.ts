/**
 * Answers one request at a time per connection, so that each holds at most one answer. Closes
 * connections whose clients read too slowly or that would delay the server's stop.
 */
import {
  createServer,
  type RequestListener,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http'
import type { Socket } from 'node:net'
import { closeOverloaded, INCOMING } from './request-parsing.ts'

export interface ConnectionLimits {
  /** Maximum requests waiting on a connection behind the one being answered. */
  readonly waiting_max: number
  /** The shortest period over which a client's reading speed is measured. */
  readonly slow_ms: number
  /** The same during shutdown, which is also how long requests may still arrive then. */
  readonly stopping_ms: number
  readonly bytes_per_second_min: number
  readonly look_ms: number
}

export const CONNECTION_LIMITS: ConnectionLimits = {
  waiting_max: 16,
  slow_ms: 30_000,
  stopping_ms: 5_000,
  bytes_per_second_min: 16 * 1024,
  look_ms: 1_000,
}

interface Connection {
  /** The latest answer whose turn has come; null before the first request. */
  answer: ServerResponse | null
  waiting: number
  /** When this answer was first seen waiting to be read, and the bytes read by then. */
  since: number | null
  read_bytes: number
}

export class Connections {
  readonly #limits: ConnectionLimits
  readonly #open = new Map<Socket, Connection>()
  #stopping_since: number | null = null

  constructor(limits = CONNECTION_LIMITS) {
    this.#limits = limits
  }

  /** Creates a server that is not yet listening. */
  createServer(options: ServerOptions, handle: RequestListener): Server {
    const server = createServer({ ...options, ...INCOMING }, (request, response) =>
      this.#inTurn(response, () => handle(request, response)),
    )
    server.on('connection', (socket: Socket) => {
      this.#open.set(socket, { answer: null, waiting: 0, since: null, read_bytes: 0 })
      socket.once('close', () => this.#open.delete(socket))
    })
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

  /** Whether a client has sent a complete request and not yet received all of the answer. */
  isAwaiting(socket: Socket): boolean {
    const answer = this.#open.get(socket)?.answer
    return !!answer && !answer.writableFinished && (answer.headersSent || answer.req.complete)
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

  /** Whether the connection has no request to finish, some time after shutdown began. */
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
