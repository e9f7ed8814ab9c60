/**
 * Receives and drops the rest of a body that is too large. Who sends without looking for an answer
 * would otherwise find the line cut, and never read why.
 */
import type { IncomingMessage } from 'node:http'

/** Beyond these the line is cut all the same. */
const DROPPED_BYTES_MAX = 100 * 1024 * 1024
const PATIENCE_MS = 10_000

/** Calls back once all was sent, or when there is too much of it. */
export function letSenderFinish(request: IncomingMessage, finished: () => void): void {
  const announced = Number(request.headers['content-length'] ?? 0)
  if (request.complete || request.destroyed || announced > DROPPED_BYTES_MAX) {
    finished()
    return
  }
  let dropped = 0
  const end = () => {
    clearTimeout(deadline)
    request.off('data', drop).off('end', end).off('close', end)
    finished()
  }
  const drop = (piece: Buffer) => {
    dropped += piece.length
    if (dropped > DROPPED_BYTES_MAX) end()
  }
  const deadline = setTimeout(end, PATIENCE_MS)
  request.on('data', drop).on('end', end).on('close', end).resume()
}
