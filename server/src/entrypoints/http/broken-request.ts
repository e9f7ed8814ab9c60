/** Answers connections that did not send a valid HTTP request, directly on the socket. */
import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import type { Config } from '../../config.ts'
import { problem } from '../../platform/kit/problem.ts'
import { PROBLEM_TYPE, problemBody } from './problems.ts'

/** How long the client has to read the answer. */
const FAREWELL_MS = 1_000

/**
 * Answers an invalid or too long request line or header with 400 and closes the connection. If an
 * earlier request is `awaiting` its answer, only closes the connection, since the client would take
 * the 400 for that answer or part of it.
 */
export function answerBrokenRequest(
  config: Config,
  error: Error & { code?: string },
  socket: Socket,
  awaiting: boolean,
): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return
  if (awaiting || !socket.writable) {
    socket.destroy()
    return
  }
  const id = randomUUID()
  const reason =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? 'The headers are too long.'
      : 'The request line or the headers do not parse, or did not come in time.'
  const body = JSON.stringify(problemBody(config, problem('header_invalid', reason), id, '/'))
  const head = [
    'HTTP/1.1 400 Bad Request',
    `Content-Type: ${PROBLEM_TYPE}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${id}`,
    'Connection: close',
  ]
  // A client that keeps its end open must not keep ours open.
  const farewell = setTimeout(() => socket.destroy(), FAREWELL_MS).unref()
  socket.once('close', () => clearTimeout(farewell))
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}
