/**
 * Answers one request at a time per connection, so that each holds at most one answer. Closes
 * connections whose clients read too slowly or that would delay the server's stop, and, when too
 * many are open, those of the network that has the most.
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
import { closeOverloaded, INCOMING } from './request-parsing.ts'

export interface ConnectionLimits {
  /** Maximum open connections, in all and of one network. */
  readonly open_max: number
  readonly network_max: number
  /** Maximum requests waiting on a connection behind the one being answered. */
  readonly waiting_max: number
  /** The shortest period over which a client's reading speed is measured. */
  readonly slow_ms: number
  /** The same during shutdown, which is also how long requests may still arrive then. */
  readonly stopping_ms: number
  readonly bytes_per_second_min: number
  readonly look_ms: number
}

/** Each connection takes some ten kilobytes, so more would not help. */
const OPEN_MAX = 10_000
/** The rest is for the database, files and webhooks. */
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

/** What a connection is doing; the lower, the sooner it is closed to make room. */
const DOES = { nothing_yet: 0, nothing_now: 1, request_of_anyone: 2, request_of_caller: 3 } as const

const WARNINGS_APART_MS = 60_000

interface Connection {
  readonly network: string
  /** The latest answer whose turn has come; null before the first request. */
  answer: ServerResponse | null
  waiting: number
  /** When this answer was first seen waiting to be read, and the bytes read by then. */
  since: number | null
  read_bytes: number
}

export class Connections {
  readonly #limits: ConnectionLimits
  readonly #onFull: (network: string) => void
  readonly #open = new Map<Socket, Connection>()
  /** The open connections of each network, oldest first. */
  readonly #networks = new Map<string, Set<Socket>>()
  /** Requests with a valid key, session or cookie of a known browser. */
  readonly #of_callers = new WeakSet<IncomingMessage>()
  #stopping_since: number | null = null
  #warned_at = Number.NEGATIVE_INFINITY

  /** `onFull` is called when a connection is closed to make room, at most once a minute. */
  constructor(limits = CONNECTION_LIMITS, onFull: (network: string) => void = () => {}) {
    this.#limits = limits
    this.#onFull = onFull
  }

  /** Creates a server that is not yet listening. */
  createServer(options: ServerOptions, handle: RequestListener): Server {
    const server = createServer({ ...options, ...INCOMING }, (request, response) =>
      this.#inTurn(response, () => handle(request, response)),
    )
    server.on('connection', (socket: Socket) => {
      this.#add(socket)
      socket.once('close', () => this.#remove(socket))
      this.#makeRoom(socket)
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

  /** Keeps the request's connection from being closed to make room for others. */
  protect(request: IncomingMessage): void {
    this.#of_callers.add(request)
  }

  #add(socket: Socket): void {
    const network = networkOf(socket.remoteAddress)
    this.#open.set(socket, { network, answer: null, waiting: 0, since: null, read_bytes: 0 })
    const same = this.#networks.get(network) ?? new Set()
    this.#networks.set(network, same.add(socket))
  }

  #remove(socket: Socket): void {
    const { network } = this.#open.get(socket) ?? {}
    if (network === undefined) return
    this.#open.delete(socket)
    const same = this.#networks.get(network)!
    same.delete(socket)
    if (same.size === 0) this.#networks.delete(network)
  }

  /**
   * Closes a connection if the new one is too many: one of its own network, or of the network that
   * has the most, or else the new one. Node's `maxConnections` would always close the new one,
   * whoever opened the others.
   */
  #makeRoom(added: Socket): void {
    const { open_max, network_max } = this.#limits
    const { network } = this.#open.get(added)!
    const same = this.#networks.get(network)!
    const is_network_full = same.size > network_max
    if (!is_network_full && this.#open.size <= open_max) return
    const among = is_network_full ? [same] : this.#networks.values()
    const found = this.#leastBusyOfLargest(among, added) ?? added
    this.#warn(this.#open.get(found)!.network)
    // Its close event comes too late for connections accepted together.
    this.#remove(found)
    found.destroy()
  }

  #warn(network: string): void {
    const now = performance.now()
    if (now - this.#warned_at < WARNINGS_APART_MS) return
    this.#warned_at = now
    this.#onFull(network)
  }

  /** In the largest network that has a connection to close. */
  #leastBusyOfLargest(networks: Iterable<Set<Socket>>, added: Socket): Socket | null {
    let found: Socket | null = null
    let size = 0
    for (const sockets of networks) {
      const socket = sockets.size > size ? this.#leastBusy(sockets, added) : null
      if (!socket) continue
      found = socket
      size = sockets.size
    }
    return found
  }

  /**
   * The oldest of the least busy connections, except the one just added; null if all others carry
   * requests of callers.
   */
  #leastBusy(sockets: Set<Socket>, added: Socket): Socket | null {
    let found: Socket | null = null
    let least: number = DOES.request_of_caller
    for (const socket of sockets) {
      const does = socket === added ? DOES.request_of_caller : this.#does(socket)
      if (does >= least) continue
      found = socket
      least = does
      if (least === DOES.nothing_yet) break
    }
    return found
  }

  #does(socket: Socket): number {
    const { answer } = this.#open.get(socket)!
    if (answer === null) return DOES.nothing_yet
    if (answer.writableFinished) return DOES.nothing_now
    return this.#of_callers.has(answer.req) ? DOES.request_of_caller : DOES.request_of_anyone
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
