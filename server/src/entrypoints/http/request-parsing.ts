/**
 * Limits how requests are parsed. Node parses up to 64 KB, one read of a connection, in one go.
 * Bodies in tiny chunks and long queues of requests would take too long, so they are cut off.
 */
import { IncomingMessage, type ServerOptions } from 'node:http'
import type { Socket } from 'node:net'

/**
 * A body may have this many chunks of any size. With more, they must average `PIECE_BYTES_MIN`.
 */
const PIECES_FREE = 1_000
const PIECE_BYTES_MIN = 256

export function areSmall(pieces: number, bytes: number): boolean {
  return bytes < pieces * PIECE_BYTES_MIN
}

/**
 * The path and query of a request's target. Clients may send a whole URL, as to a proxy, whose host
 * our links must not repeat (RFC 9112, 3.2.2).
 */
export function originForm(target: string): string {
  const rest = target.replace(/^https?:\/\/[^/?#]*/i, '')
  return rest === target || rest.startsWith('/') ? rest : `/${rest}`
}

/** Connections with too many waiting requests. */
const crowded = new WeakSet<Socket>()

/** Ends a connection at its next request, or after what is currently being parsed. */
export function closeOverloaded(socket: Socket): void {
  crowded.add(socket)
}

export class Incoming extends IncomingMessage {
  #pieces = 0
  #bytes = 0
  #is_left = false
  #upgrade: unknown = null

  /** Whether the body's chunks are so small that the rest is not received. */
  get has_tiny_chunks(): boolean {
    return this.#is_left || (this.#pieces > PIECES_FREE && areSmall(this.#pieces, this.#bytes))
  }

  leaveRest(): void {
    this.#is_left = true
  }

  /** Node would read the rest of a body once its request is answered. */
  override _read(size: number): void {
    if (!this.has_tiny_chunks) super._read(size)
  }

  override push(piece: Buffer | null, encoding?: BufferEncoding): boolean {
    if (piece === null) return super.push(null)
    if (this.has_tiny_chunks) return false
    this.#pieces += 1
    this.#bytes += piece.length
    return super.push(piece, encoding)
  }

  /**
   * Node reads this after the headers. It stops parsing at an upgrade request and ends the
   * connection, since we serve no upgrades.
   */
  get upgrade(): unknown {
    return crowded.has(this.socket) || this.#upgrade
  }

  set upgrade(value: unknown) {
    // The base class's constructor sets this before our fields exist.
    if (#upgrade in this) this.#upgrade = value
  }
}

export const INCOMING: ServerOptions = {
  IncomingMessage: Incoming,
  shouldUpgradeCallback: ({ socket }) => crowded.has(socket),
}
