/** Answers connections that did not send a valid HTTP request, directly on the socket. */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Config } from '../../config.ts'
import { problem } from '../../platform/kit/problem.ts'
import { headerLines } from './headers.ts'
import { PROBLEM_TYPE, problemBody } from './problems.ts'

/** How long the client has to read the answer. */
const DRAIN_MS = 1_000
const CONTINUE = '100-continue'
const UNIQUE_HEADERS = ['Host', 'Authorization']
const REASONS: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: 'The headers are too long.',
  CONNECT: 'CONNECT is not served: this is no proxy.',
}
const UNREADABLE = 'The request line or the headers do not parse, or did not come in time.'

/**
 * Answers a request that cannot be read, or a CONNECT, with 400 and closes the connection. If an
 * earlier request is `awaiting` its answer, only closes the connection, since the client would
 * mistake the 400 for that answer or a part of it.
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
  const timer = setTimeout(() => socket.destroy(), DRAIN_MS).unref()
  socket.once('close', () => clearTimeout(timer))
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}

/** RFC 3986, 3.2.2 and 3.2.3: a name or an address, and optionally a port. */
const HOST = /^(?:\[[\w.:~!$&'()*+,;=-]+\]|(?:[\w.~!$&'()*+,;=-]|%[\da-f]{2})+)(?::\d*)?$/i

/**
 * Returns a message for headers that Node accepts wrongly, or would refuse without a problem
 * document; null if they are valid (RFC 9110, 10.1.1; RFC 9112, 3.2 and 6.1).
 */
export function headerFault(request: IncomingMessage): string | null {
  const { headers, httpVersion } = request
  const { host, expect, 'transfer-encoding': coding } = headers
  // HTTP/1.0 defines none of these three headers.
  const is_old = httpVersion !== '1.1'
  // With several values, Node would use the first, and a proxy may use another.
  const twice = UNIQUE_HEADERS.find(name => headerLines(request, name.toLowerCase()).length > 1)
  if (twice) return `The header ${twice} is sent more than once.`
  if (host === undefined && !is_old) return 'The header Host is missing.'
  if (host !== undefined && !HOST.test(host)) {
    return `The header Host has no valid host name: ${host}`
  }
  if (coding !== undefined && (is_old || coding.toLowerCase() !== 'chunked')) {
    return 'Of Transfer-Encoding, only chunked is supported, in HTTP/1.1.'
  }
  if (expect === undefined || is_old || expect.toLowerCase() === CONTINUE) return null
  return `Of Expect, only ${CONTINUE} is supported.`
}
