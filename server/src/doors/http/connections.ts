/**
 * Connections: one request at a time is answered on each, so that a connection holds one answer at
 * most; one whose client reads too slowly is cut, and so is one that would keep the server from
 * stopping.
 */
import {
  createServer,
  type RequestListener,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http'
import type { Socket } from 'node:net'
import { endCrowded, INCOMING } from './incoming.ts'

export interface ConnectionLimits {
  /** Requests that may wait on a connection behind the one being answered. */
  readonly waiting_max: number
  /** A client that has an answer to read is measured over this time, or longer. */
  readonly slow_ms: number
  /** The same once the server is stopping, and how long it still receives requests then. */
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
  /** The newest answer whose turn has come; null before the first request. */
  answer: ServerResponse | null
  waiting: number
  /** When this answer was first seen waiting for its reader, and how much was read by then. */
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

  /** A server that is not listening yet. */
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

  /** From now on receives that are not finished and clients that do not read get little time. */
  stop(): void {
    this.#stopping_since = performance.now()
  }

  /** Whether a client has sent a whole request and not received all of its answer. */
  isAwaiting(socket: Socket): boolean {
    const answer = this.#open.get(socket)?.answer
    return !!answer && !answer.writableFinished && (answer.headersSent || answer.req.complete)
  }

  /**
   * Begins a request once all earlier answers on its connection have left. Until then nothing more
   * is read from the connection.
   */
  #inTurn(response: ServerResponse, begin: () => void): void {
    const { socket } = response.req
    const connection = this.#open.get(socket)
    if (!connection) return
    const takeTurn = () => {
      connection.answer = response
      connection.since = null
    }
    // Node assigns the socket to the answer whose turn it is.
    if (response.socket) {
      takeTurn()
      begin()
      return
    }
    socket.pause()
    connection.waiting += 1
    if (connection.waiting > this.#limits.waiting_max) endCrowded(socket)
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

  /** Whether no request is being carried out or answered some time after the stop began. */
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
