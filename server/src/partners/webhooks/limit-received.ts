/** Limits how much of a receiver's answer is parsed: in total per connection, and in one go. */
import type { Socket } from 'node:net'

/** Maximum size of an answer: interim responses, headers and body. Node allows 16 KB of headers. */
const RECEIVED_MAX = 24 * 1024
/** Bytes parsed in one go. Node reads 64 KB at once, which could hold 4,000 interim responses. */
const PIECE = 1024

export class TooMuchReceived extends Error {
  override name = 'TooMuchReceived'
  override message = 'answered with too much data'
}

/**
 * Passes received data to the HTTP parser in pieces and ends the connection at the limit. The
 * parser handles a piece before `push` returns, so nothing is parsed after the connection is
 * destroyed.
 */
export function limitReceived(socket: Socket): void {
  const push = socket.push.bind(socket)
  let received = 0
  socket.push = (chunk: Buffer | null) => {
    if (chunk === null) return push(null)
    let wantsMore = true
    for (let at = 0; at < chunk.length && !socket.destroyed; at += PIECE) {
      const piece = chunk.subarray(at, at + PIECE)
      received += piece.length
      if (received > RECEIVED_MAX) socket.destroy(new TooMuchReceived())
      else wantsMore = push(piece)
    }
    return wantsMore
  }
}
