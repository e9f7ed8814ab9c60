/** Answers connections that did not send a valid HTTP request, directly on the socket. */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Config } from '../../config.ts'
import { problem } from '../../platform/kit/problem.ts'
import { PROBLEM_TYPE, problemBody } from './problems.ts'

/** How long the client has to read the answer. */
const FAREWELL_MS = 1_000
const CONTINUE = '100-continue'
const REASONS: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: 'The headers are too long.',
  CONNECT: 'CONNECT is not served: this is no proxy.',
}
const UNREADABLE = 'The request line or the headers do not parse, or did not come in time.'

/**
 * Answers an invalid or too long request line or header, or a CONNECT, with 400 and closes the
 * connection. If an earlier request is `awaiting` its answer, only closes the connection, since the
 * client would mistake the 400 for that answer or a part of it.
 */
export function answerBrokenRequest(
  config: Config,
  error: { readonly code?: string },
  socket: Socket,
  awaiting: boolean,
): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return
  if (awaiting || !socket.writable) {
    socket.destroy()
    return
  }
  const id = randomUUID()
  const reason = REASONS[error.code ?? ''] ?? UNREADABLE
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

/** Throws `header_invalid` for requests that Node would refuse without a problem document. */
export function checkHeaders({ headers, httpVersion }: IncomingMessage): void {
  // HTTP/1.0 knows neither header.
  if (httpVersion !== '1.1') return
  if (headers.host === undefined) throw problem('header_invalid', 'The header Host is missing.')
  const { expect = CONTINUE } = headers
  if (expect.toLowerCase().includes(CONTINUE)) return
  throw problem('header_invalid', `Of Expect, only ${CONTINUE} is supported.`)
}
