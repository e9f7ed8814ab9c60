/**
 * Requests as they are parsed. Node parses up to 64 KB, one read of a connection, in one go. Bodies
 * in tiny pieces and long queues of requests would take too long, so they are cut short here.
 */
import { IncomingMessage, type ServerOptions } from 'node:http'
import type { Socket } from 'node:net'

/** Any body may come in so many pieces, a larger one in more if they have this size on average. */
const PIECES_FREE = 1_000
const PIECE_BYTES_MIN = 256

/** Whether so many pieces with so many bytes in all are small ones. */
export function areSmall(pieces: number, bytes: number): boolean {
  return bytes < pieces * PIECE_BYTES_MIN
}

/** Connections on which too many requests wait. */
const crowded = new WeakSet<Socket>()

/** Ends a connection at the next request on it, or at the end of what is being parsed. */
export function endCrowded(socket: Socket): void {
  crowded.add(socket)
}

export class Incoming extends IncomingMessage {
  #pieces = 0
  #bytes = 0
  #is_left = false
  #upgrade: unknown = null

  /** Whether the body comes in pieces so small that the rest of it is not received. */
  get is_crumbled(): boolean {
    return this.#is_left || (this.#pieces > PIECES_FREE && areSmall(this.#pieces, this.#bytes))
  }

  /** Receives no more of the body. */
  leaveRest(): void {
    this.#is_left = true
  }

  /** Node reads what is left of a body once its request is answered. */
  override _read(size: number): void {
    if (!this.is_crumbled) super._read(size)
  }

  override push(piece: Buffer | null, encoding?: BufferEncoding): boolean {
    if (piece === null) return super.push(null)
    if (this.is_crumbled) return false
    this.#pieces += 1
    this.#bytes += piece.length
    return super.push(piece, encoding)
  }

  /**
   * Node reads this after the headers. A request that upgrades is the last one that it parses, and
   * it ends the connection, since nothing here serves upgrades.
   */
  get upgrade(): unknown {
    return crowded.has(this.socket) || this.#upgrade
  }

  set upgrade(value: unknown) {
    // The constructor of the base class sets it before there are fields.
    if (#upgrade in this) this.#upgrade = value
  }
}

/** For `createServer`. */
export const INCOMING: ServerOptions = {
  IncomingMessage: Incoming,
  shouldUpgradeCallback: ({ socket }) => crowded.has(socket),
}
