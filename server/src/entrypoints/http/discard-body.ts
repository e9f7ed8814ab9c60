/**
 * Handles a body left unread when its answer is ready: drops a small remainder, so that the
 * connection stays usable, and otherwise closes the connection so that the client can still read
 * the answer.
 */
import type { IncomingMessage } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { isWaiting, sendsBody } from './body.ts'
import { areSmall, Incoming } from './request-parsing.ts'

/**
 * How much of a body to drop before closing the connection; more for a known caller whose body was
 * too large, so that the client reads the answer with the limit.
 */
const DROPPED_BYTES_MAX = { anyone: 64 * 1024, caller: 64 * 1024 * 1024 }
const PATIENCE_MS = { anyone: 1_000, caller: 10_000 }
const TOO_LARGE = 413
/**
 * A refused body may have this many chunks of any size. If it has more and they are small on
 * average, the connection is closed.
 */
const DROPPED_PIECES_MAX = 64
/** How long a closed connection waits for its answer to be read. */
const LINGER_MS = 2_000

/** Calls `done` once the answer can be sent. */
export function discardBody(request: FastifyRequest, reply: FastifyReply, done: () => void): void {
  const { raw } = request
  // Requests that the service sends to itself have no connection.
  if (raw.complete !== false || raw.destroyed || !sendsBody(request)) {
    done()
    return
  }
  if (isWaiting(request) && !raw.readableDidRead) {
    reply.header('connection', 'close')
    done()
    return
  }
  if (raw instanceof Incoming && raw.has_tiny_chunks) {
    closeAfterwards(raw, reply)
    done()
    return
  }
  const isCaller = request.caller ?? request.person
  const who = isCaller && reply.statusCode === TOO_LARGE ? 'caller' : 'anyone'
  drop(raw, DROPPED_BYTES_MAX[who], PATIENCE_MS[who], complete => {
    if (!complete) closeAfterwards(raw, reply)
    done()
  })
}

function drop(
  raw: IncomingMessage,
  bytes_max: number,
  patience_ms: number,
  dropped: (complete: boolean) => void,
): void {
  let bytes = 0
  let pieces = 0
  const stop = (complete: boolean) => {
    clearTimeout(timer)
    raw.off('data', onData).off('end', onEnd).off('close', onEnd)
    raw.pause()
    dropped(complete)
  }
  const onData = (piece: Buffer) => {
    bytes += piece.length
    pieces += 1
    const has_tiny_chunks = pieces > DROPPED_PIECES_MAX && areSmall(pieces, bytes)
    if (has_tiny_chunks && raw instanceof Incoming) raw.leaveRest()
    if (has_tiny_chunks || bytes > bytes_max) stop(false)
  }
  const onEnd = () => stop(true)
  const timer = setTimeout(() => stop(false), patience_ms)
  raw.on('data', onData).on('end', onEnd).on('close', onEnd).resume()
}

/**
 * Closes our side of the connection after the answer and reads nothing more. Destroying it at once
 * would lose an answer that the client has not read yet.
 */
function closeAfterwards({ socket }: IncomingMessage, reply: FastifyReply): void {
  reply.header('connection', 'close')
  socket.destroySoon = () => {
    socket.end()
    const timer = setTimeout(() => socket.destroy(), LINGER_MS)
    socket.once('close', () => clearTimeout(timer))
  }
}
